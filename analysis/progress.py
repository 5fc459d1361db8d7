"""Sections about the way there: anytime curves and times to the target."""

import json

import numpy
import pandas

import curves
import figures
import page
from survival import follow_up, kaplan_meier, median_time

NONE = numpy.array([])
MAX_MARKS = 60
LEVELS = [
    ("bound", "-", "", "lower bound"),
    ("target", (0, (6, 3)), "6 3", "target"),
    ("reference", (0, (2, 2)), "2 2", "reference"),
]


def configurations_legend(data, indices, marker=""):
    return [
        (page.swatch(figures.colour(i), figures.dash(i), marker), data.configurations[i].label)
        for i in sorted(indices)
    ]


def traces(data, units):
    """Steps of each unit, without a drawing none; and how many end at another K than their row."""
    steps, differing = [], 0
    for unit in units.itertuples():
        trace = data.table(unit, "trace") if unit.K >= 0 else None
        there = trace is not None and len(trace) > 0
        steps.append(curves.steps_of(trace) if there else (NONE, NONE))
        differing += there and steps[-1][1][-1] != unit.K
    return steps, differing


def steps_by_configuration(data, sha256):
    """[(configuration, steps of its units)] where a unit has a trace, the end of the longest unit, and how
    many traces differ from their rows."""
    groups, end, differing = [], 0.0, 0
    for index in range(len(data.configurations)):
        units = data.units(index, sha256)
        steps, wrong = traces(data, units)
        differing += wrong
        if any(len(seconds) for seconds, _ in steps):
            groups.append((index, steps))
            end = max(end, units.wall_time.max(), max(seconds[-1] for seconds, _ in steps if len(seconds)))
    return groups, end, differing


def anytime(data, reference):
    panels, seen, used, differing, still = [], set(), set(), 0, []
    for sha256 in data.shown:
        groups, end, wrong = steps_by_configuration(data, sha256)
        differing += wrong
        if not any(len(seconds) > 1 for _, steps in groups for seconds, _ in steps):
            still.append(data.name(sha256))
            continue
        lines = []
        for index, steps in groups:
            times = curves.times_for(steps, end)
            lines.append((index, times, curves.quantile_curves(steps, times)))
            seen.add(index)
        targets = data.of(sha256).target_K
        known = reference.get(data.name(sha256))
        values = {
            "bound": [int(data.instances.bound[sha256])],
            "target": sorted(set(targets[targets >= 0])),
            "reference": [known[0]] if known else [],
        }
        used |= {name for name, found in values.items() if found}
        subtitle = " · ".join(
            f"{name} {', '.join(str(v) for v in found)}" for name, found in values.items() if found
        )
        figures.anytime(
            panels,
            data.name(sha256),
            subtitle,
            lines,
            [(K, style) for name, style, _, _ in LEVELS for K in values[name]],
        )
    parts = []
    if panels:
        legend = configurations_legend(data, seen, "band") + [
            (page.swatch(figures.PALE, dashes), text) for name, _, dashes, text in LEVELS if name in used
        ]
        caption = (
            "K of the best drawing so far over the seconds since the unit's start (as the search claimed "
            "it): median over units, with the band between the quartiles. Quantiles are values that units "
            "had, so that they are whole numbers; a unit that has ended keeps its K, one without a drawing "
            "counts as worse than all others."
        )
        parts.append(page.figure(panels, caption + data.units_note() + data.shown_note, legend))
    if still:
        parts.append(page.absent("No unit changed the K of its start drawing on: " + ", ".join(still) + "."))
    if differing:
        parts.append(
            page.warning(
                f"{differing} of these units end their trace at another K than the verified one in /runs."
            )
        )
    return parts


def time_limit(runs):
    """Seconds, 0 where steps alone limit the units."""
    return float(json.loads(runs.config.iloc[0]).get("time") or 0)


def budget_of(runs):
    return max(time_limit(runs), runs.wall_time.max())


def thinned(values, limit):
    """At most `limit` of the distinct values, from the first to the last."""
    values = numpy.unique(values)
    if len(values) <= limit:
        return values
    return values[numpy.linspace(0, len(values) - 1, limit).round().astype(int)]


def first_time(data, unit):
    """When the unit's trace first had the target; the end of its search where there is no trace."""
    trace = data.table(unit, "trace")
    hits = [] if trace is None else trace["seconds"][trace["K"] <= unit.target_K]
    return float(hits[0]) if len(hits) else unit.time_to_best


def with_times(data, aimed):
    """Units with a target, and a note for the caption. Where the time is only in the trace (studies), those
    of the shown instances, at most limits.units of each configuration.
    """
    if not (aimed.target_reached.astype(bool) & aimed.time_to_target.isna()).any():
        return aimed, ""
    kept = [
        data.units(index, sha256).index for sha256 in data.shown for index in range(len(data.configurations))
    ]
    aimed = aimed.loc[aimed.index.intersection(numpy.concatenate(kept))]
    late = aimed[aimed.target_reached.astype(bool) & aimed.time_to_target.isna()]
    times = [first_time(data, unit) for unit in late.itertuples()]
    return (
        aimed.assign(
            time_to_target=aimed.time_to_target.fillna(pandas.Series(times, late.index, dtype=float))
        ),
        " The targets are those of the study's manifest, the times from the traces." + data.units_note(),
    )


def reached_curve(times, reached):
    """(times, shares, censored) for figures.time_to_target, with few enough points for a picture."""
    at, _, _, share, _ = kaplan_meier(times, reached)
    at, share = numpy.concatenate([[0], at]), numpy.concatenate([[0], 1 - share])
    keep = numpy.unique(numpy.linspace(0, len(at) - 1, min(len(at), curves.MAX_TIMES)).round().astype(int))
    return at[keep], share[keep], thinned(times[~reached], MAX_MARKS)


def seconds(value):
    return f"{value:.3g} s" if numpy.isfinite(value) else "not reached"


def time_to_target(data):
    aimed, note = with_times(data, data.runs[data.runs.target_K >= 0])
    if aimed.empty:
        return [
            page.absent(
                "No unit has a target (lcn solve --target K, or target in a study): there are no times to it."
            )
        ]
    budgets = {
        index: budget_of(data.runs[data.runs.configuration == index])
        for index in aimed.configuration.unique()
    }
    panels, rows, groups = [], [], [("all instances", aimed)] if aimed.instance_sha256.nunique() > 1 else []
    groups += [(data.name(sha256), aimed[aimed.instance_sha256 == sha256]) for sha256 in data.shown]
    missed = [name for name, units in groups if len(units) and not units.target_reached.any()]
    for name, units in groups:
        lines, counts = [], []
        for index, own in units.groupby("configuration"):
            times, reached = follow_up(own, budgets[index], by_steps=time_limit(own) == 0)
            lines.append((index, *reached_curve(times, reached)))
            counts.append(f"{int(reached.sum()):,} of {len(own):,}")
            median, low, high = median_time(times, reached)
            rows.append(
                [
                    name,
                    data.configurations[index].label,
                    counts[-1],
                    f"{len(own) - int(reached.sum()):,}",
                    seconds(median),
                    f"{seconds(low)} to {seconds(high)}" if numpy.isfinite(low) else "–",
                ]
            )
        if any(shares[-1] > 0 for _, _, shares, _ in lines):
            targets = sorted(units.target_K.unique())
            aim = (
                f"target {', '.join(str(t) for t in targets)}"
                if len(targets) <= 3
                else f"{len(targets)} targets"
            )
            figures.time_to_target(panels, name, f"{aim} · reached by {'; '.join(counts)}", lines)
    legend = configurations_legend(data, budgets) + [
        (page.swatch("#555555", marker="tick"), "a unit ended without its target")
    ]
    parts = (
        [
            page.figure(
                panels,
                "Share of units that have reached their target, over the seconds since the unit's start "
                "(one minus the estimate of Kaplan and Meier). A tick marks where a unit ended without its "
                "target (censored); a failed or rejected unit, and one that used up a budget of steps alone, "
                "counts as not having reached it up to the end of the budget, or of the longest unit. Where "
                "few units are left, behind many ticks, a step weighs much. At most "
                f"{MAX_MARKS} ticks a curve." + note + data.shown_note,
                legend,
            )
        ]
        if panels
        else []
    )
    if missed:
        parts.append(
            page.absent("No unit reached its target" + (f" on: {', '.join(missed)}." if panels else "."))
        )
    return parts + [
        page.table(
            "Median time to the target by Kaplan and Meier, with its 95 % interval (log-minus-log limits). "
            "“Not reached”: the curve, or its limit, stays below one half.",
            ["instance", "configuration", "reached", "censored", "median time", "interval"],
            rows,
            numeric={2, 3, 4, 5},
        )
    ]
