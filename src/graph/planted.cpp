#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "geometry/predicates.hpp"
#include "graph/random_families.hpp"

namespace lcn {
namespace {

constexpr std::int64_t kCell = 8;  // grid units; about one vertex per cell

// Vertices and edges by cell. An edge is listed in every cell of its bounding box: edges are a few cells
// long.
struct Cells {
  std::int64_t count;  // per side
  std::vector<std::vector<std::int32_t>> vertices, edges;

  explicit Cells(std::int64_t side)
      : count(side),
        vertices(static_cast<std::size_t>(side * side)),
        edges(static_cast<std::size_t>(side * side)) {}

  // Calls visit(cell) for the cells that the box of p and q, widened by `reach` cells, touches.
  template <class Visit>
  void visit_box(const Point& p, const Point& q, std::int64_t reach, Visit visit) const {
    const auto cell = [&](std::int64_t c) { return std::clamp<std::int64_t>(c, 0, count - 1); };
    const std::int64_t left = cell(std::min(p.x, q.x) / kCell - reach),
                       right = cell(std::max(p.x, q.x) / kCell + reach);
    const std::int64_t low = cell(std::min(p.y, q.y) / kCell - reach),
                       high = cell(std::max(p.y, q.y) / kCell + reach);
    for (std::int64_t y = low; y <= high; ++y)
      for (std::int64_t x = left; x <= right; ++x) visit(static_cast<std::size_t>(y * count + x));
  }
};

class Planter {
 public:
  Planter(std::int64_t k, std::int64_t cells, Drawing points)
      : k_(k), cells_(cells), points_(std::move(points)) {
    for (std::size_t v = 0; v < points_.size(); ++v)
      cells_.visit_box(points_[v], points_[v], 0,
                       [&](std::size_t cell) { cells_.vertices[cell].push_back(static_cast<VertexId>(v)); });
  }

  std::vector<Edge> candidates() const {
    const std::int64_t reach = std::min<std::int64_t>(2 + k_ / 4, 6);  // more crossings allow longer edges
    std::vector<Edge> pairs;
    for (VertexId u = 0; u < static_cast<VertexId>(points_.size()); ++u)
      cells_.visit_box(points_[u], points_[u], reach, [&](std::size_t cell) {
        for (VertexId v : cells_.vertices[cell])
          if (u < v) pairs.push_back({u, v});
      });
    return pairs;
  }

  void add_if_allowed(const Edge& edge) {
    const Point p = points_[edge.a], q = points_[edge.b];
    bool allowed = true;
    std::vector<EdgeId> crossed;
    cells_.visit_box(p, q, 0, [&](std::size_t cell) {
      for (VertexId v : cells_.vertices[cell]) {
        const Point r = points_[v];
        if (v != edge.a && v != edge.b && point_on_segment(p.x, p.y, q.x, q.y, r.x, r.y)) allowed = false;
      }
      for (EdgeId f : cells_.edges[cell]) {
        const Edge other = edges_[f];
        if (other.a == edge.a || other.a == edge.b || other.b == edge.a || other.b == edge.b) continue;
        const Point r = points_[other.a], s = points_[other.b];
        if (segments_cross(p.x, p.y, q.x, q.y, r.x, r.y, s.x, s.y)) crossed.push_back(f);
      }
    });
    if (!allowed) return;
    std::sort(crossed.begin(), crossed.end());
    crossed.erase(std::unique(crossed.begin(), crossed.end()), crossed.end());
    if (std::ssize(crossed) > k_) return;
    for (EdgeId f : crossed)
      if (crossings_[f] == k_) return;
    for (EdgeId f : crossed) ++crossings_[f];
    const auto id = static_cast<EdgeId>(edges_.size());
    edges_.push_back(edge);
    crossings_.push_back(std::ssize(crossed));
    cells_.visit_box(p, q, 0, [&](std::size_t cell) { cells_.edges[cell].push_back(id); });
  }

  const std::vector<Edge>& edges() const { return edges_; }
  const Drawing& points() const { return points_; }

 private:
  std::int64_t k_;
  Cells cells_;
  Drawing points_;
  std::vector<Edge> edges_;
  std::vector<std::int64_t> crossings_;
};

}  // namespace

GeneratedGraph planted_graph(VertexId n, std::int64_t k, Stream stream) {
  std::int64_t cells = 1;
  while (cells * cells < n) ++cells;
  const std::int64_t side = kCell * cells;
  Drawing points;
  std::set<std::pair<std::int64_t, std::int64_t>> taken;
  while (points.size() < static_cast<std::size_t>(n)) {
    const Point p{stream.between(0, side), stream.between(0, side)};
    if (taken.insert({p.x, p.y}).second) points.push_back(p);
  }
  Planter planter(k, cells, std::move(points));
  std::vector<Edge> candidates = planter.candidates();
  stream.shuffle(candidates);
  for (const Edge& edge : candidates) planter.add_if_allowed(edge);
  return {Graph::from_edges(n, planter.edges()), {side, side}, planter.points()};
}

}  // namespace lcn
