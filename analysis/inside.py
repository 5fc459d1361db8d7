"""Sections about the inside of searches: ladders of temperatures and families of populations."""

import numpy
import pandas

import figures
import page
from progress import configurations_legend
from results import MAX_DOTS, counted


def replica_tables(data, units):
    """(unit, its table of rungs or islands) of the units that have one."""
    found = ((unit, data.table(unit, "replicas")) for unit in units.itertuples())
    return [(unit, table) for unit, table in found if table is not None and len(table)]


def described(data, what, rows):
    """Words for a figure of figures.row_dots."""
    return f"{what}. " + "; ".join(
        f"{name}, {data.configurations[index].label}: {text}"
        for name, groups in rows
        for index, _, text, _ in groups
    )


def ladder_of(tables):
    """(acceptance per pair of rungs, mean hot fraction per rung, units) over the ladders of the most frequent
    length.
    """
    ladders = [table for _, table in tables if (table["attempts_even"] + table["attempts_odd"]).sum() > 0]
    if not ladders:
        return None
    length = pandas.Series([len(table) for table in ladders]).mode().max()
    ladders = numpy.array([table for table in ladders if len(table) == length])
    attempts = (ladders["attempts_even"] + ladders["attempts_odd"]).sum(axis=0)[:-1]
    accepts = (ladders["accepts_even"] + ladders["accepts_odd"]).sum(axis=0)[:-1]
    return (
        numpy.where(attempts > 0, accepts / numpy.maximum(attempts, 1), numpy.nan),
        ladders["hot_fraction"].mean(axis=0),
        ladders,
    )


def ladders(data):
    tempered = [
        i
        for i in range(len(data.configurations))
        if (data.runs.exchanges_attempted[data.runs.configuration == i] > 0).any()
    ]
    if not tempered:
        return [
            page.absent(
                "No unit attempted an exchange of replicas: there is no ladder to show (--search tempering "
                "has one)."
            )
        ]
    panels, trips = [], []
    for sha256 in data.shown:
        lines, texts, dots = [], [], []
        for index in tempered:
            found = ladder_of(replica_tables(data, data.units(index, sha256)))
            if found is None:
                continue
            acceptance, hot, used = found
            lines.append((index, acceptance, hot))
            cold, warm = used["temperature"][:, 0].mean(), used["temperature"][:, -1].mean()
            texts.append(f"T {cold:.3g} to {warm:.3g}, {counted(len(used), 'unit')}")
            units = data.units(index, sha256, limited=False)
            units = units[units.exchanges_attempted > 0]
            dots.append(
                (
                    index,
                    units.round_trips.head(MAX_DOTS).to_numpy(),
                    f"median {units.round_trips.median():g}",
                    None,
                )
            )
        if lines:
            figures.ladder(panels, data.name(sha256), "; ".join(texts) if len(texts) == 1 else "", lines)
            trips.append((data.name(sha256), dots))
    if not panels:
        return [
            page.absent("Exchanges were attempted, but the instances shown here have no telemetry of rungs.")
        ]
    legend = [
        (
            page.swatch(figures.colour(i), marker="circle"),
            f"{data.configurations[i].label}: exchanges accepted",
        )
        for i in tempered
    ]
    legend += [
        (
            page.swatch(figures.colour(i), "5 3", "square"),
            f"{data.configurations[i].label}: replicas from the hot end",
        )
        for i in tempered
    ]
    dots_svg = []
    figures.row_dots(
        dots_svg, described(data, "Round trips of each unit", trips), trips, "round trips of a unit"
    )
    return [
        page.figure(
            panels,
            "Share of attempted exchanges between neighbouring rungs that were accepted (between their "
            "numbers; all units together), and mean share of replicas last seen at the hot end rather than "
            "the cold one. A good ladder accepts equally everywhere, and the share falls evenly from 100 % "
            "to 0." + data.units_note() + data.shown_note,
            legend,
        ),
        page.figure(
            dots_svg,
            "Round trips between the ends of the ladder, summed over replicas: one dot a unit that attempted "
            "exchanges. Without round trips the hot rungs do not help the cold ones." + data.shown_note,
            configurations_legend(data, tempered, "dot") if len(tempered) > 1 else (),
        ),
    ]


def replicas_of(data, unit):
    """Steps summed over replicas, divided by the steps of one replica."""
    schedule = data.table(unit, "schedule")
    steps = 0 if schedule is None else int(schedule["steps"][schedule["stage"] >= 0].sum())
    return round(unit.replica_steps / steps) if steps else 0


def families(data):
    rows, seen, kept_all = [], set(), set()
    for sha256 in data.shown:
        dots = []
        for index in range(len(data.configurations)):
            found = [
                (int(table["families"].sum()), replicas_of(data, unit), len(table))
                for unit, table in replica_tables(data, data.units(index, sha256))
                if table["families"].sum() > 0
            ]
            if not found:
                continue
            alive, replicas, islands = (numpy.array(values) for values in zip(*found))
            if (alive >= replicas).all():
                kept_all |= {index} if replicas.max() > 1 else set()
                continue
            of = f"{replicas.max()} replicas" + (f" in {islands.max()} islands" if islands.max() > 1 else "")
            dots.append((index, alive, f"median {numpy.median(alive):g} of {of}", None))
            seen.add(index)
        if dots:
            rows.append((data.name(sha256), dots))
    kept = [data.configurations[i].label for i in sorted(kept_all - seen)]
    parts = []
    if rows:
        panels = []
        figures.row_dots(
            panels,
            described(data, "Families alive at the end of each unit", rows),
            rows,
            "families alive at the end",
        )
        parts.append(
            page.figure(
                panels,
                "Families of a population: start replicas that have descendants at the end, summed over "
                "islands; one dot a unit. One family means that the population has collapsed. A unit that "
                "ended before its population was resampled "
                "keeps all of them." + data.units_note() + data.shown_note,
                configurations_legend(data, seen, "dot"),
            )
        )
    else:
        parts.append(
            page.absent(
                "No population was resampled: there are no families to count (--search population has them)."
            )
        )
    if kept:
        parts.append(
            page.paragraph(
                "Every replica kept its own family, as independent chains do: " + ", ".join(kept) + "."
            )
        )
    return parts
