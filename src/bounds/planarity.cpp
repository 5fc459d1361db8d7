#include "bounds/planarity.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boyer_myrvold_planar_test.hpp>
#include <cstdint>
#include <numeric>
#include <utility>

#include "bounds/subgraph.hpp"

namespace lcn {
namespace {

// The first non-planar block of a non-planar graph, whose vertex i is called names[i] (ascending) outside.
std::vector<VertexId> non_planar_block(const Graph& graph, const std::vector<VertexId>& names) {
  SubgraphMaker maker(graph);
  for (std::vector<VertexId>& block : biconnected_blocks(graph, 5)) {
    if (is_planar(maker.induced(block))) continue;
    for (VertexId& v : block) v = names[static_cast<std::size_t>(v)];
    return std::move(block);
  }
  return names;
}

}  // namespace

bool is_planar(const Graph& graph) {
  if (graph.n() < 5 || graph.m() < 9) return true;
  if (std::int64_t{graph.m()} > 3 * std::int64_t{graph.n()} - 6) return false;
  using BoostGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS,
                                           boost::property<boost::vertex_index_t, int>>;
  BoostGraph boost_graph(static_cast<std::size_t>(graph.n()));
  for (const Edge& edge : graph.edges())
    boost::add_edge(static_cast<std::size_t>(edge.a), static_cast<std::size_t>(edge.b), boost_graph);
  return boost::boyer_myrvold_planarity_test(boost_graph);
}

std::vector<VertexId> small_non_planar_subgraph(const Graph& graph) {
  std::int64_t work = 300'000;  // vertices and edges that may be tested: a few tenths of a second
  SubgraphMaker maker(graph);
  std::vector<VertexId> vertices(static_cast<std::size_t>(graph.n()));
  std::iota(vertices.begin(), vertices.end(), 0);
  for (std::size_t chunk = vertices.size() / 2; chunk > 0 && work > 0;
       chunk = std::min(chunk, vertices.size()) / 2) {
    for (std::size_t start = 0; start < vertices.size() && work > 0;) {
      std::vector<VertexId> rest = vertices;
      const auto first = rest.begin() + static_cast<std::ptrdiff_t>(start);
      rest.erase(first, first + static_cast<std::ptrdiff_t>(std::min(chunk, vertices.size() - start)));
      const Graph candidate = maker.induced(rest);
      work -= std::int64_t{candidate.n()} + candidate.m();
      if (is_planar(candidate))
        start += chunk;
      else
        vertices = std::move(rest);
    }
    vertices = non_planar_block(maker.induced(vertices), vertices);
  }
  return vertices;
}

}  // namespace lcn
