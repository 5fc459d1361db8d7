#pragma once
#include <cstdint>

#include "graph/generators.hpp"
#include "random/stream.hpp"

namespace lcn {

// n distinct uniform points of a grid of side 1,000,000; an edge joins two points at most `radius` apart
// (grid units, compared as integers). The points are returned as the drawing. Expected O(n + m).
GeneratedGraph geometric_graph(VertexId n, std::int64_t radius, Stream stream);
inline constexpr std::int64_t kGeometricSide = 1'000'000;

// Every vertex has degree d: random pairing of half-edges that refuses loops and repeats and starts again
// when it is stuck (Steger and Wormald 1999); the complement for d > n / 2. Needs d < n and n * d even.
Graph regular_graph(VertexId n, VertexId d, Stream stream);

// Preferential attachment (Barabasi and Albert 1999) from a star of m + 1 vertices: m (n - m) edges. Needs m
// < n.
Graph barabasi_albert_graph(VertexId n, VertexId m, Stream stream);

// n distinct random points of a grid of side 8 ceil(sqrt(n)); short straight edges in random order, each
// added if it meets no vertex and leaves every edge with at most k crossings. The drawing is valid and proves
// K <= k.
GeneratedGraph planted_graph(VertexId n, std::int64_t k, Stream stream);

}  // namespace lcn
