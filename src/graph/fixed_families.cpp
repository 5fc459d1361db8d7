#include "graph/fixed_families.hpp"

#include <utility>
#include <vector>

namespace lcn {
namespace {

void add_clique(std::vector<Edge>& edges, VertexId first, VertexId size) {
  for (VertexId a = first; a < first + size; ++a)
    for (VertexId b = a + 1; b < first + size; ++b) edges.push_back({a, b});
}

void add_path(std::vector<Edge>& edges, VertexId first, VertexId size) {
  for (VertexId v = first; v + 1 < first + size; ++v) edges.push_back({v, v + 1});
}

void add_spokes(std::vector<Edge>& edges, VertexId n) {
  for (VertexId v = 1; v < n; ++v) edges.push_back({0, v});
}

}  // namespace

Graph grid_graph(VertexId rows, VertexId columns) {
  std::vector<Edge> edges;
  for (VertexId row = 0; row < rows; ++row)
    for (VertexId column = 0; column < columns; ++column) {
      const VertexId v = row * columns + column;
      if (column + 1 < columns) edges.push_back({v, v + 1});
      if (row + 1 < rows) edges.push_back({v, v + columns});
    }
  return Graph::from_edges(rows * columns, std::move(edges));
}

Graph torus_graph(VertexId rows, VertexId columns) {
  std::vector<Edge> edges;
  for (VertexId row = 0; row < rows; ++row)
    for (VertexId column = 0; column < columns; ++column) {
      const VertexId v = row * columns + column;
      edges.push_back({v, row * columns + (column + 1) % columns});
      edges.push_back({v, (row + 1) % rows * columns + column});
    }
  return Graph::from_edges(rows * columns, std::move(edges));
}

Graph complete_graph(VertexId n) {
  std::vector<Edge> edges;
  add_clique(edges, 0, n);
  return Graph::from_edges(n, std::move(edges));
}

Graph complete_bipartite_graph(VertexId a, VertexId b) {
  std::vector<Edge> edges;
  for (VertexId left = 0; left < a; ++left)
    for (VertexId right = 0; right < b; ++right) edges.push_back({left, a + right});
  return Graph::from_edges(a + b, std::move(edges));
}

Graph hypercube_graph(int dimension) {
  const VertexId n = VertexId{1} << dimension;
  std::vector<Edge> edges;
  for (VertexId v = 0; v < n; ++v)
    for (int bit = 0; bit < dimension; ++bit)
      if (const VertexId other = v ^ (VertexId{1} << bit); v < other) edges.push_back({v, other});
  return Graph::from_edges(n, std::move(edges));
}

Graph ring_of_cliques(VertexId count, VertexId size) {
  std::vector<Edge> edges;
  for (VertexId clique = 0; clique < count; ++clique) {
    add_clique(edges, clique * size, size);
    edges.push_back({clique * size + size - 1, (clique + 1) % count * size});
  }
  return Graph::from_edges(count * size, std::move(edges));
}

Graph path_graph(VertexId n) {
  std::vector<Edge> edges;
  add_path(edges, 0, n);
  return Graph::from_edges(n, std::move(edges));
}

Graph cycle_graph(VertexId n) {
  std::vector<Edge> edges;
  add_path(edges, 0, n);
  edges.push_back({n - 1, 0});
  return Graph::from_edges(n, std::move(edges));
}

Graph star_graph(VertexId n) {
  std::vector<Edge> edges;
  add_spokes(edges, n);
  return Graph::from_edges(n, std::move(edges));
}

Graph wheel_graph(VertexId n) {
  std::vector<Edge> edges;
  add_spokes(edges, n);
  add_path(edges, 1, n - 1);
  edges.push_back({n - 1, 1});
  return Graph::from_edges(n, std::move(edges));
}

}  // namespace lcn
