#include "crossings/oracle.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "geometry/predicates.hpp"
#include "random/stream.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

Graph complete_graph(VertexId n) {
  std::vector<Edge> edges;
  for (VertexId a = 0; a < n; ++a)
    for (VertexId b = a + 1; b < n; ++b) edges.push_back({a, b});
  return Graph::from_edges(n, edges);
}

// In convex position every four vertices give one crossing: C = binomial(n, 4), and the edge that leaves i
// vertices on one side and j on the other is crossed i * j times.
TEST(Oracle, ConvexCompleteGraphs) {
  for (VertexId n = 4; n <= 30; ++n) {
    Drawing parabola;
    for (std::int64_t v = 0; v < n; ++v) parabola.push_back({v, v * v});
    const Graph graph = complete_graph(n);
    const std::vector<std::int64_t> counts = oracle_counts(graph, parabola);
    std::int64_t sum = 0;
    for (EdgeId e = 0; e < graph.m(); ++e) {
      const std::int64_t between = graph.edge(e).b - graph.edge(e).a - 1;
      EXPECT_EQ(counts[e], between * (n - 2 - between));
      sum += counts[e];
    }
    EXPECT_EQ(sum, 2 * (std::int64_t{n} * (n - 1) * (n - 2) * (n - 3) / 24));
  }
}

// The fast predicates decide by four orientations, the oracle by Cramer's rule: they must agree everywhere,
// on drawings full of touches, overlaps and coincident points too.
TEST(Oracle, AgreesWithFastPredicatesOnTinyGrids) {
  Stream stream({1, static_cast<std::uint32_t>(Purpose::test)});
  std::vector<Edge> matching;
  for (VertexId v = 0; v < 80; v += 2) matching.push_back({v, v + 1});
  const Graph graph = Graph::from_edges(80, matching);
  for (int trial = 0; trial < 200; ++trial) {
    const std::int64_t side = 1 + trial % 12;
    Drawing drawing;
    for (int v = 0; v < 80; ++v) drawing.push_back({stream.between(0, side), stream.between(0, side)});
    std::vector<std::int64_t> expected(40, 0);
    for (int e = 0; e < 40; ++e)
      for (int f = 0; f < e; ++f) {
        const Point a = drawing[2 * e], b = drawing[2 * e + 1], c = drawing[2 * f], d = drawing[2 * f + 1];
        if (!segments_cross<std::int64_t>(a.x, a.y, b.x, b.y, c.x, c.y, d.x, d.y)) continue;
        ++expected[e];
        ++expected[f];
      }
    ASSERT_EQ(oracle_counts(graph, drawing), expected) << "trial " << trial;
  }
}

// Counts survive every symmetry of the plane and a shift to the far corner of what the oracle promises.
TEST(Oracle, InvariantUnderSymmetriesAndShifts) {
  Stream stream({2, static_cast<std::uint32_t>(Purpose::test)});
  const Graph graph = complete_graph(12);
  for (int trial = 0; trial < 20; ++trial) {
    Drawing drawing;
    for (int v = 0; v < 12; ++v) drawing.push_back({stream.between(0, 1000), stream.between(0, 1000)});
    const std::vector<std::int64_t> counts = oracle_counts(graph, drawing);
    const std::int64_t far = (std::int64_t{1} << 61) - 1000;
    const std::int64_t scale = (std::int64_t{1} << 61) / 1000;
    Drawing turned, shifted, scaled;
    for (const Point& p : drawing) {
      turned.push_back({-p.y, p.x});
      shifted.push_back({p.x + far, p.y - far});
      scaled.push_back({p.x * scale, -p.y * scale});
    }
    EXPECT_EQ(oracle_counts(graph, turned), counts);
    EXPECT_EQ(oracle_counts(graph, shifted), counts);
    EXPECT_EQ(oracle_counts(graph, scaled), counts);
  }
}

TEST(Oracle, RefusesADrawingOfAnotherSize) {
  EXPECT_THROW(oracle_counts(complete_graph(4), Drawing(3)), Error);
  EXPECT_THROW(oracle_tuple(complete_graph(4), Drawing(5)), Error);
}

}  // namespace
}  // namespace lcn
