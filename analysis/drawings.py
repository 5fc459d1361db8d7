"""A drawing as inline SVG: edges coloured by their crossings, those with K crossings on top (as `lcn draw`
does).
"""

import html
import math

import numpy

SIZE, MARGIN = 1000, 14
TOP, ZERO = "#d55e00", "#c4c4c4"
RAMP = numpy.array([(158, 202, 225), (66, 146, 198), (8, 81, 156), (8, 29, 88)])


def ramp(share):
    place = min(max(share, 0.0), 1.0) * (len(RAMP) - 1)
    low = min(int(place), len(RAMP) - 2)
    red, green, blue = numpy.rint(RAMP[low] + (place - low) * (RAMP[low + 1] - RAMP[low])).astype(int)
    return f"#{red:02x}{green:02x}{blue:02x}"


def colour_of(count, K):
    if count == 0:
        return ZERO
    return TOP if count == K else ramp((count - 1) / (K - 2) if K > 2 else 0.0)


def drawing_svg(points, edges, counts, label):
    """Edges of one count are one path. Vertices are left out where they would hide the edges (n > 1500)."""
    low, high = points.min(axis=0), points.max(axis=0)
    scale = SIZE / max(1, *(high - low))
    x = numpy.rint(MARGIN + (points[:, 0] - low[0]) * scale).astype(int)
    y = numpy.rint(MARGIN + (high[1] - points[:, 1]) * scale).astype(int)
    width, height = int(x.max()) + MARGIN, int(y.max()) + MARGIN
    stroke = min(max(70 / math.sqrt(len(points) + len(edges)), 0.6), 4)
    K = int(counts.max()) if len(counts) else 0
    parts = [
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{html.escape(label, quote=True)}">',
        '<g fill="none" stroke-linecap="round">',
    ]
    for count in numpy.unique(counts):
        path = "".join(f"M{x[a]} {y[a]}L{x[b]} {y[b]}" for a, b in edges[counts == count])
        thickness = stroke * (1.7 if count == K and K > 0 else 1)
        parts.append(f'<path stroke="{colour_of(int(count), K)}" stroke-width="{thickness:.1f}" d="{path}"/>')
    parts.append("</g>")
    if len(points) <= 1500:
        radius = min(max(70 / math.sqrt(len(points)), 1.6), 8)
        parts.append(
            f'<path stroke="#222222" stroke-width="{2 * radius:.1f}" stroke-linecap="round" d="'
            + "".join(f"M{a} {b}h0" for a, b in zip(x, y))
            + '"/>'
        )
    parts.append("</svg>")
    return "".join(parts)
