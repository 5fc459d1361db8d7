#pragma once
#include <vector>

#include "graph/graph.hpp"
#include "layout/layout.hpp"

namespace lcn {

// The connected components, each with its vertices ascending; ordered by smallest vertex.
std::vector<std::vector<VertexId>> connected_components(const Graph& graph);

// One component as a graph of its own: local vertex i is vertices[i].
Graph component_graph(const Graph& graph, const std::vector<VertexId>& vertices);

// Lays out each component alone by `draw` (which returns a layout of the component's graph) and packs the
// boxes in rows, larger components first. A box is stretched or shrunk to the area of its number of vertices,
// with a gap around it; the shape inside is kept. One component is returned as it is drawn.
template <class Draw>
Layout layout_components(const Graph& graph, Draw draw);

// The packing behind layout_components: parts[i] lays out components[i].
Layout pack_components(const Graph& graph, const std::vector<std::vector<VertexId>>& components,
                       const std::vector<Layout>& parts);

template <class Draw>
Layout layout_components(const Graph& graph, Draw draw) {
  const std::vector<std::vector<VertexId>> components = connected_components(graph);
  if (components.size() == 1) return draw(graph);
  std::vector<Layout> parts;
  for (const auto& component : components) parts.push_back(draw(component_graph(graph, component)));
  return pack_components(graph, components, parts);
}

}  // namespace lcn
