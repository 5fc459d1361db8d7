"""Paired differences between two configurations: the same instance and repetition under both."""

import dataclasses

import numpy
import pandas
import scipy.stats

TUPLE = ["K", "n_K", "Phi", "C"]


def pairs(runs, first, second):
    """Units of both configurations side by side, suffixes _a (first) and _b (second), and `outcome`: -1 where
    the second's tuple is better, 1 where it is worse, 0 for a tie. A unit without a drawing loses against
    one with.
    """
    keys = ["instance_sha256", "name", "repetition"]
    columns = keys + TUPLE + ["root_seed"]
    table = pandas.merge(
        runs.loc[runs.configuration == first, columns],
        runs.loc[runs.configuration == second, columns],
        on=keys,
        suffixes=("_a", "_b"),
    )
    outcome = numpy.zeros(len(table), dtype=int)
    present = (table.K_a >= 0) & (table.K_b >= 0)
    for column in TUPLE:
        difference = numpy.sign(table[column + "_b"] - table[column + "_a"])
        outcome = numpy.where(outcome == 0, difference, outcome)
    outcome = numpy.where(present, outcome, (table.K_b < 0).astype(int) - (table.K_a < 0).astype(int))
    return table.assign(outcome=outcome, difference=(table.K_b - table.K_a).where(present))


def median_interval(values, level=0.95):
    """(median, low, high): limits are order statistics, so that the interval holds the true median with at
    least `level` probability whatever the distribution (sign test inverted). nan limits where there are
    too few values.
    """
    values = numpy.sort(numpy.asarray(values, dtype=float))
    median = float(numpy.median(values))
    # the largest r with P(Binomial(n, 1/2) < r) <= (1 - level) / 2
    rank = int(scipy.stats.binom.ppf((1 - level) / 2, len(values), 0.5))
    if rank < 1:
        return median, float("nan"), float("nan")
    return median, float(values[rank - 1]), float(values[-rank])


@dataclasses.dataclass
class Verdict:
    better: int  # second configuration against the first
    equal: int
    worse: int
    p: float  # two-sided exact sign test of better against worse, ties left out; nan without any


def sign_test(outcomes):
    outcomes = numpy.asarray(outcomes)
    better, worse = int((outcomes < 0).sum()), int((outcomes > 0).sum())
    decided = better + worse
    p = scipy.stats.binomtest(better, decided, 0.5).pvalue if decided else float("nan")
    return Verdict(better, len(outcomes) - decided, worse, float(p))
