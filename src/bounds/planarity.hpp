#pragma once
#include <vector>

#include "graph/graph.hpp"

namespace lcn {

// Boyer and Myrvold's planarity test (Boost.Graph), O(n + m).
bool is_planar(const Graph& graph);

// Vertices, ascending, of a small non-planar induced subgraph of a non-planar graph: chunks of vertices,
// halved in size from pass to pass, are dropped while the rest stays non-planar, within a fixed amount of
// work. Not always minimal. Deterministic. (Boost's extraction of a Kuratowski subgraph reads an unset
// variable in some versions.)
std::vector<VertexId> small_non_planar_subgraph(const Graph& graph);

}  // namespace lcn
