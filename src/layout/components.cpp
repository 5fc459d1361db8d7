#include "layout/components.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lcn {

std::vector<std::vector<VertexId>> connected_components(const Graph& graph) {
  std::vector<std::vector<VertexId>> components;
  std::vector<char> seen(static_cast<std::size_t>(graph.n()), 0);
  for (VertexId root = 0; root < graph.n(); ++root) {
    if (seen[static_cast<std::size_t>(root)]) continue;
    std::vector<VertexId> component{root};
    seen[static_cast<std::size_t>(root)] = 1;
    for (std::size_t i = 0; i < component.size(); ++i) {
      for (const Incidence& incidence : graph.incident(component[i])) {
        char& mark = seen[static_cast<std::size_t>(incidence.neighbour)];
        if (!mark) component.push_back(incidence.neighbour);
        mark = 1;
      }
    }
    std::sort(component.begin(), component.end());
    components.push_back(std::move(component));
  }
  return components;
}

Graph component_graph(const Graph& graph, const std::vector<VertexId>& vertices) {
  const auto local = [&](VertexId v) {
    return static_cast<VertexId>(std::lower_bound(vertices.begin(), vertices.end(), v) - vertices.begin());
  };
  std::vector<Edge> edges;
  for (VertexId v : vertices) {
    for (const Incidence& incidence : graph.incident(v)) {
      if (v < incidence.neighbour) edges.push_back({local(v), local(incidence.neighbour)});
    }
  }
  return Graph::from_edges(static_cast<VertexId>(vertices.size()), std::move(edges));
}

Layout pack_components(const Graph& graph, const std::vector<std::vector<VertexId>>& components,
                       const std::vector<Layout>& parts) {
  std::vector<std::size_t> order(components.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return components[a].size() > components[b].size(); });
  const double row_width = 1.2 * std::sqrt(static_cast<double>(graph.n()));
  Layout layout;
  layout.x.assign(static_cast<std::size_t>(graph.n()), 0.0);
  layout.y = layout.x;
  double left = 0, bottom = 0, row_height = 0;
  for (std::size_t i : order) {
    const Layout& part = parts[i];
    const auto [low_x, high_x] = std::minmax_element(part.x.begin(), part.x.end());
    const auto [low_y, high_y] = std::minmax_element(part.y.begin(), part.y.end());
    const double width = *high_x - *low_x, height = *high_y - *low_y, longer = std::max(width, height);
    // A thin part counts as a box of at least a tenth of its length, so that paths do not become endless.
    const double area = std::max(width, longer / 10) * std::max(height, longer / 10);
    const double scale = area > 0 ? std::sqrt(static_cast<double>(components[i].size()) / area) : 0;
    if (left > 0 && left + width * scale > row_width) {
      left = 0;
      bottom += row_height + 1;
      row_height = 0;
    }
    for (std::size_t k = 0; k < components[i].size(); ++k) {
      const auto v = static_cast<std::size_t>(components[i][k]);
      layout.x[v] = left + (part.x[k] - *low_x) * scale;
      layout.y[v] = bottom + (part.y[k] - *low_y) * scale;
    }
    left += width * scale + 1;
    row_height = std::max(row_height, height * scale);
  }
  return layout;
}

}  // namespace lcn
