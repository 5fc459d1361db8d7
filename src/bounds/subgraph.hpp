#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "graph/graph.hpp"

namespace lcn {

// Induced subgraphs of one graph; its map of vertices is made once, so that many small subgraphs stay cheap.
class SubgraphMaker {
 public:
  explicit SubgraphMaker(const Graph& graph)
      : graph_(graph), place_(static_cast<std::size_t>(graph.n()), -1) {}
  // Vertex i of the result is vertices[i] (distinct). O(sum of their degrees).
  Graph induced(const std::vector<VertexId>& vertices);

 private:
  const Graph& graph_;
  std::vector<VertexId> place_;
};

// The biconnected blocks with at least `least` vertices, each as its vertices in ascending order; an edge
// between two vertices of a block belongs to it. O(n + m) and a sort; deterministic, without recursion.
std::vector<std::vector<VertexId>> biconnected_blocks(const Graph& graph, std::size_t least);

// Vertices in the order in which one of smallest remaining degree is removed (Matula and Beck 1983), O(n +
// m). order[i..n) is the i-th subgraph: the densest found, and the cores, are among them.
struct Peeling {
  std::vector<VertexId> order;
  std::vector<EdgeId> edges_from;  // n + 1 entries: edges of the subgraph induced by order[i..n)
  std::vector<VertexId> place;     // place[order[i]] = i
};
Peeling min_degree_peeling(const Graph& graph);

// Sides 0 and 1 of a bipartite graph (the lowest vertex of a component is on side 0), or none.
std::optional<std::vector<std::uint8_t>> bipartite_sides(const Graph& graph);

}  // namespace lcn
