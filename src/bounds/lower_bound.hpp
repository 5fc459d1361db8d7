#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.hpp"

namespace lcn {

// Proof of a bound: the rule (named as in docs/bounds.md) and the subgraph of n vertices and m edges it
// applies to.
struct Certificate {
  std::string
      rule;  // "planar" (value 0), "non-planar" (1), "density-k" (k + 1), "crossing-lemma", "clique", ...
  std::int64_t n = 0, m = 0;
  std::vector<VertexId> vertices;  // ascending; all vertices of the subgraph
};

struct LowerBound {
  std::int64_t value = 0;  // no drawing of the graph has K below this
  bool planar = false;     // value 0 is then attained (on a large enough grid)
  Certificate certificate;
};

// Best bound over the rules of docs/bounds.md: planarity of the blocks, density and crossing lemma over the
// min-degree peeling order of each block and of the whole, their bipartite forms, cliques. Of equal bounds
// the one with the smaller subgraph. Deterministic. O(n + m) apart from the clique search and the shrinking
// of a non-planar subgraph, which have fixed work limits (below half a second each).
LowerBound lower_bound(const Graph& graph);

}  // namespace lcn
