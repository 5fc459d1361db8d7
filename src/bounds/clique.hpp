#pragma once
#include <vector>

#include "bounds/subgraph.hpp"
#include "graph/graph.hpp"

namespace lcn {

// The largest clique found, ascending: greedy along the peeling order, then branch and bound with greedy
// colouring (Tomita and Seki 2003) until a fixed amount of work is spent. Deterministic; often, not always, a
// maximum clique.
std::vector<VertexId> large_clique(const Graph& graph, const Peeling& peeling);

}  // namespace lcn
