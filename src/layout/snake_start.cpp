#include <cmath>

#include "layout/components.hpp"
#include "layout/providers.hpp"

namespace lcn {
namespace {

// BFS of a connected graph from a random root; neighbours in the order of their edges.
std::vector<VertexId> bfs_order(const Graph& graph, Stream& stream) {
  std::vector<VertexId> order{static_cast<VertexId>(stream.between(0, graph.n() - 1))};
  std::vector<char> seen(static_cast<std::size_t>(graph.n()), 0);
  seen[static_cast<std::size_t>(order[0])] = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const Incidence& incidence : graph.incident(order[i])) {
      char& mark = seen[static_cast<std::size_t>(incidence.neighbour)];
      if (!mark) order.push_back(incidence.neighbour);
      mark = 1;
    }
  }
  return order;
}

// Mean 0 and variance 1: without it averaging would draw all vertices into one point.
void standardise(std::vector<double>& values) {
  double mean = 0, variance = 0;
  for (double value : values) mean += value;
  mean /= static_cast<double>(values.size());
  for (double value : values) variance += (value - mean) * (value - mean);
  variance /= static_cast<double>(values.size());
  const double scale = variance > 0 ? 1 / std::sqrt(variance) : 0;
  for (double& value : values) value = (value - mean) * scale;
}

// Each vertex goes to the middle between its place and the centre of its neighbours, all from one set of
// places.
void average(const Graph& graph, std::vector<double>& values) {
  std::vector<double> next = values;
  for (VertexId v = 0; v < graph.n(); ++v) {
    if (graph.degree(v) == 0) continue;
    double sum = 0;
    for (const Incidence& incidence : graph.incident(v))
      sum += values[static_cast<std::size_t>(incidence.neighbour)];
    double& value = next[static_cast<std::size_t>(v)];
    value = (value + sum / graph.degree(v)) / 2;
  }
  values = std::move(next);
  standardise(values);
}

class SnakeStart : public StartProvider {
 public:
  explicit SnakeStart(std::int64_t rounds) : rounds_(rounds) {}
  Layout layout(const LayoutRequest& request) const override {
    Stream stream(derive_key(request.seed, Purpose::start_snake), request.index);
    return layout_components(request.graph,
                             [&](const Graph& graph) { return connected_layout(graph, stream, request); });
  }

 private:
  Layout connected_layout(const Graph& graph, Stream& stream, const LayoutRequest& request) const {
    const std::vector<VertexId> order = bfs_order(graph, stream);
    const auto side = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(order.size()))));
    Layout layout;
    layout.x.resize(order.size());
    layout.y.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t row = i / side, column = i % side;
      const auto v = static_cast<std::size_t>(order[i]);
      layout.x[v] = static_cast<double>(row % 2 == 0 ? column : side - 1 - column);
      layout.y[v] = static_cast<double>(row);
    }
    for (std::int64_t round = 0; round < rounds_; ++round) {
      request.checkpoint();
      average(graph, layout.x);
      average(graph, layout.y);
    }
    return layout;
  }

  std::int64_t rounds_;
};

}  // namespace

std::unique_ptr<StartProvider> make_snake_provider(Spec& spec) {
  return std::make_unique<SnakeStart>(spec.integer("rounds", 50, 0, 100'000));
}

}  // namespace lcn
