#include "graph/graph.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "support/error.hpp"
#include "support/plural.hpp"

namespace lcn {
namespace {

void check_ends(VertexId n, const std::vector<Edge>& edges) {
  for (std::size_t e = 0; e < edges.size(); ++e) {
    for (VertexId v : {edges[e].a, edges[e].b})
      if (v < 0 || v >= n)
        throw input_error(fmt::format("edge {} names vertex {}, but the graph has {} (ids count from 0)", e,
                                      v, plural(n, "vertex", "vertices")));
    if (edges[e].a == edges[e].b)
      throw input_error(
          fmt::format("edge {} is a self-loop at vertex {} (only simple graphs are drawn)", e, edges[e].a));
  }
}

void check_duplicates(const std::vector<Edge>& edges) {
  struct Key {
    VertexId low, high;
    std::size_t index;
  };
  std::vector<Key> keys;
  keys.reserve(edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e)
    keys.push_back({std::min(edges[e].a, edges[e].b), std::max(edges[e].a, edges[e].b), e});
  std::sort(keys.begin(), keys.end(), [](const Key& s, const Key& t) {
    return s.low != t.low ? s.low < t.low : s.high != t.high ? s.high < t.high : s.index < t.index;
  });
  for (std::size_t i = 1; i < keys.size(); ++i)
    if (keys[i].low == keys[i - 1].low && keys[i].high == keys[i - 1].high)
      throw input_error(
          fmt::format("edge {} repeats edge {}: both join {} and {} (only simple graphs are drawn)",
                      keys[i].index, keys[i - 1].index, keys[i].low, keys[i].high));
}

}  // namespace

Graph Graph::from_edges(VertexId n, std::vector<Edge> edges) {
  if (n < 0) throw input_error(fmt::format("a graph cannot have {} vertices", n));
  check_ends(n, edges);
  check_duplicates(edges);
  Graph graph;
  graph.n_ = n;
  graph.offsets_.assign(static_cast<std::size_t>(n) + 1, 0);
  for (const Edge& e : edges) {
    ++graph.offsets_[e.a + 1];
    ++graph.offsets_[e.b + 1];
  }
  for (VertexId v = 0; v < n; ++v) graph.offsets_[v + 1] += graph.offsets_[v];
  graph.incidences_.resize(2 * edges.size());
  std::vector<std::int32_t> next(graph.offsets_.begin(), graph.offsets_.end() - 1);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    graph.incidences_[next[edges[e].a]++] = {edges[e].b, static_cast<EdgeId>(e)};
    graph.incidences_[next[edges[e].b]++] = {edges[e].a, static_cast<EdgeId>(e)};
  }
  graph.edges_ = std::move(edges);
  return graph;
}

std::int32_t Graph::max_degree() const {
  std::int32_t most = 0;
  for (VertexId v = 0; v < n_; ++v) most = std::max(most, degree(v));
  return most;
}

}  // namespace lcn
