#include "layout/conflicts.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "geometry/predicates.hpp"

namespace lcn {

ConflictState::ConflictState(const Graph& graph, const Grid& grid)
    : graph_(graph),
      occupancy_(grid, graph.n()),
      positions_(static_cast<std::size_t>(graph.n())),
      placed_(static_cast<std::size_t>(graph.n()), 0) {}

void ConflictState::place(VertexId v, const Point& p) {
  occupancy_.set(p, v);
  positions_[static_cast<std::size_t>(v)] = p;
  placed_[static_cast<std::size_t>(v)] = 1;
}

void ConflictState::remove(VertexId v) {
  occupancy_.set(position(v), Occupancy::kFree);
  placed_[static_cast<std::size_t>(v)] = 0;
}

bool ConflictState::lies_on(VertexId v, const Edge& edge) const {
  const Point &a = position(edge.a), &b = position(edge.b), &p = position(v);
  return point_on_segment<std::int64_t>(a.x, a.y, b.x, b.y, p.x, p.y);
}

void ConflictState::vertices_on(EdgeId e, std::vector<Conflict>& found) const {
  const Edge& edge = graph_.edge(e);
  if (!placed(edge.a) || !placed(edge.b)) return;
  const Point &a = position(edge.a), &b = position(edge.b);
  const std::int64_t steps = std::gcd(std::abs(b.x - a.x), std::abs(b.y - a.y));
  // A look at a lattice point costs several times the test of a vertex.
  if (steps <= std::max(graph_.n() / 8, 4)) {
    const std::int64_t dx = (b.x - a.x) / steps, dy = (b.y - a.y) / steps;
    for (std::int64_t i = 1; i < steps; ++i) {
      const VertexId u = occupancy_.at({a.x + i * dx, a.y + i * dy});
      if (u != Occupancy::kFree) found.push_back({u, e});
    }
    return;
  }
  for (VertexId u = 0; u < graph_.n(); ++u) {  // an axis-parallel edge, say, on a large grid
    if (u == edge.a || u == edge.b || !placed(u)) continue;
    if (lies_on(u, edge)) found.push_back({u, e});
  }
}

void ConflictState::conflicts_of(VertexId v, std::vector<Conflict>& found) const {
  for (const Incidence& incidence : graph_.incident(v)) vertices_on(incidence.edge, found);
  const Point p = position(v);
  for (EdgeId e = 0; e < graph_.m(); ++e) {
    const Edge& edge = graph_.edge(e);
    const Point &a = position(edge.a), &b = position(edge.b);
    // The box first: it rejects nearly all edges.
    if ((a.x < p.x && b.x < p.x) || (a.x > p.x && b.x > p.x)) continue;
    if ((a.y < p.y && b.y < p.y) || (a.y > p.y && b.y > p.y)) continue;
    if (orientation<std::int64_t>(a.x, a.y, b.x, b.y, p.x, p.y) != 0) continue;
    if (edge.a != v && edge.b != v && placed(edge.a) && placed(edge.b)) found.push_back({v, e});
  }
}

}  // namespace lcn
