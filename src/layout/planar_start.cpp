#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

// Boost 1.74's drawing leaves a variable unset on a path that is never taken; GCC sees only the first half.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boyer_myrvold_planar_test.hpp>
#include <boost/graph/chrobak_payne_drawing.hpp>
#include <boost/graph/make_biconnected_planar.hpp>
#include <boost/graph/make_connected.hpp>
#include <boost/graph/make_maximal_planar.hpp>
#include <boost/graph/planar_canonical_ordering.hpp>
#pragma GCC diagnostic pop

#include "bounds/planarity.hpp"
#include "layout/providers.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

using PlanarGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS,
                                          boost::property<boost::vertex_index_t, int>,
                                          boost::property<boost::edge_index_t, int>>;
using EdgeDescriptor = boost::graph_traits<PlanarGraph>::edge_descriptor;
using Embedding = std::vector<std::vector<EdgeDescriptor>>;

struct Coordinate {
  std::size_t x = 0, y = 0;
};

// A vector with one entry per vertex as the property map that Boost.Graph asks for.
template <class T>
auto by_vertex(std::vector<T>& values, const PlanarGraph& graph) {
  return boost::make_iterator_property_map(values.begin(), boost::get(boost::vertex_index, graph));
}

// Numbers the edges anew (augmentation adds some) and embeds; false when the graph is not planar.
bool embed(PlanarGraph& graph, Embedding& embedding) {
  int count = 0;
  for (auto [e, end] = boost::edges(graph); e != end; ++e) boost::put(boost::edge_index, graph, *e, count++);
  embedding.assign(boost::num_vertices(graph), {});
  return boost::boyer_myrvold_planarity_test(
      boost::boyer_myrvold_params::graph = graph,
      boost::boyer_myrvold_params::embedding = by_vertex(embedding, graph));
}

constexpr const char* kNotPlanar =
    "start planar: the graph is not planar (every drawing has a crossing), use another start";

struct Extent {
  std::size_t width, height;
};

// The corners of a maximal planar graph's drawing are (0, 0), (2n - 4, 0) and (n - 2, n - 2); n >= 3.
Extent extent(const LayoutRequest& request) {
  const auto n = static_cast<std::size_t>(request.graph.n());
  return {2 * n - 4, n - 2};
}

bool fits(Extent extent, const Grid& grid, bool upright) {
  const auto width = static_cast<std::size_t>(grid.width), height = static_cast<std::size_t>(grid.height);
  return upright ? extent.width <= width && extent.height <= height
                 : extent.width <= height && extent.height <= width;
}

std::string grid_obstacle(const LayoutRequest& request) {
  if (request.graph.n() < 3) return {};
  const Extent need = extent(request);
  if (fits(need, request.grid, true) || fits(need, request.grid, false)) return {};
  return fmt::format(
      "start planar: a drawing without crossings of {} vertices needs a {} x {} grid (this one is {} x {}) "
      "use another start or a larger grid",
      request.graph.n(), need.width, need.height, request.grid.width, request.grid.height);
}

// Needs at least three vertices. Each augmentation step needs an embedding of the graph as it is then.
std::vector<Coordinate> draw(const LayoutRequest& request) {
  const Graph& graph = request.graph;
  PlanarGraph planar(static_cast<std::size_t>(graph.n()));
  for (const Edge& edge : graph.edges())
    boost::add_edge(static_cast<std::size_t>(edge.a), static_cast<std::size_t>(edge.b), planar);
  Embedding embedding;
  if (!embed(planar, embedding)) throw Error(ErrorKind::unit, kNotPlanar);
  const auto augmented = [&](const char* step) {
    request.checkpoint();
    if (!embed(planar, embedding))
      throw Error(ErrorKind::internal,
                  fmt::format("start planar: the graph is no longer planar after {}", step));
  };
  boost::make_connected(planar);
  augmented("make_connected");
  boost::make_biconnected_planar(planar, by_vertex(embedding, planar));
  augmented("make_biconnected_planar");
  boost::make_maximal_planar(planar, by_vertex(embedding, planar));
  augmented("make_maximal_planar");
  request.checkpoint();
  std::vector<boost::graph_traits<PlanarGraph>::vertex_descriptor> order;
  boost::planar_canonical_ordering(planar, by_vertex(embedding, planar), std::back_inserter(order));
  request.checkpoint();
  std::vector<Coordinate> coordinates(static_cast<std::size_t>(graph.n()));
  boost::chrobak_payne_straight_line_drawing(planar, by_vertex(embedding, planar), order.begin(), order.end(),
                                             by_vertex(coordinates, planar));
  return coordinates;
}

class PlanarStart : public StartProvider {
 public:
  Layout layout(const LayoutRequest& request) const override {
    const auto n = static_cast<std::size_t>(request.graph.n());
    std::vector<Coordinate> points(n);
    if (n == 2) points[1] = {request.grid.width > 0 ? 1u : 0u, request.grid.width > 0 ? 0u : 1u};
    if (n >= 3) {
      if (const std::string reason = grid_obstacle(request); !reason.empty())
        throw Error(ErrorKind::unit, reason);
      points = draw(request);
      if (!fits(extent(request), request.grid, true))
        for (Coordinate& p : points) std::swap(p.x, p.y);
    }
    Layout layout;
    layout.integral = true;
    for (const Coordinate& p : points) {
      layout.x.push_back(static_cast<double>(p.x));
      layout.y.push_back(static_cast<double>(p.y));
    }
    return layout;
  }
  std::string obstacle(const LayoutRequest& request) const override {
    const std::string reason = grid_obstacle(request);
    return reason.empty() && !is_planar(request.graph) ? kNotPlanar : reason;
  }
};

}  // namespace

std::unique_ptr<StartProvider> make_planar_provider(Spec&) {
  return std::make_unique<PlanarStart>();
}

}  // namespace lcn
