"""Sections about the best drawings: crossings recounted from their coordinates, and pictures."""

import figures
import page
from crossings import crossing_counts, tuple_of
from drawings import TOP, ZERO, drawing_svg, ramp
from sources import rejected

MAX_WORK = 1_000_000_000  # m (n + m), summed over the drawings that are recounted here: about ten seconds


def recounted(data):
    """[(row, points, edges, counts)] of the best drawings that are shown, and notes on those left out."""
    found, notes, work = [], [], 0
    for sha256 in data.shown[: data.limits.drawings]:
        row = next(data.best.loc[[sha256]].itertuples(index=False))
        points = data.table(row, "drawings")
        if points is None:
            notes.append(f"{data.name(sha256)}: unit {row.unit} has no stored drawing")
            continue
        n, edges = data.instance(row)
        path = data.configurations[row.configuration].archive(row).path
        if len(points) != n or (edges.size and not 0 <= edges.min() <= edges.max() < n):
            raise rejected(path, f"/drawings/{row.unit} has {len(points)} points, its instance {n} vertices")
        if work + len(edges) * (n + len(edges)) > MAX_WORK:
            notes.append(
                f"{data.name(sha256)}: {len(edges):,} edges are too many to recount here (lcn archive "
                "verify does)"
            )
            continue
        work += len(edges) * (n + len(edges))
        try:
            counts = crossing_counts(points, edges)
        except ValueError as error:
            raise rejected(path, f"/drawings/{row.unit}: {error}") from None
        found.append((row, points.astype("int64"), edges, counts))
    return found, notes


def tuple_text(values):
    return "(" + ", ".join(f"{int(value):,}" for value in values) + ")"


def differing(found):
    """What is wrong with stored tuples, one line each."""
    lines = []
    for row, _, _, counts in found:
        stored, own = (row.K, row.n_K, row.Phi, row.C), tuple_of(counts)
        if stored != own:
            lines.append(
                f"{row.name}: the archive says (K, n_K, Φ, C) = {tuple_text(stored)}, its drawing has "
                f"{tuple_text(own)} (unit {row.unit}). Run lcn archive verify."
            )
    return lines


def cut_note(data):
    count = min(len(data.shown), data.limits.drawings)
    total = len(data.best)
    return f" Shown are {count} of {total:,} instances (--drawings N, --only NAME)." if count < total else ""


def distribution(data, found, notes):
    if not found:
        return [page.absent("No best drawing could be recounted."), *map(page.paragraph, notes)]
    panels = []
    for row, _, _, counts in found:
        values = f"(K, n_K, Φ, C) = {tuple_text(tuple_of(counts))}"
        figures.crossing_histogram(panels, data.name(row.instance_sha256), values, counts)
    wrong = differing(found)
    agreed = (
        f"Recounted exactly from the stored coordinates: {len(found) - len(wrong)} of {len(found)} tuples "
        "equal those of the archive."
    )
    return [
        page.paragraph(agreed),
        *map(page.warning, wrong),
        *map(page.paragraph, notes),
        page.figure(
            panels,
            "Crossings c(e) of the edges of the best drawing of each instance: how many edges have how "
            "many. A balanced drawing has most edges near K; the further K is from the mean, the more a few "
            "edges decide." + cut_note(data),
            [
                (page.swatch(figures.COLOURS[0], marker="box"), "edges"),
                (page.swatch(figures.COLOURS[1], marker="box"), "the bar with K"),
                (page.swatch(figures.INK, "5 3"), "mean crossings of an edge (2C/m, no bound)"),
            ],
        ),
    ]


def pictures(data, found):
    if not found:
        return [page.absent("No best drawing to show.")]
    panels = []
    for row, points, edges, counts in found:
        values = tuple_of(counts)
        where = data.configurations[row.configuration].label
        text = (
            f"(K, n_K, Φ, C) = {tuple_text(values)}, bound {row.lower_bound:,}; {len(points):,} vertices, "
            f"{len(edges):,} edges; {where}, seed {row.repetition}"
        )
        name = data.name(row.instance_sha256)
        label = f"Drawing of {name} with {len(points)} vertices and {len(edges)} edges, K = {values[0]}"
        panels.append((name, text, drawing_svg(points, edges, counts, label)))
    return [
        page.figure(
            panels,
            "The best drawing of each instance; edges with more crossings are darker, those with K on top."
            + cut_note(data),
            [
                (page.swatch(ZERO), "no crossing"),
                (page.swatch(ramp(0)), "1"),
                (page.swatch(ramp(0.5)), "half of K"),
                (page.swatch(ramp(1)), "K − 1"),
                (page.swatch(TOP), "K"),
            ],
        )
    ]
