#include "bounds/subgraph.hpp"

#include <algorithm>
#include <utility>

namespace lcn {

Graph SubgraphMaker::induced(const std::vector<VertexId>& vertices) {
  for (std::size_t i = 0; i < vertices.size(); ++i) place_[vertices[i]] = static_cast<VertexId>(i);
  std::vector<Edge> edges;
  for (VertexId v : vertices)
    for (const Incidence& incidence : graph_.incident(v))
      if (v < incidence.neighbour && place_[incidence.neighbour] >= 0)
        edges.push_back({place_[v], place_[incidence.neighbour]});
  for (VertexId v : vertices) place_[v] = -1;
  return Graph::from_edges(static_cast<VertexId>(vertices.size()), std::move(edges));
}

std::vector<std::vector<VertexId>> biconnected_blocks(const Graph& graph, std::size_t least) {
  const auto n = static_cast<std::size_t>(graph.n());
  std::vector<std::int32_t> discovered(n, -1), low(n, -1);
  std::vector<std::vector<VertexId>> blocks;
  std::vector<EdgeId> edges;  // of the blocks that are not complete yet
  struct Frame {
    VertexId vertex;
    EdgeId parent;
    std::size_t next;  // incidence to look at
  };
  std::vector<Frame> stack;
  std::int32_t clock = 0;

  const auto close_block = [&](EdgeId first) {
    std::vector<VertexId> block;
    EdgeId e;
    do {
      e = edges.back();
      edges.pop_back();
      block.insert(block.end(), {graph.edge(e).a, graph.edge(e).b});
    } while (e != first);
    std::sort(block.begin(), block.end());
    block.erase(std::unique(block.begin(), block.end()), block.end());
    if (block.size() >= least) blocks.push_back(std::move(block));
  };

  for (VertexId root = 0; root < graph.n(); ++root) {
    if (discovered[root] >= 0) continue;
    discovered[root] = low[root] = clock++;
    stack.push_back({root, -1, 0});
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const VertexId v = frame.vertex;
      if (frame.next < graph.incident(v).size()) {
        const Incidence incidence = graph.incident(v)[frame.next++];
        const VertexId w = incidence.neighbour;
        if (incidence.edge == frame.parent) continue;
        if (discovered[w] < 0) {
          edges.push_back(incidence.edge);
          discovered[w] = low[w] = clock++;
          stack.push_back({w, incidence.edge, 0});
        } else if (discovered[w] < discovered[v]) {
          edges.push_back(incidence.edge);
          low[v] = std::min(low[v], discovered[w]);
        }
        continue;
      }
      const EdgeId parent = frame.parent;
      stack.pop_back();
      if (stack.empty()) break;
      const VertexId above = stack.back().vertex;
      low[above] = std::min(low[above], low[v]);
      if (low[v] >= discovered[above]) close_block(parent);
    }
  }
  return blocks;
}

Peeling min_degree_peeling(const Graph& graph) {
  // Batagelj and Zaversnik's array of vertices sorted by remaining degree.
  const auto n = static_cast<std::size_t>(graph.n());
  std::vector<std::size_t> bin(static_cast<std::size_t>(graph.max_degree()) + 2, 0);
  std::vector<std::int32_t> degree(n);
  for (VertexId v = 0; v < graph.n(); ++v) ++bin[static_cast<std::size_t>(degree[v] = graph.degree(v)) + 1];
  for (std::size_t d = 1; d < bin.size(); ++d) bin[d] += bin[d - 1];
  Peeling peeling;
  peeling.order.resize(n);
  peeling.place.resize(n);
  {
    std::vector<std::size_t> next = bin;
    for (VertexId v = 0; v < graph.n(); ++v) {
      peeling.place[v] = static_cast<VertexId>(next[static_cast<std::size_t>(degree[v])]++);
      peeling.order[static_cast<std::size_t>(peeling.place[v])] = v;
    }
  }
  std::vector<std::int32_t> later(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const VertexId v = peeling.order[i];
    for (const Incidence& incidence : graph.incident(v)) {
      const VertexId u = incidence.neighbour;
      if (peeling.place[u] > static_cast<VertexId>(i)) ++later[i];
      if (degree[u] <= degree[v]) continue;
      // Swap u with the first vertex of its degree, then let that degree begin one place later.
      std::size_t& begin = bin[static_cast<std::size_t>(degree[u])];
      const VertexId first = peeling.order[begin];
      std::swap(peeling.order[begin], peeling.order[static_cast<std::size_t>(peeling.place[u])]);
      std::swap(peeling.place[first], peeling.place[u]);
      ++begin;
      --degree[u];
    }
  }
  peeling.edges_from.assign(n + 1, 0);
  for (std::size_t i = n; i-- > 0;) peeling.edges_from[i] = peeling.edges_from[i + 1] + later[i];
  return peeling;
}

std::optional<std::vector<std::uint8_t>> bipartite_sides(const Graph& graph) {
  constexpr std::uint8_t kNone = 2;
  std::vector<std::uint8_t> side(static_cast<std::size_t>(graph.n()), kNone);
  std::vector<VertexId> queue;
  for (VertexId root = 0; root < graph.n(); ++root) {
    if (side[root] != kNone) continue;
    side[root] = 0;
    queue.assign(1, root);
    while (!queue.empty()) {
      const VertexId v = queue.back();
      queue.pop_back();
      for (const Incidence& incidence : graph.incident(v)) {
        std::uint8_t& other = side[incidence.neighbour];
        if (other == side[v]) return std::nullopt;
        if (other != kNone) continue;
        other = static_cast<std::uint8_t>(1 - side[v]);
        queue.push_back(incidence.neighbour);
      }
    }
  }
  return side;
}

}  // namespace lcn
