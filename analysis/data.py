"""What all sections of a report share: the rows, the best unit of each instance, and which instances are
shown.
"""

import dataclasses

import pandas

from comparison import TUPLE
from sources import AnalysisError, all_runs


@dataclasses.dataclass
class Limits:
    instances: int = 12  # with a panel in each figure
    drawings: int = 6
    units: int = 50  # whose tables (trace, replicas) are read, per configuration and instance
    rows: int = 200  # of a table
    only: tuple = ()


class Data:
    """configurations; runs: all rows (sources.all_runs); instances: one row per instance, indexed by sha256;
    best: its best unit (smallest tuple, then first row), for those that have a drawing; shown: sha256 of
    those in figures.
    """

    def __init__(self, configurations, limits):
        self.configurations, self.limits = configurations, limits
        self.runs = runs = all_runs(configurations)
        drawn = runs[runs.K >= 0]
        self.best = (
            drawn.sort_values(TUPLE, kind="stable")
            .drop_duplicates("instance_sha256")
            .set_index("instance_sha256", drop=False)
        )
        grouped = runs.groupby("instance_sha256", sort=False)
        self.places = grouped.indices
        self.instances = pandas.DataFrame(
            {"name": grouped.name.first(), "bound": grouped.lower_bound.max(), "units": grouped.size()}
        )
        self.instances["drawn"] = drawn.groupby("instance_sha256").size()
        self.instances["K"] = self.best.K
        self.instances["gap"] = self.instances.K - self.instances.bound
        self.instances.drawn = self.instances.drawn.fillna(0).astype(int)
        self.shown, self.shown_note = self.choose(limits)

    def choose(self, limits):
        instances = self.instances[self.instances.K.notna()]
        if limits.only:
            unknown = sorted(set(limits.only) - set(instances.name))
            if unknown:
                raise AnalysisError(f"--only {unknown[0]}: no instance with a drawing has this name")
            return list(instances.index[instances.name.isin(limits.only)]), ""
        if len(instances) <= limits.instances:
            return list(instances.index), ""
        worst = instances.sort_values(["gap", "units"], ascending=False, kind="stable").index[
            : limits.instances
        ]
        return list(worst), (
            f" Shown are {len(worst)} of {len(instances):,} instances, those with the largest gap between "
            "best K and lower bound (--only NAME or --instances N choose others)."
        )

    def of(self, sha256):
        """All rows of an instance."""
        return self.runs.iloc[self.places[sha256]]

    def name(self, sha256):
        return self.instances.name[sha256]

    def units(self, configuration, sha256, limited=True):
        """Rows of one configuration and instance by repetition; of them at most limits.units."""
        rows = self.of(sha256)
        rows = rows[rows.configuration == configuration].sort_values("repetition", kind="stable")
        return rows.head(self.limits.units) if limited else rows

    def table(self, row, group):
        return self.configurations[row.configuration].archive(row).table(group, row.unit)

    def instance(self, row):
        return self.configurations[row.configuration].archive(row).instance(row.instance_sha256)

    def units_note(self):
        """For captions of figures that read tables of units: says what was left out, if anything was."""
        counts = (
            self.runs[self.runs.instance_sha256.isin(self.shown)]
            .groupby(["configuration", "instance_sha256"])
            .size()
        )
        if counts.max() <= self.limits.units:
            return ""
        count = self.limits.units
        return f" From the first {count} units (by seed) of each configuration and instance (--units N)."
