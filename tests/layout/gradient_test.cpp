#include "layout/gradient.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "crossings/oracle.hpp"
#include "random/stream.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

Stream test_stream(std::uint64_t root_seed) {
  return Stream(derive_key({root_seed, {}, 1}, Purpose::test));
}

Graph random_graph(VertexId n, std::size_t m, Stream& stream) {
  std::vector<Edge> pairs;
  for (VertexId a = 0; a < n; ++a)
    for (VertexId b = a + 1; b < n; ++b) pairs.push_back({a, b});
  stream.shuffle(pairs);
  pairs.resize(std::min(m, pairs.size()));
  return Graph::from_edges(n, pairs);
}

struct Positions {
  std::vector<double> x, y;
  std::vector<float> float_x() const { return {x.begin(), x.end()}; }
  std::vector<float> float_y() const { return {y.begin(), y.end()}; }
};

// Multiples of 2^-20, so that float and double hold the same drawing.
Positions random_positions(VertexId n, Stream& stream, double side = 1) {
  Positions positions;
  for (VertexId v = 0; v < n; ++v) {
    positions.x.push_back(std::floor(stream.real() * side * 0x1p20) * 0x1p-20);
    positions.y.push_back(std::floor(stream.real() * side * 0x1p20) * 0x1p-20);
  }
  return positions;
}

struct Evaluation {
  std::vector<float> gradient_x, gradient_y, soft_counts;
};

Evaluation evaluate(const Graph& graph, const GradientModel& model, const Positions& positions,
                    const std::vector<float>& weights, float sharpness) {
  Evaluation result;
  result.gradient_x.resize(static_cast<std::size_t>(graph.n()), NAN);
  result.gradient_y.resize(static_cast<std::size_t>(graph.n()), NAN);
  result.soft_counts.resize(static_cast<std::size_t>(graph.m()), NAN);
  GradientEvaluator(graph, model)
      .evaluate(positions.float_x(), positions.float_y(), weights, sharpness, result.gradient_x,
                result.gradient_y, result.soft_counts);
  return result;
}

// ||g - reference|| / ||reference||; the absolute norm where the reference is zero. NaN stays NaN.
double relative_error(const std::vector<float>& gx, const std::vector<float>& gy,
                      const GradientValue& reference) {
  double error = 0, norm = 0;
  for (std::size_t v = 0; v < gx.size(); ++v) {
    error += std::pow(gx[v] - reference.gradient_x[v], 2) + std::pow(gy[v] - reference.gradient_y[v], 2);
    norm += std::pow(reference.gradient_x[v], 2) + std::pow(reference.gradient_y[v], 2);
  }
  return std::sqrt(norm > 0 ? error / norm : error);
}

TEST(GradientReference, CountsACleanCrossingOnceAndASharedEndNever) {
  const std::vector<double> x = {0.2, 0.8, 0.2, 0.8}, y = {0.2, 0.8, 0.8, 0.2};
  GradientModel model = GradientModel::for_vertices(4);
  model.spring_weight = model.repulsion_weight = 0;
  const Graph crossing = Graph::from_edges(4, {{0, 1}, {2, 3}});
  const GradientValue one = gradient_reference(crossing, model, x, y, std::vector<double>{1, 3}, 60);
  EXPECT_NEAR(one.objective, 2, 1e-9);  // the mean of the two weights
  EXPECT_NEAR(one.soft_counts[0], 1, 1e-9);
  EXPECT_NEAR(one.soft_counts[1], 1, 1e-9);
  const Graph path = Graph::from_edges(4, {{0, 1}, {1, 2}});
  EXPECT_EQ(gradient_reference(path, model, x, y, std::vector<double>{1, 1}, 60).objective, 0);
}

// Central differences; the step of 1e-6 leaves about 1e-9 of relative error at generic points.
TEST(GradientReference, AgreesWithFiniteDifferences) {
  Stream stream = test_stream(1);
  const Graph graph = random_graph(14, 30, stream);
  GradientModel model = GradientModel::for_vertices(graph.n());
  model.repulsion_radius *= 2;  // so that some pairs are near
  Positions p = random_positions(graph.n(), stream);
  std::vector<double> weights;
  for (EdgeId e = 0; e < graph.m(); ++e) weights.push_back(0.5 + stream.real());
  for (double sharpness : {3.0, 12.0, 60.0}) {
    const GradientValue value = gradient_reference(graph, model, p.x, p.y, weights, sharpness);
    double error = 0, norm = 0;
    for (std::vector<double>* axis : {&p.x, &p.y})
      for (std::size_t v = 0; v < axis->size(); ++v) {
        const double place = (*axis)[v], step = 1e-6;
        (*axis)[v] = place + step;
        const double after = gradient_reference(graph, model, p.x, p.y, weights, sharpness).objective;
        (*axis)[v] = place - step;
        const double before = gradient_reference(graph, model, p.x, p.y, weights, sharpness).objective;
        (*axis)[v] = place;
        const double exact = (axis == &p.x ? value.gradient_x : value.gradient_y)[v];
        error += std::pow((after - before) / (2 * step) - exact, 2);
        norm += exact * exact;
      }
    EXPECT_LT(std::sqrt(error / norm), 1e-6) << "sharpness " << sharpness;
  }
}

TEST(GradientReference, ParallelAndDegenerateEdgesCountNothing) {
  // two parallel edges, one edge of zero length, two vertices at one point
  const Graph graph = Graph::from_edges(6, {{0, 1}, {2, 3}, {4, 5}});
  const std::vector<double> x = {0, 1, 0, 1, 0.5, 0.5}, y = {0, 0, 0, 0, 0, 0};
  const GradientValue value =
      gradient_reference(graph, GradientModel::for_vertices(6), x, y, std::vector<double>(3, 1.0), 12);
  for (double count : value.soft_counts) EXPECT_EQ(count, 0);
  for (double g : value.gradient_x) EXPECT_TRUE(std::isfinite(g));
  for (double g : value.gradient_y) EXPECT_EQ(g, 0);
}

class GradientEvaluatorSizes : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Edges, GradientEvaluatorSizes, testing::Values(0, 1, 2, 15, 16, 17, 33, 131, 700));

TEST_P(GradientEvaluatorSizes, AgreesWithTheReference) {
  Stream stream = test_stream(2 + static_cast<std::uint64_t>(GetParam()));
  const VertexId n = std::max(4, GetParam() / 3);
  const Graph graph = random_graph(n, static_cast<std::size_t>(GetParam()), stream);
  const GradientModel model = GradientModel::for_vertices(n);
  for (double side : {1.0, 0.3}) {
    const Positions positions = random_positions(n, stream, side);
    std::vector<double> weights;
    for (EdgeId e = 0; e < graph.m(); ++e) weights.push_back(std::floor(stream.real() * 1024) / 512);
    for (float sharpness : {3.0f, 12.0f, 30.0f, 60.0f}) {
      const GradientValue reference =
          gradient_reference(graph, model, positions.x, positions.y, weights, sharpness);
      const Evaluation fast = evaluate(graph, model, positions, {weights.begin(), weights.end()}, sharpness);
      EXPECT_LT(relative_error(fast.gradient_x, fast.gradient_y, reference), 1e-4)
          << "sharpness " << sharpness;
      for (EdgeId e = 0; e < graph.m(); ++e)
        EXPECT_NEAR(fast.soft_counts[e], reference.soft_counts[e], 1e-4 * (1 + reference.soft_counts[e]));
    }
  }
}

TEST(GradientEvaluator, IsFiniteOnCoincidentParallelAndEmptyEdges) {
  Stream stream = test_stream(3);
  const Graph graph = random_graph(40, 150, stream);
  const GradientModel model = GradientModel::for_vertices(40);
  Positions positions = random_positions(40, stream);
  for (std::size_t v = 0; v < 40; v += 2)
    positions.x[v + 1] = positions.x[v], positions.y[v + 1] = positions.y[v];
  for (std::size_t v = 0; v < 10; ++v) positions.y[v] = 0.5;  // on one line
  const std::vector<double> weights(150, 1.0);
  for (float sharpness : {3.0f, 60.0f}) {
    const GradientValue reference =
        gradient_reference(graph, model, positions.x, positions.y, weights, sharpness);
    const Evaluation fast = evaluate(graph, model, positions, std::vector<float>(150, 1.0f), sharpness);
    EXPECT_LT(relative_error(fast.gradient_x, fast.gradient_y, reference), 1e-4);
  }
  Positions collapsed{std::vector<double>(40, 0.25), std::vector<double>(40, 0.75)};
  const Evaluation fast = evaluate(graph, model, collapsed, std::vector<float>(150, 1.0f), 30);
  for (float g : fast.gradient_x) EXPECT_EQ(g, 0);
}

TEST(GradientSchedule, HasTheStatedPhasesForAnyNumberOfEpochs) {
  for (int epochs : {0, 1, 2, 7, 700}) {
    const std::vector<GradientStep> steps = gradient_schedule(epochs);
    ASSERT_EQ(steps.size(), static_cast<std::size_t>(epochs));
    for (std::size_t i = 1; i < steps.size(); ++i) EXPECT_GE(steps[i].balanced, steps[i - 1].balanced);
    if (epochs > 0) {
      EXPECT_FLOAT_EQ(steps.back().sharpness, 60);
      EXPECT_TRUE(steps.back().balanced);
    }
  }
  EXPECT_FLOAT_EQ(gradient_schedule(700).front().sharpness, 3);
}

Drawing on_grid(const Layout& layout) {
  Drawing drawing;
  for (std::size_t v = 0; v < layout.x.size(); ++v)
    drawing.push_back({std::llround(layout.x[v] * 1e6), std::llround(layout.y[v] * 1e6)});
  return drawing;
}

TEST(GradientProvider, LowersTheMaximumOfARandomDrawingAndRepeatsItself) {
  std::vector<Edge> edges;  // an 8 x 8 grid graph: planar
  for (VertexId r = 0; r < 8; ++r)
    for (VertexId c = 0; c < 8; ++c) {
      if (c < 7) edges.push_back({8 * r + c, 8 * r + c + 1});
      if (r < 7) edges.push_back({8 * r + c, 8 * r + c + 8});
    }
  const Graph graph = Graph::from_edges(64, edges);
  const auto layout = [&](const std::string& text, std::uint32_t index) {
    Spec spec = Spec::parse(text);
    const std::unique_ptr<StartProvider> provider = make_gradient_provider(spec);
    spec.finish();
    return provider->layout({graph, Grid{}, nullptr, SeedPath{}, index});
  };
  const Layout start = layout("gradient:epochs=0,init=random", 1),
               end = layout("gradient:epochs=200,init=random", 1);
  const Tuple before = oracle_tuple(graph, on_grid(start)), after = oracle_tuple(graph, on_grid(end));
  EXPECT_LT(10 * after.C, before.C);
  EXPECT_LT(3 * after.K, before.K);
  const Layout again = layout("gradient:epochs=200,init=random", 1);
  EXPECT_EQ(end.x, again.x);
  EXPECT_EQ(end.y, again.y);
  EXPECT_NE(end.x, layout("gradient:epochs=200,init=random", 2).x);
  const Layout from_forces = layout("gradient:epochs=200", 1);
  EXPECT_LT(10 * oracle_tuple(graph, on_grid(from_forces)).C, before.C);
  EXPECT_EQ(from_forces.x, layout("gradient:epochs=200", 1).x);
  EXPECT_THROW(layout("gradient:init=gradient", 1), Error);
  EXPECT_THROW(layout("gradient:epochs=-1", 1), Error);
}

TEST(GradientProvider, DrawsGraphsWithoutEdgesOrVertices) {
  for (VertexId n : {0, 1, 5}) {
    const Graph graph = Graph::from_edges(n, {});
    Spec spec = Spec::parse("gradient");
    const Layout layout = make_gradient_provider(spec)->layout({graph, Grid{}, nullptr, SeedPath{}, 0});
    EXPECT_EQ(layout.x.size(), static_cast<std::size_t>(n));
    EXPECT_EQ(layout.y.size(), static_cast<std::size_t>(n));
  }
}

}  // namespace
}  // namespace lcn
