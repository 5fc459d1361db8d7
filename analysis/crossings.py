"""Exact crossings of every edge of a drawing, counted from its coordinates."""

import numpy

MAX_COORDINATE = 2**30  # a turn is then a difference of two products of at most 2^60, exact in int64
VALUES_AT_ONCE = 2_000_000
BLOCK = 1024  # edges


def sides(points, edges):
    """int8 [n, m]: on which side of the line through each edge each vertex is; 0 on the line."""
    (x, y), (a, b) = points.T, edges.T
    dx, dy = x[b] - x[a], y[b] - y[a]
    result = numpy.empty((len(points), len(edges)), dtype=numpy.int8)
    rows = max(1, VALUES_AT_ONCE // max(1, len(edges)))
    for first in range(0, len(points), rows):
        v = slice(first, first + rows)
        result[v] = numpy.sign(dx * (y[v, None] - y[a]) - dy * (x[v, None] - x[a]))
    return result


def crossing_counts(points, edges):
    """c(e) as int64 [m] for integer points [n, 2] and edges [m, 2].

    Two edges cross when the line of each strictly separates the ends of the other: what shares an end point,
    touches or overlaps has a vertex on a line. Needs n m bytes; time grows with m (n + m). ValueError for
    coordinates outside 0..MAX_COORDINATE.
    """
    points = numpy.asarray(points, dtype=numpy.int64).reshape(-1, 2)
    edges = numpy.asarray(edges, dtype=numpy.int64).reshape(-1, 2)
    if points.size and (points.min() < 0 or points.max() > MAX_COORDINATE):
        raise ValueError(f"a coordinate is outside 0..{MAX_COORDINATE}")
    side, (a, b) = sides(points, edges), edges.T
    counts = numpy.zeros(len(edges), dtype=numpy.int64)
    blocks = [slice(first, first + BLOCK) for first in range(0, len(edges), BLOCK)]

    def separated(ends, lines):
        """Whether the ends of each edge of one block are on different sides of each line of another."""
        return side[a[ends], lines] * side[b[ends], lines] < 0

    for i, first in enumerate(blocks):
        for second in blocks[i:]:
            crossing = separated(first, second) & separated(second, first).T
            counts[first] += crossing.sum(axis=1)
            if second is not first:
                counts[second] += crossing.sum(axis=0)
    return counts


def tuple_of(counts):
    """(K, n_K, Phi, C) as Python integers; n_K is 0 when K is 0."""
    if len(counts) == 0 or counts.max() == 0:
        return 0, 0, 0, 0
    K = int(counts.max())
    return K, int((counts == K).sum()), int((counts**2).sum()), int(counts.sum()) // 2
