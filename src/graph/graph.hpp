#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace lcn {

using VertexId = std::int32_t;
using EdgeId = std::int32_t;

struct Edge {
  VertexId a = 0, b = 0;
  friend bool operator==(const Edge&, const Edge&) = default;
};

// One entry of a vertex's adjacency: the vertex at the other end, and the edge that leads there.
struct Incidence {
  VertexId neighbour;
  EdgeId edge;
};

// A simple undirected graph on vertices 0..n-1, immutable. Edges keep the order in which they were given.
class Graph {
 public:
  Graph() = default;
  // Throws Error(input) naming the edge's index for an end point outside 0..n-1, a self-loop, or a duplicate
  // (in either direction). n = 0 and m = 0 are legal graphs.
  static Graph from_edges(VertexId n, std::vector<Edge> edges);

  VertexId n() const { return n_; }
  EdgeId m() const { return static_cast<EdgeId>(edges_.size()); }
  const std::vector<Edge>& edges() const { return edges_; }
  const Edge& edge(EdgeId e) const { return edges_[static_cast<std::size_t>(e)]; }
  std::int32_t degree(VertexId v) const { return offsets_[v + 1] - offsets_[v]; }
  std::int32_t max_degree() const;
  // Ordered by edge id.
  std::span<const Incidence> incident(VertexId v) const {
    return {incidences_.data() + offsets_[v], static_cast<std::size_t>(degree(v))};
  }
  // CSR arrays: offsets has n + 1 entries.
  const std::vector<std::int32_t>& offsets() const { return offsets_; }
  const std::vector<Incidence>& incidences() const { return incidences_; }

 private:
  VertexId n_ = 0;
  std::vector<Edge> edges_;
  std::vector<std::int32_t> offsets_{0};
  std::vector<Incidence> incidences_;
};

}  // namespace lcn
