#include "crossings/validator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <tuple>
#include <vector>

#include "random/stream.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

const Grid kGrid{100, 100};

// One line per violation: the code, vertices, edges.
std::vector<std::string> lines(const Validation& validation) {
  std::vector<std::string> text;
  for (const Violation& violation : validation.violations) {
    std::string line = to_string(violation.code);
    for (VertexId v : violation.vertices) line += " v" + std::to_string(v);
    for (EdgeId e : violation.edges) line += " e" + std::to_string(e);
    text.push_back(line);
  }
  return text;
}

// Straight from the definitions, for small coordinates: every pair, no order, no line keys.
std::vector<std::string> by_definition(const Graph& graph, const Grid& grid, const Drawing& drawing) {
  const auto area = [](Point a, Point b, Point c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  };
  const auto dot = [](Point a, Point b, Point c) {
    return (b.x - a.x) * (c.x - a.x) + (b.y - a.y) * (c.y - a.y);
  };
  Validation all;
  for (VertexId v = 0; v < graph.n(); ++v)
    if (!grid.contains(drawing[v])) all.violations.push_back({ViolationCode::V1, {v}, {}});
  for (VertexId u = 0; u < graph.n(); ++u)
    for (VertexId v = u + 1; v < graph.n(); ++v)
      if (drawing[u] == drawing[v]) all.violations.push_back({ViolationCode::V2, {u, v}, {}});
  for (VertexId v = 0; v < graph.n(); ++v)
    for (EdgeId e = 0; e < graph.m(); ++e) {
      const auto [a, b] = graph.edge(e);
      if (v == a || v == b) continue;
      const Point p = drawing[a], q = drawing[b], r = drawing[v];
      if (area(p, q, r) == 0 && dot(r, p, q) <= 0) all.violations.push_back({ViolationCode::V3, {v}, {e}});
    }
  for (EdgeId e = 0; e < graph.m(); ++e)
    for (EdgeId f = e + 1; f < graph.m(); ++f) {
      const Point a = drawing[graph.edge(e).a], b = drawing[graph.edge(e).b];
      const Point c = drawing[graph.edge(f).a], d = drawing[graph.edge(f).b];
      if (a == b || c == d || area(a, b, c) != 0 || area(a, b, d) != 0) continue;
      const std::int64_t length = dot(a, b, b), s = dot(a, b, c), t = dot(a, b, d);
      if (std::max<std::int64_t>(0, std::min(s, t)) < std::min(length, std::max(s, t)))
        all.violations.push_back({ViolationCode::V4, {}, {e, f}});
    }
  return lines(all);
}

TEST(Validator, NamesEveryViolationInOrder) {
  // 0-1 lies on the x axis; 2 sits on it; 3 coincides with 2; 4 is off the grid; 2-5 overlaps 0-1 (and 1 lies
  // on it).
  const Graph graph = Graph::from_edges(6, {{0, 1}, {2, 5}, {3, 4}});
  const Drawing drawing = {{0, 0}, {10, 0}, {5, 0}, {5, 0}, {5, -3}, {20, 0}};
  EXPECT_EQ(lines(validate(graph, kGrid, drawing)),
            (std::vector<std::string>{"V1 v4", "V2 v2 v3", "V3 v1 e1", "V3 v2 e0", "V3 v2 e2", "V3 v3 e0",
                                      "V3 v3 e1", "V4 e0 e1"}));
}

TEST(Validator, AgreesWithTheDefinitionsOnTinyGrids) {
  Stream stream({3, static_cast<std::uint32_t>(Purpose::test)});
  for (int trial = 0; trial < 300; ++trial) {
    const VertexId n = 2 + static_cast<VertexId>(stream.below(14));
    std::vector<Edge> edges;
    for (VertexId a = 0; a < n; ++a)
      for (VertexId b = a + 1; b < n; ++b)
        if (stream.below(3) == 0) edges.push_back(stream.below(2) ? Edge{a, b} : Edge{b, a});
    const Graph graph = Graph::from_edges(n, edges);
    const std::int64_t side = 1 + trial % 7;
    Drawing drawing;
    for (VertexId v = 0; v < n; ++v)
      drawing.push_back({stream.between(-1, side), stream.between(0, side + 1)});
    const Grid grid{side, side};
    const std::vector<std::string> expected = by_definition(graph, grid, drawing);
    const Validation all = validate(graph, grid, drawing, 1'000'000);
    ASSERT_EQ(lines(all), expected) << "trial " << trial;
    ASSERT_EQ(static_cast<std::size_t>(all.totals[1] + all.totals[2] + all.totals[3] + all.totals[4]),
              expected.size());
    ASSERT_EQ(all.valid(), expected.empty());
    // A limit cuts the list and nothing else: what is listed are the first ones.
    for (std::size_t limit : {0u, 1u, 5u, 20u}) {
      const Validation some = validate(graph, grid, drawing, limit);
      ASSERT_EQ(some.totals, all.totals);
      const auto cut = static_cast<std::ptrdiff_t>(std::min(limit, expected.size()));
      ASSERT_EQ(lines(some), std::vector<std::string>(expected.begin(), expected.begin() + cut));
    }
  }
}

TEST(Validator, CountsCrowdsWithoutListingThem) {
  // 20,000 vertices at one point and a path through them: every count is a formula.
  const VertexId n = 20'000;
  std::vector<Edge> path;
  for (VertexId v = 0; v + 1 < n; ++v) path.push_back({v, v + 1});
  const Validation crowd = validate(Graph::from_edges(n, path), kGrid, Drawing(n, {3, 3}), 10);
  EXPECT_EQ(crowd.totals[2], std::int64_t{n} * (n - 1) / 2);
  EXPECT_EQ(crowd.totals[3], std::int64_t{n - 1} * (n - 2));
  EXPECT_EQ(crowd.totals[4], 0);
  ASSERT_EQ(crowd.violations.size(), 10u);
  EXPECT_EQ(crowd.violations[9].vertices, (std::vector<VertexId>{0, 10}));

  // A matching of 5,000 edges that all contain the middle of one line: every pair overlaps.
  const VertexId half = 5'000;
  std::vector<Edge> matching;
  Drawing line;
  for (VertexId v = 0; v < half; ++v) {
    matching.push_back({2 * v, 2 * v + 1});
    line.push_back({v, v});
    line.push_back({2 * half - v, 2 * half - v});
  }
  const Validation nested = validate(Graph::from_edges(2 * half, matching), {2 * half, 2 * half}, line, 3);
  EXPECT_EQ(nested.totals[2], 0);
  EXPECT_EQ(nested.totals[3], std::int64_t{half} * (half - 1));
  EXPECT_EQ(nested.totals[4], std::int64_t{half} * (half - 1) / 2);
}

// Random drawing of contest size: a valid one must pass in well under the seconds that a user notices.
TEST(Validator, ContestSizeIsFast) {
  Stream stream({4, static_cast<std::uint32_t>(Purpose::test)});
  const VertexId n = 10'466;
  std::vector<Edge> edges;
  for (VertexId v = 1; v < n; ++v) edges.push_back({v - 1, v});
  for (VertexId v = 3; v < n && edges.size() < 20'288; ++v) edges.push_back({v - 3, v});
  Drawing drawing;
  for (VertexId v = 0; v < n; ++v)
    drawing.push_back({stream.between(0, 1'000'000), stream.between(0, 1'000'000)});
  const auto begin = std::chrono::steady_clock::now();
  const Validation validation = validate(Graph::from_edges(n, edges), {1'000'000, 1'000'000}, drawing);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_TRUE(validation.valid());
  EXPECT_LT(seconds.count(), 10.0);
}

TEST(Validator, RefusesADrawingOfAnotherSize) {
  EXPECT_THROW(validate(Graph::from_edges(3, {}), kGrid, Drawing(2)), Error);
}

}  // namespace
}  // namespace lcn
