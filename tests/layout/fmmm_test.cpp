#include "layout/fmmm.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "crossings/oracle.hpp"
#include "layout/admission.hpp"
#include "layout/barnes_hut.hpp"
#include "layout_testing.hpp"

namespace lcn {
namespace {

struct Forces {
  std::vector<double> x, y;
};

Forces forces_of(const ForceGraph& graph, const ForceParameters& parameters, const Layout& at) {
  Forces forces;
  layout_forces(graph, parameters, at.x, at.y, forces.x, forces.y);
  return forces;
}

TEST(LayoutForces, AreTheFormulasOnTwoVertices) {
  const ForceGraph edge = unit_lengths(Graph::from_edges(2, {{0, 1}}));
  const Layout apart{{0, 2}, {0, 0}};  // attraction 2 log2(2) 2 = 4, repulsion 1/2
  Forces forces = forces_of(edge, {}, apart);
  EXPECT_DOUBLE_EQ(forces.x[0], 3.5);
  EXPECT_DOUBLE_EQ(forces.x[1], -3.5);
  EXPECT_DOUBLE_EQ(forces.y[0], 0);

  ForceParameters parameters;
  parameters.spring = 2;
  parameters.repulsion = 3;
  ForceGraph longer = edge;
  longer.lengths = {4, 4};
  longer.mean_length = 4;
  // attraction 2 log2(1/2) 2 / 64 = -1/16, twice; repulsion 1/2, three times; times 16.
  forces = forces_of(longer, parameters, apart);
  EXPECT_DOUBLE_EQ(forces.x[0], (2 * -1.0 / 16 - 3 * 0.5) * 16);
}

TEST(LayoutForces, BalanceOverTheWholeGraph) {
  const Graph graph = random_graph(50, 120, 1);
  const Forces forces = forces_of(unit_lengths(graph), {}, random_layout(50, 1));
  double sum_x = 0, sum_y = 0, norm = 0;
  for (std::size_t v = 0; v < 50; ++v) {
    sum_x += forces.x[v];
    sum_y += forces.y[v];
    norm += std::hypot(forces.x[v], forces.y[v]);
  }
  EXPECT_NEAR(sum_x, 0, 1e-11 * norm);
  EXPECT_NEAR(sum_y, 0, 1e-11 * norm);
}

TEST(LayoutForces, CoincidentVerticesPart) {
  ForceParameters tree;
  tree.exact_limit = 0;
  for (const ForceParameters& parameters : {ForceParameters{}, tree}) {
    const Forces forces =
        forces_of(unit_lengths(Graph::from_edges(3, {{0, 1}})), parameters, Layout{{1, 1, 1}, {2, 2, 2}});
    for (std::size_t v = 0; v < 3; ++v) {
      EXPECT_TRUE(std::isfinite(forces.x[v]) && std::isfinite(forces.y[v]));
      EXPECT_GT(std::hypot(forces.x[v], forces.y[v]), 1);
    }
    EXPECT_NEAR(forces.x[0] + forces.x[1] + forces.x[2], 0, 1e-9);
  }
}

TEST(BarnesHut, EqualsTheExactSumWithinItsDocumentedError) {
  const Layout at = random_layout(2000, 3);
  const ForceGraph none = unit_lengths(random_graph(2000, 0, 0));
  ForceParameters exact, tree;
  exact.exact_limit = 2000;
  tree.exact_limit = 0;
  const Forces reference = forces_of(none, exact, at);
  const auto error = [&](double opening) {
    tree.opening = opening;
    const Forces forces = forces_of(none, tree, at);
    double difference = 0, norm = 0;
    for (std::size_t v = 0; v < at.x.size(); ++v) {
      difference += std::pow(forces.x[v] - reference.x[v], 2) + std::pow(forces.y[v] - reference.y[v], 2);
      norm += std::pow(reference.x[v], 2) + std::pow(reference.y[v], 2);
    }
    return std::sqrt(difference / norm);
  };
  EXPECT_LT(error(0), 1e-12);
  EXPECT_LT(error(0.7), 0.02);
  EXPECT_LT(error(0.3), error(0.7));
}

TEST(IterateLayout, MovesAllVerticesFromOneSetOfPositions) {  // Jacobi
  const ForceGraph path = unit_lengths(Graph::from_edges(3, {{0, 1}, {1, 2}}));
  const Layout at{{0, 1, 5}, {0, 0.5, 0}};
  const Forces forces = forces_of(path, {}, at);
  ForceState state = at_rest(at.x, at.y);
  const ForceParameters parameters;
  const double mean = iterate_layout(path, parameters, state);
  const double cap = parameters.max_displacement * std::sqrt(3.0);
  double total = 0;
  bool capped = false;
  for (std::size_t v = 0; v < 3; ++v) {
    const double force = std::hypot(forces.x[v], forces.y[v]),
                 length = std::min(parameters.step * force, cap);
    capped = capped || parameters.step * force > cap;
    EXPECT_NEAR(state.x[v], at.x[v] + forces.x[v] / force * length, 1e-12);
    EXPECT_NEAR(state.y[v], at.y[v] + forces.y[v] / force * length, 1e-12);
    total += length;
  }
  EXPECT_TRUE(capped);  // the edge of length 4 pulls beyond the cap
  EXPECT_NEAR(mean, total / 3, 1e-12);
}

TEST(IterateLayout, DampsAVertexThatTurnsBack) {
  const ForceGraph edge = unit_lengths(Graph::from_edges(2, {{0, 1}}));
  ForceState state = at_rest({0, 3}, {0, 0});
  state.last_x = {-0.03, 0.0};  // vertex 0 moved away from vertex 1, towards which it is pulled now
  iterate_layout(edge, {}, state);
  EXPECT_NEAR(state.x[0], 0.01, 1e-12);
  EXPECT_LT(state.x[1], 2.9);  // no last displacement: free
}

TEST(RunLayout, StopsWhenConvergedAndSaysHowLongItTook) {
  const ForceGraph edge = unit_lengths(Graph::from_edges(2, {{0, 1}}));
  ForceState state = at_rest({0, 3}, {0, 0});
  const int executed = run_layout(edge, {}, 1000, state);
  EXPECT_GT(executed, 3);
  EXPECT_LT(executed, 1000);
  // At the end both forces cancel: d^2 log2(d) = 1/d.
  const double d = std::hypot(state.x[1] - state.x[0], state.y[1] - state.y[0]);
  EXPECT_NEAR(d * d * std::log2(d), 1 / d, 0.05);
  EXPECT_EQ(run_layout(edge, {}, 1000, state), 1);  // converged already
  ForceState again = at_rest({0, 3}, {0, 0});
  EXPECT_EQ(run_layout(edge, {}, 2, again), 2);
}

TEST(MultilevelLayout, CoarsensAndReportsItsIterations) {
  std::vector<Edge> edges;
  constexpr VertexId kSide = 20;
  for (VertexId v = 0; v < kSide * kSide; ++v) {
    if (v % kSide + 1 < kSide) edges.push_back({v, v + 1});
    if (v + kSide < kSide * kSide) edges.push_back({v, v + kSide});
  }
  const Graph graph = Graph::from_edges(kSide * kSide, edges);
  Stream stream(kTestKey);
  MultilevelReport report;
  const Layout layout = multilevel_layout(graph, {}, stream, &report);
  ASSERT_GE(report.level_sizes.size(), 3u);
  EXPECT_EQ(report.level_sizes.front(), 400);
  EXPECT_LE(report.level_sizes.back(), 30);
  for (std::size_t i = 1; i < report.level_sizes.size(); ++i)
    EXPECT_LT(report.level_sizes[i], report.level_sizes[i - 1]);
  ASSERT_EQ(report.iterations.size(), report.level_sizes.size());
  for (int executed : report.iterations) EXPECT_GE(executed, 1);
  EXPECT_LE(report.iterations.front(), 60);
  EXPECT_LE(report.iterations.back(), 300);
  // A grid unfolds: a random drawing of it has about 10^5 crossings.
  const Drawing drawing = admit(graph, Grid{}, layout, kTestKey).drawing;
  EXPECT_LT(oracle_tuple(graph, drawing).C, 50);
}

TEST(MultilevelLayout, SameStreamSameLayout) {
  const Graph graph = random_graph(150, 300, 2);
  Stream first(kTestKey), second(kTestKey), other(kTestKey, 1);
  const Layout layout = multilevel_layout(graph, {}, first);
  EXPECT_EQ(layout.x, multilevel_layout(graph, {}, second).x);
  EXPECT_NE(layout.x, multilevel_layout(graph, {}, other).x);
}

}  // namespace
}  // namespace lcn
