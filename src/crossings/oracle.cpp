#include "crossings/oracle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "support/error.hpp"
#include "support/plural.hpp"

namespace lcn {
namespace {

using Wide = __int128;  // coordinates reach 2^61, differences 2^62, cross products 2^125

struct Segment {
  Edge ends;
  Point from, to;
  std::int64_t left, right, bottom, top;  // bounding box
};

Segment segment_of(const Edge& edge, const Drawing& drawing) {
  const Point p = drawing[static_cast<std::size_t>(edge.a)];
  const Point q = drawing[static_cast<std::size_t>(edge.b)];
  return {edge, p, q, std::min(p.x, q.x), std::max(p.x, q.x), std::min(p.y, q.y), std::max(p.y, q.y)};
}

bool boxes_apart(const Segment& s, const Segment& t) {
  return s.right < t.left || t.right < s.left || s.top < t.bottom || t.top < s.bottom;
}

bool share_an_end(const Edge& s, const Edge& t) {
  return s.a == t.a || s.a == t.b || s.b == t.a || s.b == t.b;
}

Wide cross(const Point& from, const Point& to, const Point& other_from, const Point& other_to) {
  return Wide(to.x - from.x) * Wide(other_to.y - other_from.y) -
         Wide(to.y - from.y) * Wide(other_to.x - other_from.x);
}

// Solves s.from + t (s.to - s.from) = r.from + u (r.to - r.from) by Cramer's rule: a proper crossing is a
// unique solution with 0 < t < 1 and 0 < u < 1. Not the four orientations of the fast paths, on purpose.
bool cross_properly(const Segment& s, const Segment& r) {
  const Wide denominator = cross(s.from, s.to, r.from, r.to);
  const Wide t = cross(s.from, r.from, r.from, r.to);  // both are numerators over the denominator
  const Wide u = cross(s.from, r.from, s.from, s.to);
  if (denominator > 0) return 0 < t && t < denominator && 0 < u && u < denominator;
  return 0 > t && t > denominator && 0 > u && u > denominator;  // never true when parallel (0 > t > 0)
}

}  // namespace

std::vector<std::int64_t> oracle_counts(const Graph& graph, const Drawing& drawing,
                                        const StopFunction& stop) {
  if (drawing.size() != static_cast<std::size_t>(graph.n()))
    throw Error(ErrorKind::internal,
                fmt::format("a drawing of {} does not fit a graph of {} (one point per vertex)",
                            plural(drawing.size(), "point"), plural(graph.n(), "vertex", "vertices")));
  std::vector<Segment> segments;
  segments.reserve(graph.edges().size());
  for (const Edge& edge : graph.edges()) segments.push_back(segment_of(edge, drawing));

  std::vector<std::int64_t> counts(segments.size(), 0);
  StopLook look(stop);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    look.after(static_cast<std::int64_t>(i));
    for (std::size_t j = 0; j < i; ++j) {
      if (boxes_apart(segments[i], segments[j])) continue;
      if (share_an_end(segments[i].ends, segments[j].ends)) continue;
      if (!cross_properly(segments[i], segments[j])) continue;
      ++counts[i];
      ++counts[j];
    }
  }
  return counts;
}

Tuple oracle_tuple(const Graph& graph, const Drawing& drawing, const StopFunction& stop) {
  const std::vector<std::int64_t> counts = oracle_counts(graph, drawing, stop);
  return tuple_of_counts(std::span<const std::int64_t>(counts));
}

}  // namespace lcn
