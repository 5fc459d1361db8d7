#include "graph/random_families.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "support/error.hpp"

namespace lcn {
namespace {

// The pairing, or false when the rest of the half-edges cannot be paired any more.
bool pair_half_edges(VertexId n, VertexId d, Stream& stream, std::set<std::pair<VertexId, VertexId>>& pairs) {
  pairs.clear();
  std::vector<VertexId> half_edges;
  for (VertexId v = 0; v < n; ++v) half_edges.insert(half_edges.end(), static_cast<std::size_t>(d), v);
  const auto fits = [&](VertexId u, VertexId v) { return u != v && !pairs.contains(std::minmax(u, v)); };
  while (!half_edges.empty()) {
    stream.shuffle(half_edges);
    std::vector<VertexId> rest;
    for (std::size_t i = 0; i + 1 < half_edges.size(); i += 2) {
      const VertexId u = half_edges[i], v = half_edges[i + 1];
      if (fits(u, v))
        pairs.insert(std::minmax(u, v));
      else
        rest.insert(rest.end(), {u, v});
    }
    if (rest.size() == half_edges.size()) {  // no luck in this round: is there any pair left?
      std::vector<VertexId> vertices = rest;
      std::sort(vertices.begin(), vertices.end());
      vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
      bool possible = false;
      for (std::size_t i = 0; i < vertices.size() && !possible; ++i)
        for (std::size_t j = i + 1; j < vertices.size() && !possible; ++j)
          possible = fits(vertices[i], vertices[j]);
      if (!possible) return false;
    }
    half_edges = std::move(rest);
  }
  return true;
}

}  // namespace

GeneratedGraph geometric_graph(VertexId n, std::int64_t radius, Stream stream) {
  Drawing points;
  std::set<std::pair<std::int64_t, std::int64_t>> taken;
  while (points.size() < static_cast<std::size_t>(n)) {
    const Point p{stream.between(0, kGeometricSide), stream.between(0, kGeometricSide)};
    if (taken.insert({p.x, p.y}).second) points.push_back(p);
  }
  // Vertices by x: the partners of a vertex lie in a window of `radius` behind it.
  std::vector<VertexId> order(points.size());
  for (VertexId v = 0; v < n; ++v) order[v] = v;
  std::sort(order.begin(), order.end(), [&](VertexId u, VertexId v) {
    return std::pair(points[u].x, points[u].y) < std::pair(points[v].x, points[v].y);
  });
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const Point p = points[order[i]], q = points[order[j]];
      if (q.x - p.x > radius) break;
      if ((q.x - p.x) * (q.x - p.x) + (q.y - p.y) * (q.y - p.y) > radius * radius) continue;
      edges.push_back({std::min(order[i], order[j]), std::max(order[i], order[j])});
    }
  std::sort(edges.begin(), edges.end(),
            [](const Edge& s, const Edge& t) { return std::pair(s.a, s.b) < std::pair(t.a, t.b); });
  return {Graph::from_edges(n, std::move(edges)), {kGeometricSide, kGeometricSide}, std::move(points)};
}

Graph regular_graph(VertexId n, VertexId d, Stream stream) {
  const bool complement = 2 * std::int64_t{d} > n;
  const VertexId drawn = complement ? n - 1 - d : d;
  std::set<std::pair<VertexId, VertexId>> pairs;
  int attempts = 1;
  while (!pair_half_edges(n, drawn, stream, pairs))
    if (++attempts > 10'000) throw Error(ErrorKind::internal, "no regular graph found in 10,000 attempts");
  std::vector<Edge> edges;
  if (complement) {
    for (VertexId a = 0; a < n; ++a)
      for (VertexId b = a + 1; b < n; ++b)
        if (!pairs.contains({a, b})) edges.push_back({a, b});
  } else {
    for (const auto& [a, b] : pairs) edges.push_back({a, b});
  }
  return Graph::from_edges(n, std::move(edges));
}

Graph barabasi_albert_graph(VertexId n, VertexId m, Stream stream) {
  std::vector<Edge> edges;
  std::vector<VertexId> ends;  // each vertex as often as its degree
  const auto join = [&](VertexId a, VertexId b) {
    edges.push_back({a, b});
    ends.insert(ends.end(), {a, b});
  };
  for (VertexId v = 1; v <= m; ++v) join(0, v);
  for (VertexId v = m + 1; v < n; ++v) {
    std::vector<VertexId> targets;
    while (targets.size() < static_cast<std::size_t>(m)) {
      const VertexId target = ends[static_cast<std::size_t>(stream.between(0, std::ssize(ends) - 1))];
      if (std::find(targets.begin(), targets.end(), target) == targets.end()) targets.push_back(target);
    }
    for (VertexId target : targets) join(target, v);
  }
  return Graph::from_edges(n, std::move(edges));
}

}  // namespace lcn
