#include "crossings/validator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <queue>
#include <span>
#include <tuple>
#include <utility>

#include "support/error.hpp"
#include "support/plural.hpp"

namespace lcn {
namespace {

using Wide = __int128;  // coordinates reach 2^61, differences 2^62, cross products 2^125

// Keeps the `limit` smallest id pairs of all that are offered, and counts nothing.
class SmallestPairs {
 public:
  explicit SmallestPairs(std::size_t limit) : limit_(limit) {}
  // False when the pair was not kept: no larger pair will be either.
  bool offer(std::int32_t first, std::int32_t second) {
    const std::pair pair(first, second);
    if (heap_.size() == limit_) {
      if (limit_ == 0 || !(pair < heap_.top())) return false;
      heap_.pop();
    }
    heap_.push(pair);
    return true;
  }
  std::vector<std::pair<std::int32_t, std::int32_t>> take_sorted() {
    std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
    for (; !heap_.empty(); heap_.pop()) pairs.push_back(heap_.top());
    std::reverse(pairs.begin(), pairs.end());
    return pairs;
  }

 private:
  std::size_t limit_;
  std::priority_queue<std::pair<std::int32_t, std::int32_t>> heap_;
};

// The distinct points of a drawing, each with the vertices that lie there, ascending.
struct Site {
  Point at;
  std::vector<VertexId> vertices;
};

std::vector<Site> sites_by_x(const Drawing& drawing) {
  std::vector<VertexId> order(drawing.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](VertexId u, VertexId v) {
    return std::tuple(drawing[u].x, drawing[u].y, u) < std::tuple(drawing[v].x, drawing[v].y, v);
  });
  std::vector<Site> sites;
  for (VertexId v : order) {
    if (sites.empty() || !(sites.back().at == drawing[v])) sites.push_back({drawing[v], {}});
    sites.back().vertices.push_back(v);
  }
  return sites;
}

void find_off_grid(const Grid& grid, const Drawing& drawing, std::size_t limit, Validation& result) {
  for (std::size_t v = 0; v < drawing.size(); ++v) {
    if (grid.contains(drawing[v])) continue;
    ++result.totals[1];
    if (result.violations.size() < limit)
      result.violations.push_back({ViolationCode::V1, {static_cast<VertexId>(v)}, {}});
  }
}

void find_coincident(const std::vector<Site>& sites, std::size_t limit, Validation& result) {
  SmallestPairs smallest(limit);
  for (const Site& site : sites) {
    const auto size = static_cast<std::int64_t>(site.vertices.size());
    result.totals[2] += size * (size - 1) / 2;
    for (std::size_t i = 0; i + 1 < site.vertices.size(); ++i) {
      std::size_t j = i + 1;
      while (j < site.vertices.size() && smallest.offer(site.vertices[i], site.vertices[j])) ++j;
      if (j == i + 1) break;  // not even the smallest pair of this vertex was kept
    }
  }
  for (const auto& [u, v] : smallest.take_sorted())
    result.violations.push_back({ViolationCode::V2, {u, v}, {}});
}

bool on_segment(const Point& p, const Point& a, const Point& b) {
  if (p.x < std::min(a.x, b.x) || p.x > std::max(a.x, b.x)) return false;
  if (p.y < std::min(a.y, b.y) || p.y > std::max(a.y, b.y)) return false;
  return Wide(b.x - a.x) * Wide(p.y - a.y) == Wide(b.y - a.y) * Wide(p.x - a.x);
}

// Each edge looks at the sites in its x range or in its y range, whichever holds fewer.
void find_vertices_on_edges(const Graph& graph, const Drawing& drawing, const std::vector<Site>& sites,
                            std::size_t limit, const StopFunction& stop, Validation& result) {
  std::vector<const Site*> by_x, by_y;
  for (const Site& site : sites) by_x.push_back(&site);
  by_y = by_x;
  std::sort(by_y.begin(), by_y.end(), [](const Site* s, const Site* t) {
    return std::pair(s->at.y, s->at.x) < std::pair(t->at.y, t->at.x);
  });
  const auto range = [](const std::vector<const Site*>& order, std::int64_t Point::*axis, std::int64_t low,
                        std::int64_t high) {
    const auto begin =
        std::lower_bound(order.begin(), order.end(), low,
                         [=](const Site* s, std::int64_t bound) { return s->at.*axis < bound; });
    const auto end = std::upper_bound(begin, order.end(), high,
                                      [=](std::int64_t bound, const Site* s) { return bound < s->at.*axis; });
    return std::span<const Site* const>(begin, end);
  };

  SmallestPairs smallest(limit);
  StopLook look(stop);
  for (EdgeId e = 0; e < graph.m(); ++e) {
    const auto [a, b] = graph.edge(e);
    const Point p = drawing[a], q = drawing[b];
    const auto in_x = range(by_x, &Point::x, std::min(p.x, q.x), std::max(p.x, q.x));
    const auto in_y = range(by_y, &Point::y, std::min(p.y, q.y), std::max(p.y, q.y));
    const auto& nearer = in_x.size() <= in_y.size() ? in_x : in_y;
    look.after(static_cast<std::int64_t>(nearer.size()));
    for (const Site* site : nearer) {
      if (!on_segment(site->at, p, q)) continue;
      result.totals[3] += static_cast<std::int64_t>(site->vertices.size());
      if (site->at == p) --result.totals[3];  // the edge's own ends
      if (site->at == q) --result.totals[3];
      for (VertexId v : site->vertices)
        if (v != a && v != b && !smallest.offer(v, e)) break;
    }
  }
  for (const auto& [v, e] : smallest.take_sorted())
    result.violations.push_back({ViolationCode::V3, {v}, {e}});
}

// An edge of positive length on its supporting line. The line is its primitive direction, pointing right (or
// up), and its signed offset direction x point; the edge is an interval of x (of y when vertical).
struct Interval {
  std::int64_t dx, dy;
  Wide offset;
  std::int64_t low, high;
  EdgeId edge;
  auto line() const { return std::tuple(dx, dy, offset); }
};

std::vector<Interval> intervals_by_line(const Graph& graph, const Drawing& drawing) {
  std::vector<Interval> intervals;
  for (EdgeId e = 0; e < graph.m(); ++e) {
    Point p = drawing[graph.edge(e).a], q = drawing[graph.edge(e).b];
    if (p == q) continue;
    if (std::pair(q.x, q.y) < std::pair(p.x, p.y)) std::swap(p, q);
    const std::int64_t divisor = std::gcd(q.x - p.x, q.y - p.y);
    const std::int64_t dx = (q.x - p.x) / divisor, dy = (q.y - p.y) / divisor;
    const Wide offset = Wide(dx) * p.y - Wide(dy) * p.x;
    intervals.push_back({dx, dy, offset, dx == 0 ? p.y : p.x, dx == 0 ? q.y : q.x, e});
  }
  std::sort(intervals.begin(), intervals.end(), [](const Interval& s, const Interval& t) {
    return std::tuple(s.line(), s.low, s.edge) < std::tuple(t.line(), t.low, t.edge);
  });
  return intervals;
}

// On one line two intervals overlap when the later one begins before the earlier one ends. Counting is a
// binary search per edge; listing stops after `limit` pairs.
void find_overlaps(const Graph& graph, const Drawing& drawing, std::size_t limit, Validation& result) {
  const std::vector<Interval> intervals = intervals_by_line(graph, drawing);
  SmallestPairs smallest(limit);
  for (std::size_t begin = 0, end = 0; begin < intervals.size(); begin = end) {
    while (end < intervals.size() && intervals[end].line() == intervals[begin].line()) ++end;
    std::vector<const Interval*> overlapping;  // a superset that misses no edge with an overlap
    std::int64_t furthest = intervals[begin].low;
    for (std::size_t i = begin; i < end; ++i) {
      const auto after = intervals.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      const auto stop =
          std::partition_point(after, intervals.begin() + static_cast<std::ptrdiff_t>(end),
                               [&](const Interval& later) { return later.low < intervals[i].high; });
      result.totals[4] += stop - after;
      if (stop != after || intervals[i].low < furthest) overlapping.push_back(&intervals[i]);
      furthest = std::max(furthest, intervals[i].high);
    }
    std::sort(overlapping.begin(), overlapping.end(),
              [](const Interval* s, const Interval* t) { return s->edge < t->edge; });
    for (std::size_t i = 0; i + 1 < overlapping.size(); ++i) {
      const Interval& first = *overlapping[i];
      bool kept = true;
      for (std::size_t j = i + 1; j < overlapping.size() && kept; ++j) {
        const Interval& second = *overlapping[j];
        if (first.low < second.high && second.low < first.high)
          kept = smallest.offer(first.edge, second.edge);
      }
      if (!kept) break;  // pairs of later edges are larger still
    }
  }
  for (const auto& [e, f] : smallest.take_sorted())
    result.violations.push_back({ViolationCode::V4, {}, {e, f}});
}

}  // namespace

const char* to_string(ViolationCode code) {
  switch (code) {
    case ViolationCode::V1:
      return "V1";
    case ViolationCode::V2:
      return "V2";
    case ViolationCode::V3:
      return "V3";
    case ViolationCode::V4:
      return "V4";
  }
  return "V?";
}

std::vector<std::string> Validation::codes() const {
  std::vector<std::string> found;
  for (ViolationCode code : {ViolationCode::V1, ViolationCode::V2, ViolationCode::V3, ViolationCode::V4})
    if (totals[static_cast<std::size_t>(code)] > 0) found.emplace_back(to_string(code));
  return found;
}

Validation validate(const Graph& graph, const Grid& grid, const Drawing& drawing, std::size_t limit,
                    const StopFunction& stop) {
  if (drawing.size() != static_cast<std::size_t>(graph.n()))
    throw Error(ErrorKind::internal,
                fmt::format("a drawing of {} does not fit a graph of {} (one point per vertex)",
                            plural(drawing.size(), "point"), plural(graph.n(), "vertex", "vertices")));
  Validation result;
  const std::vector<Site> sites = sites_by_x(drawing);
  find_off_grid(grid, drawing, limit, result);
  find_coincident(sites, limit, result);
  find_vertices_on_edges(graph, drawing, sites, limit, stop, result);
  find_overlaps(graph, drawing, limit, result);
  if (result.violations.size() > limit) result.violations.resize(limit);
  return result;
}

}  // namespace lcn
