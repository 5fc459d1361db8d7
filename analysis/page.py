"""The HTML page: escaped text, tables that scroll inside their own box, figures with captions. Nothing is
loaded.
"""

import html

STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1240px; padding: 0 12px 48px; background: #ffffff; color: #1d1d1f;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
  overflow-wrap: break-word; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 20px 0 4px; }
h2 { font-size: 1.2rem; margin: 40px 0 8px; padding-top: 12px; border-top: 1px solid #d5d5da; }
p { margin: 8px 0; max-width: 76ch; }
a { color: #00518a; }
nav ul { display: flex; flex-wrap: wrap; gap: 0 18px; list-style: none; margin: 12px 0 0; padding: 0; }
nav a { display: inline-block; padding: 6px 0; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 340px), 1fr)); gap: 12px; }
.card { border: 1px solid #d5d5da; border-radius: 6px; padding: 10px 12px; min-width: 0; }
.card h3 { margin: 0 0 6px; font-size: 1rem; display: flex; gap: 8px; align-items: center;
  overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: minmax(84px, max-content) minmax(0, 1fr); gap: 2px 12px; margin: 0;
  font-size: 0.9rem; }
dt { color: #55555c; } dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow: auto; max-height: min(75vh, 640px); margin: 10px 0; border: 1px solid #d5d5da;
  border-radius: 6px; }
.scroll:focus-visible { outline: 2px solid #0072b2; }
table { border-collapse: collapse; font-size: 0.88rem; width: 100%; }
th, td { padding: 5px 10px; text-align: left; vertical-align: top; border-top: 1px solid #e6e6ea;
  white-space: nowrap; }
thead th { border-top: 0; background: #f3f3f6; position: sticky; top: 0; }
tbody th { font-weight: 600; }
tbody th.long { min-width: 14rem; white-space: normal; overflow-wrap: anywhere; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.reason { min-width: 260px; white-space: normal; }
figure { margin: 12px 0 0; }
figcaption, .caption { font-size: 0.9rem; color: #3c3c43; max-width: 90ch; margin: 4px 0 10px; }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 340px), 1fr));
  gap: 14px 18px; align-items: start; }
.panels svg { display: block; width: 100%; max-width: 460px; height: auto; }
.panel h3 { margin: 0; font-size: 0.9rem; overflow-wrap: anywhere; }
.panel p { margin: 0 0 4px; font-size: 0.85rem; }
.panel { min-width: 0; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 20px; margin: 6px 0; padding: 0; list-style: none;
  font-size: 0.9rem; }
.legend li { display: flex; align-items: center; gap: 7px; min-width: 0; overflow-wrap: anywhere; }
.legend svg { flex: none; }
.absent { color: #3c3c43; font-style: italic; }
.warning { border-left: 4px solid #d55e00; padding: 4px 10px; background: #fff6ef; }
@media print { .scroll { overflow: visible; max-height: none; } figure, .card { break-inside: avoid; } }
"""


def escape(value):
    return html.escape(str(value), quote=True)


def paragraph(text, kind=""):
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def absent(text):
    return paragraph(text, "absent")


def warning(text):
    return paragraph(text, "warning")


def table(caption, headers, rows, numeric=(), wide=()):
    """Rows of text; the first cell names its row. `numeric` and `wide` are indices of columns."""

    def kind(index):
        return ' class="number"' if index in numeric else ' class="reason"' if index in wide else ""

    head = "".join(f'<th scope="col"{kind(i)}>{escape(text)}</th>' for i, text in enumerate(headers))
    body = []
    for row in rows:
        long = ' class="long"' if len(row[0]) > 40 else ""
        cells = [f'<th scope="row"{long}>{escape(row[0])}</th>']
        cells += [f"<td{kind(i)}>{escape(cell)}</td>" for i, cell in enumerate(row) if i > 0]
        body.append("<tr>" + "".join(cells) + "</tr>")
    name = escape(caption.split(". ")[0])  # a region that scrolls can be reached by keyboard and needs a name
    return (
        f'<p class="caption">{escape(caption)}</p>'
        f'<div class="scroll" role="region" tabindex="0" aria-label="{name}"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def swatch(colour, dashes="", marker=""):
    """A piece of line, as in the panels, for legends."""
    pattern = f' stroke-dasharray="{dashes}"' if dashes else ""
    line = f'<path d="M1 7H35" stroke="{colour}" stroke-width="2.4" fill="none"{pattern}/>'
    shapes = {
        "dot": f'<circle cx="18" cy="7" r="4" fill="{colour}"/>',
        "circle": line + f'<circle cx="18" cy="7" r="3.4" fill="{colour}"/>',
        "square": line + f'<rect x="14.6" y="3.6" width="6.8" height="6.8" fill="white" stroke="{colour}"/>',
        "tick": f'<path d="M18 1V13" stroke="{colour}" stroke-width="2.2"/>',
        "band": f'<rect x="1" y="1" width="34" height="12" fill="{colour}" fill-opacity="0.2"/>' + line,
        "diamond": f'<path d="M5 7H31M18 2.5L22.5 7L18 11.5L13.5 7Z" stroke="{colour}" stroke-width="1.6" '
        f'fill="{colour}"/>',
        "box": f'<rect x="11" y="0" width="14" height="14" fill="{colour}"/>',
    }
    return (
        f'<svg width="36" height="14" viewBox="0 0 36 14" aria-hidden="true">{shapes.get(marker, line)}</svg>'
    )


def legend(entries):
    """entries: [(swatch, text)]."""
    return (
        '<ul class="legend">'
        + "".join(f"<li>{mark}<span>{escape(text)}</span></li>" for mark, text in entries)
        + "</ul>"
    )


def figure(panels, caption, legend_entries=()):
    """panels: SVG texts, or (title, text, SVG) where the title is too long for the picture."""
    parts = []
    for item in panels:
        if isinstance(item, str):
            parts.append(f'<div class="panel">{item}</div>')
        else:
            title, text, svg = item
            parts.append(f'<div class="panel"><h3>{escape(title)}</h3>{paragraph(text)}{svg}</div>')
    marks = legend(legend_entries) if legend_entries else ""
    return (
        f'<figure><figcaption>{escape(caption)}</figcaption>{marks}<div class="panels">{"".join(parts)}</div>'
        "</figure>"
    )


def cards(items):
    """items: [(mark, heading, [(name, value)])]."""
    parts = []
    for mark, heading, entries in items:
        pairs = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in entries)
        parts.append(
            f'<article class="card"><h3>{mark}<span>{escape(heading)}</span></h3><dl>{pairs}</dl></article>'
        )
    return f'<div class="cards">{"".join(parts)}</div>'


def page(title, introduction, sections):
    """sections: [(id, heading, [HTML])]."""
    links = "".join(f'<li><a href="#{name}">{escape(heading)}</a></li>' for name, heading, _ in sections)
    body = "".join(
        f'<section id="{name}"><h2>{escape(heading)}</h2>{"".join(parts)}</section>'
        for name, heading, parts in sections
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>"
        f"<body><header><h1>{escape(title)}</h1>{''.join(introduction)}</header>"
        f'<nav aria-label="Contents"><ul>{links}</ul></nav><main>{body}</main></body></html>\n'
    )
