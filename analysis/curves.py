"""Anytime curves: the best K so far of each unit as a step function of time, and its quantiles over units."""

import numpy

MAX_TIMES = 400


def steps_of(trace):
    """(seconds, K) where K falls, from the unit's trace; its other improvements keep K."""
    seconds, K = trace["seconds"], numpy.minimum.accumulate(trace["K"])
    falls = numpy.ones(len(K), dtype=bool)
    falls[1:] = K[1:] < K[:-1]
    return seconds[falls], K[falls]


def value_at(seconds, K, times):
    """Step function at `times`; inf before the first drawing."""
    index = numpy.searchsorted(seconds, times, side="right")
    return numpy.concatenate([[numpy.inf], K])[index]


def quantile_curves(steps, times, levels=(0.25, 0.5, 0.75)):
    """Quantiles over units at each time, float [len(levels), len(times)]. A quantile is one of the observed
    values (the smallest that at least that share of the units has reached), inf where too few units have a
    drawing.
    """
    values = numpy.sort(numpy.array([value_at(seconds, K, times) for seconds, K in steps]), axis=0)
    index = [max(0, int(numpy.ceil(level * len(steps))) - 1) for level in levels]
    return values[index]


def times_for(steps, end):
    """Where the curves are looked at: every change up to `end`, or MAX_TIMES of them."""
    changes = numpy.unique(numpy.concatenate([seconds for seconds, _ in steps] or [numpy.array([])]))
    changes = changes[changes <= end]
    if len(changes) > MAX_TIMES:
        changes = changes[numpy.linspace(0, len(changes) - 1, MAX_TIMES).round().astype(int)]
    return numpy.append(changes, end)
