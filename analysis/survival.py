"""Times to a target, of which some are censored: Kaplan and Meier (1958), interval by Brookmeyer and Crowley
(1982).
"""

import math

import numpy
import scipy.stats


def kaplan_meier(times, reached):
    """Where the share of units without the target falls: (times, at risk, reached there, share after it,
    variance of ln(-ln share)), arrays with one entry per distinct time with an event. At equal times
    events come before censorings; the variance (Greenwood's, transformed) is nan where the share is 0.
    """
    times, reached = numpy.asarray(times, dtype=float), numpy.asarray(reached, dtype=bool)
    at, events = numpy.unique(times[reached], return_counts=True)
    at_risk = len(times) - numpy.searchsorted(numpy.sort(times), at, side="left")
    share = numpy.cumprod(1 - events / at_risk)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        variance = numpy.cumsum(events / (at_risk * (at_risk - events))) / numpy.log(share) ** 2
    return at, at_risk, events, share, numpy.where(share > 0, variance, numpy.nan)


def median_time(times, reached, level=0.95):
    """(median, low, high) in the units of `times`; inf where the curve, or its limit, never comes down to
    1/2.

    The limits are those of the share by the log-minus-log transform; where it is 0, so are they.
    """
    at, _, _, share, variance = kaplan_meier(times, reached)
    spread = numpy.exp(scipy.stats.norm.ppf(0.5 + level / 2) * numpy.sqrt(numpy.nan_to_num(variance)))

    def first(curve):
        below = numpy.flatnonzero(curve <= 0.5 + 1e-12)
        return float(at[below[0]]) if below.size else math.inf

    return first(share), first(share**spread), first(share ** (1 / spread))


def follow_up(runs, budget, by_steps=False):
    """(time, reached) of each unit with a target. A unit that ended without its target is censored at its own
    end; a failed or rejected one counts as not having reached it up to `budget`: it is not dropped for
    failing early. With a budget of steps alone a unit that used it up ends early because it was fast, which
    says nothing of the target: it too counts as not having reached it up to `budget`, the longest unit's end.
    """
    reached = runs.target_reached.to_numpy(bool)
    whole = ["failed", "rejected"] + (["ok"] if by_steps else [])
    ended = numpy.where(runs.status.isin(whole), budget, runs.wall_time)
    return numpy.where(reached, runs.time_to_target, ended), reached
