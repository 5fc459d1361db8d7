"""One panel after the other as inline SVG: a panel is 360 units wide and is shown at about that many pixels,
so that its text is as large on a telephone as on a desk. Legends, which all panels of a figure share, are
the page's.
"""

import contextlib
import html
import io
import re

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as pyplot  # noqa: E402 (the backend is chosen first)
import numpy  # noqa: E402
from matplotlib import ticker  # noqa: E402

# Okabe and Ito's colours, told apart by colour-blind readers too, and line styles for readers of grey prints.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#aa4499", "#000000", "#b07d00", "#3a9bd9"]
DASHES = ["", "7 3", "2 2", "8 3 2 3", "12 3", "4 2 1 2 1 2"]
INK, PALE = "#222222", "#8a8a8a"
WIDTH, HEIGHT = 360, 235
ROW = 48  # height of an instance's row in the dot plots

pyplot.rcParams.update(
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "lcn",
        "font.family": "sans-serif",
        "font.size": 11,
        "axes.labelsize": 11,
        "axes.edgecolor": INK,
        "axes.labelcolor": INK,
        "text.color": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "xtick.labelsize": 10.5,
        "ytick.labelsize": 10.5,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "#e4e4e4",
        "grid.linewidth": 0.8,
        "axes.axisbelow": True,
        "lines.linewidth": 1.8,
    }
)


def colour(index):
    return COLOURS[index % len(COLOURS)]


def dash(index):
    """SVG dash pattern; the period of the styles is not that of the colours, so that pairs repeat late."""
    return DASHES[index % len(DASHES)]


def line_style(index):
    pattern = dash(index)
    scale = 1.8  # matplotlib's dashes are in units of the line width
    return (0, tuple(float(part) / scale for part in pattern.split())) if pattern else "-"


def shortened(text, limit=46):
    return text if len(text) <= limit else text[: limit - 16] + "…" + text[-15:]


def panel_title(axes, title, subtitle=""):
    axes.set_title(
        shortened(title) + ("\n" if subtitle else ""), loc="left", fontsize=12, fontweight="bold", pad=7
    )
    if subtitle:
        axes.annotate(
            subtitle,
            (0, 1),
            xycoords="axes fraction",
            xytext=(0, 7),
            textcoords="offset points",
            fontsize=10.5,
            color="#555555",
        )


def plain_log(axis):
    """Logarithmic axis with 0.1, 1, 10 instead of powers; between few decades 2 and 5 have labels as well."""
    low, high = axis.get_view_interval()
    subs = (1, 2, 5) if high / low < 60 else (1,)
    if high / low >= 1e5:
        axis.set_major_locator(ticker.LogLocator(numticks=6))
    else:
        axis.set_major_locator(ticker.LogLocator(subs=subs, numticks=12))
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axis.set_minor_formatter(ticker.NullFormatter())


@contextlib.contextmanager
def panel(label, svgs, height=HEIGHT):
    """Axes of a new panel, which is appended to `svgs` as text. `label` says in words what it shows."""
    figure, axes = pyplot.subplots(figsize=(WIDTH / 72, height / 72), layout="constrained")
    try:
        yield axes
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    finally:
        pyplot.close(figure)
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(
        r"<metadata>.*?</metadata>|<style.*?</style>", "", text, flags=re.S
    )  # a style holds for the whole page
    text = re.sub(
        r'<g id="[^"]*"', "<g", text
    )  # no reference goes to groups, and ids repeat from panel to panel
    text = re.sub(
        r"<svg [^>]*>",
        f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 {WIDTH} {height}" '
        f'stroke-linejoin="round" role="img" aria-label="{html.escape(label, quote=True)}">',
        text,
        count=1,
    )
    svgs.append(text)


def time_axis(axes, low, high):
    axes.set_xlabel("seconds")
    if low > 0 and high / low > 20:
        axes.set_xscale("log")
        axes.set_xlim(low, high)
        plain_log(axes.xaxis)
    else:
        axes.set_xlim(0 if low >= 0 else low, high)


def anytime(svgs, title, subtitle, curves, levels):
    """curves: [(configuration, times, [low, median, high])], K over seconds; levels: [(K, dashes)] across the
    panel.
    """
    with panel(f"{title}: K over seconds, median and quartiles. {subtitle}", svgs) as axes:
        panel_title(axes, title, subtitle)
        shown = []
        for index, times, (low, middle, high) in curves:
            axes.fill_between(
                times,
                numpy.where(numpy.isfinite(low), low, numpy.nan),
                numpy.where(numpy.isfinite(high), high, numpy.nan),
                step="post",
                color=colour(index),
                alpha=0.16,
                linewidth=0,
            )
            axes.step(
                times,
                numpy.where(numpy.isfinite(middle), middle, numpy.nan),
                where="post",
                color=colour(index),
                linestyle=line_style(index),
            )
            shown.append(numpy.concatenate([low, high])[numpy.isfinite(numpy.concatenate([low, high]))])
        shown = numpy.concatenate(shown)
        time_axis(axes, min(times[0] for _, times, _ in curves), max(times[-1] for _, times, _ in curves))
        if shown.size:
            lowest, highest = shown.min(), shown.max()
            near = lowest - 0.5 * max(highest - lowest, 1)  # further down they would flatten the curves
            for K, dashes in levels:
                if K >= near:
                    axes.axhline(K, color=PALE, linewidth=1.1, linestyle=dashes, zorder=1)
                    lowest = min(lowest, K)
            if lowest > 0 and highest / lowest > 12:
                axes.set_yscale("log")
                axes.set_ylim(lowest / 1.15, highest * 1.15)
                plain_log(axes.yaxis)
            else:
                margin = max(0.4, 0.06 * (highest - lowest))
                axes.set_ylim(lowest - margin, highest + margin)
                axes.yaxis.set_major_locator(ticker.MaxNLocator(6, integer=True, min_n_ticks=1))
        axes.set_ylabel("K")


def time_to_target(svgs, title, subtitle, curves):
    """curves: [(configuration, times, shares, censored)]: share of units that have reached the target, steps
    from (0, 0); `censored` are times at which a unit ended without it.
    """
    with panel(f"{title}: share of units that reached the target, over seconds. {subtitle}", svgs) as axes:
        panel_title(axes, title, subtitle)
        positive = [t for _, times, _, censored in curves for t in [*times[1:], *censored] if t > 0] or [1.0]
        low, high = min(positive) / 1.5, max(positive) * 1.05
        for index, times, shares, censored in curves:
            end = high if shares[-1] == 1 else max([times[-1], *censored])
            axes.step(
                [1e-9, *times[1:], end],
                [0, *shares[1:], shares[-1]],
                where="post",
                color=colour(index),
                linestyle=line_style(index),
            )
            marks = [shares[numpy.searchsorted(times, t, side="right") - 1] for t in censored]
            axes.plot(
                censored,
                marks,
                linestyle="",
                marker="|",
                markersize=11,
                markeredgewidth=1.8,
                color=colour(index),
                clip_on=False,
                zorder=4,
            )
        time_axis(axes, low, high)
        axes.set_ylim(-0.03, 1.03)
        axes.yaxis.set_major_formatter(ticker.PercentFormatter(1.0, 0))
        axes.set_ylabel("reached")


def ladder(svgs, title, subtitle, curves):
    """curves: [(configuration, acceptance per pair of rungs, share of replicas last seen at the hot end per
    rung)].
    """
    with panel(
        f"{title}: acceptance of exchanges and share from the hot end, by rung. {subtitle}", svgs
    ) as axes:
        panel_title(axes, title, subtitle)
        for index, acceptance, hot in curves:
            axes.plot(
                numpy.arange(len(acceptance)) + 0.5, acceptance, color=colour(index), marker="o", markersize=4
            )
            axes.plot(
                numpy.arange(len(hot)),
                hot,
                color=colour(index),
                linestyle=(0, (4, 2)),
                linewidth=1.3,
                marker="s",
                markersize=3.2,
                markerfacecolor="white",
            )
        axes.set_ylim(-0.03, 1.03)
        axes.yaxis.set_major_formatter(ticker.PercentFormatter(1.0, 0))
        axes.xaxis.set_major_locator(ticker.MaxNLocator(8, integer=True))
        axes.set_xlabel("rung (0 is the coldest)")


def stacked(values, spacing, limit):
    """Vertical offsets that lay equal values (to a 60th of their range) on top of each other, at most `limit`
    high.
    """
    values = numpy.asarray(values, dtype=float)
    span = numpy.ptp(values) or 1.0
    bins = numpy.round((values - values.min()) / span * 60) if len(values) else values
    offsets = numpy.zeros(len(values))
    for cell in numpy.unique(bins):
        members = numpy.flatnonzero(bins == cell)
        offsets[members] = numpy.arange(len(members)) * min(spacing, limit / max(len(members) - 1, 1))
    return offsets


def row_dots(svgs, label, rows, x_label, centre=None):
    """One line of dots per instance and configuration. rows: [(instance, [(configuration, values, text,
    summary)])], summary None or (median, low, high). `centre` draws an upright line there; wide values
    then have a scale that is logarithmic on both sides of it.
    """
    height = 58 + ROW * sum(len(groups) for _, groups in rows)
    with panel(label, svgs, height) as axes:
        place, values_of_all = 0.0, []
        for name, groups in rows:
            axes.annotate(
                shortened(name, 34),
                (0, place),
                xycoords=("axes fraction", "data"),
                xytext=(1, 1),
                textcoords="offset points",
                va="top",
                fontsize=10.5,
                fontweight="bold",
                bbox=dict(facecolor="white", edgecolor="none", pad=0.5),
                zorder=6,
            )
            for index, values, text, summary in groups:
                axes.annotate(
                    text,
                    (1, place),
                    xycoords=("axes fraction", "data"),
                    xytext=(-1, 1),
                    textcoords="offset points",
                    va="top",
                    ha="right",
                    fontsize=10,
                    color="#555555",
                    bbox=dict(facecolor="white", edgecolor="none", pad=0.5),
                    zorder=6,
                )
                base = place + 0.64
                values_of_all.extend(values)
                axes.scatter(
                    values,
                    base - stacked(values, 0.1, 0.32),
                    s=17,
                    color=colour(index),
                    alpha=0.85,
                    linewidth=0.5,
                    edgecolor="white",
                    zorder=3,
                    clip_on=False,
                )
                if summary is not None:
                    median, low, high = summary
                    if numpy.isfinite(low):
                        axes.plot([low, high], [base + 0.12, base + 0.12], color=INK, linewidth=1.6, zorder=4)
                    axes.plot([median], [base + 0.12], marker="D", markersize=4.5, color=INK, zorder=5)
                place += 1
            axes.axhline(place, color="#cccccc", linewidth=0.8)
        axes.set_ylim(place, 0)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.grid(axis="y", visible=False)
        reach = max((abs(v - (centre or 0)) for v in values_of_all), default=1) or 1
        if centre is not None:
            axes.axvline(centre, color=INK, linewidth=1)
            if reach > 15:
                axes.set_xscale("symlog", linthresh=2, linscale=0.6)
                ticks = [t for t in (1, 10, 100, 1000, 10_000, 100_000) if t <= reach * 1.5]
                axes.set_xticks([-t for t in reversed(ticks)] + [0] + ticks)
                axes.xaxis.set_major_formatter(
                    ticker.FuncFormatter(lambda value, _: f"{value:+,.0f}" if value else "0")
                )
                axes.xaxis.set_minor_locator(ticker.NullLocator())
            low, high = min([*values_of_all, -1]), max([*values_of_all, 1])
            axes.set_xlim(low * 1.12, high * 1.12)
        else:
            axes.set_xlim(-0.03 * reach, reach * 1.05)
        if axes.get_xscale() == "linear":
            axes.xaxis.set_major_locator(ticker.MaxNLocator(7, integer=True))
        axes.set_xlabel(x_label)


def crossing_histogram(svgs, title, subtitle, counts):
    """How many edges have how many crossings; bars of equal width, the last one up to K."""
    K = int(counts.max()) if len(counts) else 0
    width = max(1, -(-(K + 1) // 45))
    heights = numpy.bincount(counts // width)
    mean = counts.mean() if len(counts) else 0.0
    with panel(f"{title}: number of edges by their crossings. {subtitle}", svgs, 215) as axes:
        panel_title(axes, title, subtitle)
        colours = [COLOURS[0]] * len(heights)
        colours[-1] = COLOURS[1] if K > 0 else COLOURS[0]
        axes.bar(
            numpy.arange(len(heights)) * width + (width - 1) / 2, heights, width=0.86 * width, color=colours
        )
        axes.axvline(mean, color=INK, linewidth=1.2, linestyle=(0, (4, 2)))
        axes.grid(axis="x", visible=False)
        axes.set_xlim(-0.7, max(heights.size * width - 0.3, 2.7))
        axes.xaxis.set_major_locator(ticker.MaxNLocator(8, integer=True))
        axes.yaxis.set_major_locator(ticker.MaxNLocator(5, integer=True))
        axes.set_xlabel("crossings on the edge" + (f" ({width} to a bar)" if width > 1 else ""))
        axes.set_ylabel("edges")
