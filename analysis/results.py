"""Sections about results: what was run, best tuples, failures, differences between configurations."""

import json

import numpy

import figures
import page
from comparison import TUPLE, median_interval, pairs, sign_test

MAX_DOTS = 200  # of one row of a figure
MAX_JOBS = 20  # whose provenance is read for one configuration
STATUSES = ["optimal", "target", "ok", "interrupted", "failed", "rejected"]


def several(values, limit=3):
    distinct = list(dict.fromkeys(str(value) for value in values if str(value)))
    return ", ".join(distinct[:limit]) + (
        f" and {len(distinct) - limit} more" if len(distinct) > limit else ""
    )


def counted(count, noun):
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def duration(seconds):
    if seconds < 0.001:
        return "less than 1 ms"
    return (
        f"{seconds:.3g} s"
        if seconds < 120
        else f"{seconds / 60:.3g} min"
        if seconds < 7200
        else f"{seconds / 3600:.3g} h"
    )


def statuses(runs):
    counts = runs.status.value_counts()
    known = [status for status in STATUSES if status in counts] + [
        s for s in counts.index if s not in STATUSES
    ]
    return ", ".join(f"{counts[status]:,} {status}" for status in known)


def settings(runs):
    """The configuration in words, without what was not given."""
    config = json.loads(runs.config.iloc[0])
    first = ["search", "start", "replicas", "time", "steps", "target"]
    keys = [key for key in first if key in config] + [key for key in config if key not in first]
    parts = [
        f"{key.replace('_', ' ')} " + (f"{config[key]:g} s" if key == "time" else str(config[key]))
        for key in keys
        if config[key] is not None
    ]
    return "; ".join(parts)


def build_of(provenance):
    build = provenance.get("build", {})
    return str(build.get("commit") or "unknown")[:12] + (" with local changes" if build.get("dirty") else "")


def what_was_run(data):
    items = []
    for index, configuration in enumerate(data.configurations):
        runs = data.runs[data.runs.configuration == index]
        jobs = runs.drop_duplicates("provenance")
        texts = [
            configuration.archive(row).provenance(row.provenance) for row in jobs.head(MAX_JOBS).itertuples()
        ]
        compilers = [text.get("build", {}).get("compiler", "") for text in texts]
        started = sorted(text["started"] for text in texts if "started" in text)
        entries = [
            ("settings", settings(runs)),
            ("start", several(runs.start_provider.unique())),
            (
                "units",
                f"{len(runs):,}: {counted(runs.instance_sha256.nunique(), 'instance')}, "
                f"{counted(runs.repetition.nunique(), 'seed')}, root seed {several(runs.root_seed.unique())}",
            ),
            ("status", statuses(runs)),
            (
                "time",
                f"{duration(runs.wall_time.sum())} of unit time, median {duration(runs.wall_time.median())}",
            ),
            ("commit", several(build_of(text) for text in texts)),
            ("built by", several(compilers)),
            ("machine", several(f"{h} ({d})" if d else h for h, d in zip(runs.host, runs.device))),
            (
                "jobs",
                f"{len(jobs):,}"
                + (f", first started {started[0]}" if started else "")
                + (f" (of the first {MAX_JOBS})" if len(jobs) > MAX_JOBS else ""),
            ),
        ]
        mark = page.swatch(figures.colour(index), figures.dash(index))
        items.append((mark, configuration.label, [(name, value) for name, value in entries if value]))
    notes = [page.warning(f"{c.label}: {note}") for c in data.configurations for note in c.notes]
    return [page.cards(items), *notes]


def target_cell(units):
    aimed = units[units.target_K >= 0]
    return (
        f"{several(aimed.target_K.unique())} ({int(aimed.target_reached.sum())} of {len(aimed)})"
        if len(aimed)
        else "–"
    )


def reference_cells(known, K):
    """Reference K, difference and source; known is (K, source), None where the table has no such instance."""
    if known is None:
        return ["–", "–", ""]
    return [f"{known[0]:,}", "–" if K is None else f"{K - known[0]:+d}", known[1]]


def configuration_cell(units):
    """Best and median K of one configuration; of two middle values the lower one."""
    values = numpy.sort(units.K[units.K >= 0].to_numpy())
    return f"{values[0]:,} / {values[(len(values) - 1) // 2]:,}" if len(values) else "–"


def best_row(data, sha256, reference):
    instance, units = data.instances.loc[sha256], data.of(sha256)
    best = data.best.loc[sha256] if instance.drawn else None
    cells = [
        instance["name"],
        *(["–"] * 4 if best is None else [f"{int(best[column]):,}" for column in TUPLE]),
        f"{instance.bound:,}",
        "–" if best is None else "0, optimal" if instance.gap == 0 else f"{int(instance.gap):,}",
        target_cell(units),
    ]
    if reference:
        cells += reference_cells(reference.get(instance["name"]), None if best is None else int(best.K))
    cells += [
        configuration_cell(units[units.configuration == index]) for index in range(len(data.configurations))
    ]
    cells.append(f"{instance.drawn} of {instance.units}")
    if best is None:
        return cells + ["–"]
    of = f"{data.configurations[best.configuration].label}, " if len(data.configurations) > 1 else ""
    return cells + [f"{of}seed {best.repetition}, {best.time_to_best:.3g} s"]


def best_tuples(data, reference):
    instances, limit = data.instances, data.limits.rows
    order = instances.index
    if len(order) > limit:
        order = instances.sort_values(
            ["gap", "units"], ascending=False, kind="stable", na_position="first"
        ).index[:limit]
    parts = [
        page.paragraph(
            f"{counted(len(instances), 'instance')}: {int((instances.gap == 0).sum()):,} solved to proven "
            f"optimality (K equals the lower bound), {int((instances.gap > 0).sum()):,} with a gap, "
            f"{int(instances.K.isna().sum()):,} without a drawing."
        )
    ]
    if reference:
        known = instances.name.map(lambda name: reference[name][0] if name in reference else numpy.nan)
        compared = instances.K - known
        parts.append(
            page.paragraph(
                f"Against the reference table: {int((compared < 0).sum()):,} better, "
                f"{int((compared == 0).sum()):,} equal, {int((compared > 0).sum()):,} worse; "
                f"{int(known.isna().sum()):,} instances have no reference, and "
                f"{len(set(reference) - set(instances.name)):,} rows of the table no instance here."
            )
        )
        if (known < instances.bound).any():
            parts.append(
                page.warning(
                    "A reference below the lower bound cannot be the K of a valid drawing: "
                    + several(instances.name[known < instances.bound])
                )
            )
    else:
        parts.append(page.absent("No reference table was given (--reference TABLE.csv)."))
    headers = ["instance", "K", "n_K", "Φ", "C", "bound", "gap", "target (reached)"]
    headers += ["reference", "K − reference", "source"] if reference else []
    first = len(headers)
    headers += [f"{c.label}: best / median K" for c in data.configurations] + [
        "units with a drawing",
        "found by",
    ]
    cut = (
        f" {len(order)} of {len(instances):,} instances, those with the largest gap."
        if len(order) < len(instances)
        else ""
    )
    parts.append(
        page.table(
            "Best verified tuple of each instance; smaller is better. gap = K − lower bound of the graph. "
            "Median K over units with "
            "a drawing, the lower of two middle values." + cut,
            headers,
            [best_row(data, sha256, reference) for sha256 in order],
            numeric={
                1,
                2,
                3,
                4,
                5,
                6,
                *((8, 9) if reference else ()),
                *range(first, first + len(data.configurations)),
            },
        )
    )
    return parts


def failures(data):
    runs = data.runs
    bad = runs[runs.status.isin(["failed", "rejected"])]
    parts = []
    if len(bad):
        reasons = bad.groupby(["status", "error"], sort=False).size().sort_values(ascending=False)
        limit = data.limits.rows // 4
        rows = []
        for (status, reason), count in reasons.head(limit).items():
            some = bad[(bad.status == status) & (bad.error == reason)]
            examples = [
                f"{data.configurations[unit.configuration].label}: {unit.name} seed {unit.repetition}"
                for unit in some.head(3).itertuples()
            ]
            rows.append(
                [
                    status,
                    f"{count:,}",
                    reason or "no reason was stored",
                    several(examples) + (f" and {count - 3:,} more" if count > 3 else ""),
                ]
            )
        cut = f" The {limit} most frequent of {len(reasons):,} reasons." if len(reasons) > limit else ""
        parts.append(
            page.table(
                f"{counted(len(bad), 'unit')} of {len(runs):,} without a result, by reason.{cut}",
                ["status", "units", "reason", "which"],
                rows,
                numeric={1},
                wide={2, 3},
            )
        )
    else:
        parts.append(page.absent(f"None of the {len(runs):,} units failed or was rejected."))
    stopped = int((runs.status == "interrupted").sum())
    if stopped:
        parts.append(
            page.paragraph(
                f"{counted(stopped, 'unit')} stopped early (interrupted): the drawings count, the time to a "
                "target is censored where they stopped."
            )
        )
    aimed = runs[runs.target_K >= 0]
    if len(aimed):
        missed = aimed[~aimed.target_reached.astype(bool)]
        parts.append(
            page.paragraph(
                f"{len(missed):,} of {counted(len(aimed), 'unit')} with a target ended without it (timeouts "
                "and failures)"
                + (": " if len(missed) else ".")
                + several((f"{name} {count:,}" for name, count in missed.name.value_counts().items()), 8)
            )
        )
    return parts


def signed(value):
    return f"{value:+g}" if value else "0"


def interval_text(summary):
    median, low, high = summary
    return signed(median) + (
        f" [{signed(low)}, {signed(high)}]" if numpy.isfinite(low) else " [too few pairs]"
    )


def differences(data, baseline):
    if len(data.configurations) < 2:
        return [page.absent("One configuration only: there is nothing to compare.")]
    label = data.configurations[baseline].label
    rows, panels, roots = [], [], False
    for index, configuration in enumerate(data.configurations):
        if index == baseline:
            continue
        table = pairs(data.runs, baseline, index)
        if table.empty:
            rows.append([f"{configuration.label} − {label}", "0"] + ["–"] * 5)
            continue
        roots |= bool((table.root_seed_a != table.root_seed_b).any())
        drawn = table[table.difference.notna()]
        by_tuple, by_K = sign_test(table.outcome), sign_test(numpy.sign(drawn.difference).to_numpy())
        summary = interval_text(median_interval(drawn.difference)) if len(drawn) else "–"
        rows.append(
            [
                f"{configuration.label} − {label}",
                f"{len(table):,}",
                f"{len(table) - len(drawn):,}",
                *(
                    f"{v.better:,} / {v.equal:,} / {v.worse:,}" + (f" (p = {v.p:.2g})" if v.p == v.p else "")
                    for v in (by_K, by_tuple)
                ),
                summary,
            ]
        )
        dots = []
        for sha256 in data.shown:
            own = drawn[drawn.instance_sha256 == sha256].sort_values("repetition")
            if own.empty:
                continue
            verdict = sign_test(numpy.sign(own.difference).to_numpy())
            dots.append(
                (
                    data.name(sha256),
                    [
                        (
                            index,
                            own.difference.head(MAX_DOTS).to_numpy(),
                            f"{verdict.better} better, {verdict.equal} equal, {verdict.worse} worse",
                            median_interval(own.difference),
                        )
                    ],
                )
            )
        if dots:
            title = f"K of {configuration.label} minus K of {label}"
            description = "; ".join(
                f"{name}: {text}, median {interval_text(summary)}" for name, [(_, _, text, summary)] in dots
            )
            figures.row_dots(
                panels,
                f"{title}. {description}",
                dots,
                f"← {figures.shortened(configuration.label, 30)} is better",
                centre=0,
            )
            panels[-1] = (title, f"{len(drawn):,} pairs with two drawings", panels[-1])
    parts = [
        page.table(
            f"Pairs of units with the same instance and seed, against {label}; better / equal / worse "
            "counts the other configuration, p of the exact two-sided sign test (ties left out, pairs "
            "taken as independent). A unit without a drawing loses by its tuple. Median of the differences "
            "in K with an interval of at least 95 %.",
            ["comparison", "pairs", "with a failure", "by K", "by tuple (K, n_K, Φ, C)", "median ΔK"],
            rows,
            numeric={1, 2},
        )
    ]
    if roots:
        parts.append(page.warning("The root seeds differ: pairs do not share their start drawings."))
    if panels:
        cut = (
            f" The first {MAX_DOTS} pairs of an instance are drawn."
            if data.runs.groupby(["configuration", "instance_sha256"]).size().max() > MAX_DOTS
            else ""
        )
        parts.append(
            page.figure(
                panels,
                "Differences in K of single pairs by instance: one dot a pair, equal differences on top "
                "of each other, ties at 0. The diamond is the median, the bar its interval of at least 95 % "
                f"(order statistics; it needs six pairs).{cut}{data.shown_note}",
                [
                    (page.swatch("#555555", marker="dot"), "a pair"),
                    (page.swatch(figures.INK, marker="diamond"), "median and interval"),
                ],
            )
        )
    else:
        parts.append(page.absent("No pair of units has two drawings."))
    return parts
