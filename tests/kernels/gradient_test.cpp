// The crossing gradient on the GPU against the float64 reference, and its independence of the batch.
#include "kernels/layout/gradient.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "crossings/oracle.hpp"
#include "kernels/device/devices.hpp"
#include "random/stream.hpp"
#include "support/error.hpp"
#include "tests/kernels/require_gpu.hpp"

namespace lcn {
namespace {

Stream test_stream(std::uint64_t root_seed) {
  return Stream(derive_key({root_seed, {}, 1}, Purpose::test, "gradient"));
}

// m different edges drawn one by one; m at most a quarter of all pairs keeps that quick.
Graph random_graph(VertexId n, std::size_t m, Stream& stream) {
  std::vector<Edge> edges;
  std::vector<std::vector<char>> taken(static_cast<std::size_t>(n),
                                       std::vector<char>(static_cast<std::size_t>(n)));
  while (edges.size() < m) {
    const auto a = static_cast<VertexId>(stream.below(static_cast<std::uint32_t>(n)));
    const auto b = static_cast<VertexId>(stream.below(static_cast<std::uint32_t>(n)));
    char& mark = taken[static_cast<std::size_t>(std::min(a, b))][static_cast<std::size_t>(std::max(a, b))];
    if (a == b || mark) continue;
    mark = 1;
    edges.push_back({a, b});
  }
  return Graph::from_edges(n, edges);
}

std::vector<float> random_floats(std::size_t size, Stream& stream, double side = 1) {
  std::vector<float> values;
  for (std::size_t i = 0; i < size; ++i) values.push_back(static_cast<float>(side * stream.real()));
  return values;
}

struct Evaluation {
  std::vector<float> gradient, soft_counts;
};

Evaluation evaluate(GradientBatch& batch, const std::vector<float>& positions,
                    const std::vector<float>& weights, float sharpness) {
  Evaluation result;
  result.gradient.assign(positions.size(), NAN);
  result.soft_counts.assign(weights.size(), NAN);
  batch.evaluate(positions, weights, sharpness, result.gradient, result.soft_counts);
  return result;
}

// Of layout `index` within a batch.
void expect_agrees(const Graph& graph, const GradientModel& model, const std::vector<float>& positions,
                   const std::vector<float>& weights, float sharpness, const Evaluation& result,
                   std::size_t index = 0) {
  const auto n = static_cast<std::size_t>(graph.n()), m = static_cast<std::size_t>(graph.m());
  std::vector<double> x, y;
  for (std::size_t v = 0; v < n; ++v) {
    x.push_back(positions[2 * (index * n + v)]);
    y.push_back(positions[2 * (index * n + v) + 1]);
  }
  const std::vector<double> w(weights.begin() + static_cast<std::ptrdiff_t>(index * m),
                              weights.begin() + static_cast<std::ptrdiff_t>((index + 1) * m));
  const GradientValue reference = gradient_reference(graph, model, x, y, w, sharpness);
  double error = 0, norm = 0;
  for (std::size_t v = 0; v < n; ++v) {
    error += std::pow(result.gradient[2 * (index * n + v)] - reference.gradient_x[v], 2) +
             std::pow(result.gradient[2 * (index * n + v) + 1] - reference.gradient_y[v], 2);
    norm += std::pow(reference.gradient_x[v], 2) + std::pow(reference.gradient_y[v], 2);
  }
  EXPECT_LT(std::sqrt(norm > 0 ? error / norm : error), 1e-4)
      << "layout " << index << ", sharpness " << sharpness;
  for (std::size_t e = 0; e < m; ++e)
    EXPECT_NEAR(result.soft_counts[index * m + e], reference.soft_counts[e],
                1e-4 * (1 + reference.soft_counts[e]));
}

TEST(GradientBatch, RefusesInAClearWayWithoutAGpu) {
  if (!list_devices().empty()) GTEST_SKIP() << "there is a GPU";
  const Graph graph = Graph::from_edges(4, {{0, 1}, {2, 3}});
  try {
    GradientBatch batch(graph, GradientModel::for_vertices(4), 1);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
  }
}

struct Size {
  VertexId n;
  int m;
};
class GradientBatchSizes : public testing::TestWithParam<Size> {};
// 31 to 33 straddle a warp, 129 a block's tiles, 4097 the split of the partners.
INSTANTIATE_TEST_SUITE_P(Edges, GradientBatchSizes,
                         testing::Values(Size{4, 0}, Size{4, 1}, Size{20, 31}, Size{20, 32}, Size{20, 33},
                                         Size{60, 129}, Size{600, 1804}, Size{900, 4097}));

TEST_P(GradientBatchSizes, AgreesWithTheReference) {
  LCN_REQUIRE_GPU();
  const auto [n, m] = GetParam();
  Stream stream = test_stream(static_cast<std::uint64_t>(m));
  const Graph graph = random_graph(n, static_cast<std::size_t>(m), stream);
  const GradientModel model = GradientModel::for_vertices(n);
  GradientBatch batch(graph, model, 1);
  for (double side : {1.0, 0.3}) {
    const std::vector<float> positions = random_floats(2 * static_cast<std::size_t>(n), stream, side);
    const std::vector<float> weights = random_floats(static_cast<std::size_t>(m), stream, 2);
    for (float sharpness : {3.0f, 60.0f})
      expect_agrees(graph, model, positions, weights, sharpness,
                    evaluate(batch, positions, weights, sharpness));
  }
}

TEST(GradientBatch, AgreesOnCoincidentParallelAndEmptyEdges) {
  LCN_REQUIRE_GPU();
  Stream stream = test_stream(1);
  const Graph graph = random_graph(40, 150, stream);
  const GradientModel model = GradientModel::for_vertices(40);
  std::vector<float> positions = random_floats(80, stream);
  for (std::size_t v = 0; v < 40; v += 2)
    positions[2 * v + 2] = positions[2 * v], positions[2 * v + 3] = positions[2 * v + 1];
  for (std::size_t v = 0; v < 10; ++v) positions[2 * v + 1] = 0.5f;  // on one line
  const std::vector<float> weights(150, 1.0f);
  GradientBatch batch(graph, model, 1);
  for (float sharpness : {3.0f, 30.0f, 60.0f})
    expect_agrees(graph, model, positions, weights, sharpness,
                  evaluate(batch, positions, weights, sharpness));
  const Evaluation collapsed = evaluate(batch, std::vector<float>(80, 0.25f), weights, 30);
  for (float g : collapsed.gradient) EXPECT_EQ(g, 0);
}

TEST(GradientBatch, ALayoutDoesNotDependOnItsBatch) {
  LCN_REQUIRE_GPU();
  Stream stream = test_stream(2);
  const Graph graph = random_graph(100, 333, stream);
  const GradientModel model = GradientModel::for_vertices(100);
  constexpr std::size_t kLayouts = 7;
  const std::vector<float> positions = random_floats(kLayouts * 200, stream);
  const std::vector<float> weights = random_floats(kLayouts * 333, stream);
  GradientBatch together(graph, model, kLayouts), alone(graph, model, 1);
  const Evaluation all = evaluate(together, positions, weights, 12);
  std::vector<float> moved = positions;
  const std::vector<GradientStep> schedule = gradient_schedule(40);
  together.minimise(schedule, moved);
  EXPECT_NE(moved, positions);
  const auto part = [](const std::vector<float>& values, std::size_t index, std::size_t size) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(index * size);
    return std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(size));
  };
  for (std::size_t b = 0; b < kLayouts; ++b) {
    expect_agrees(graph, model, positions, weights, 12, all, b);
    const Evaluation one = evaluate(alone, part(positions, b, 200), part(weights, b, 333), 12);
    EXPECT_EQ(one.gradient, part(all.gradient, b, 200));
    EXPECT_EQ(one.soft_counts, part(all.soft_counts, b, 333));
    std::vector<float> own = part(positions, b, 200);
    alone.minimise(schedule, own);
    EXPECT_EQ(own, part(moved, b, 200));
  }
}

// Rounding separates the two within many epochs, so only the first few are compared.
TEST(GradientBatch, TakesTheSameFirstStepsAsTheCpu) {
  LCN_REQUIRE_GPU();
  Stream stream = test_stream(3);
  const Graph graph = random_graph(100, 333, stream);
  const GradientModel model = GradientModel::for_vertices(100);
  std::vector<float> positions = random_floats(200, stream), x, y;
  for (std::size_t v = 0; v < 100; ++v) {
    x.push_back(positions[2 * v]);
    y.push_back(positions[2 * v + 1]);
  }
  std::vector<GradientStep> schedule = gradient_schedule(700);
  schedule.resize(3);
  for (GradientStep& step : schedule) step.balanced = true;  // weights change between the steps
  minimise_soft_crossings(graph, model, schedule, x, y);
  GradientBatch(graph, model, 1).minimise(schedule, positions);
  for (std::size_t v = 0; v < 100; ++v) {
    EXPECT_NEAR(positions[2 * v], x[v], 1e-3);
    EXPECT_NEAR(positions[2 * v + 1], y[v], 1e-3);
  }
}

TEST(GradientBatch, LowersTheCrossingsOfEveryLayout) {
  LCN_REQUIRE_GPU();
  std::vector<Edge> edges;  // an 8 x 8 grid graph: planar
  for (VertexId r = 0; r < 8; ++r)
    for (VertexId c = 0; c < 8; ++c) {
      if (c < 7) edges.push_back({8 * r + c, 8 * r + c + 1});
      if (r < 7) edges.push_back({8 * r + c, 8 * r + c + 8});
    }
  const Graph graph = Graph::from_edges(64, edges);
  Stream stream = test_stream(4);
  const std::vector<float> start = random_floats(4 * 128, stream);
  std::vector<float> end = start;
  GradientBatch batch(graph, GradientModel::for_vertices(64), 4);
  batch.minimise(gradient_schedule(200), end);
  EXPECT_GT(batch.kernel_seconds(), 0);
  const auto tuple = [&](const std::vector<float>& positions, std::size_t b) {
    Drawing drawing;
    for (std::size_t v = 64 * b; v < 64 * (b + 1); ++v)
      drawing.push_back({std::llround(positions[2 * v] * 1e6), std::llround(positions[2 * v + 1] * 1e6)});
    return oracle_tuple(graph, drawing);
  };
  for (std::size_t b = 0; b < 4; ++b) {
    for (std::size_t i = 128 * b; i < 128 * (b + 1); ++i) ASSERT_TRUE(std::isfinite(end[i]));
    EXPECT_LT(5 * tuple(end, b).C, tuple(start, b).C);
  }
}

// 40,000 edges: ten splits of the partners. The float64 reference would take a minute, so the CPU's evaluator
// stands in.
TEST(GradientBatch, AgreesOnALargeGraph) {
  LCN_REQUIRE_GPU();
  constexpr std::size_t kVertices = 2000, kEdges = 40000;
  Stream stream = test_stream(5);
  const Graph graph = random_graph(kVertices, kEdges, stream);
  const GradientModel model = GradientModel::for_vertices(kVertices);
  const std::vector<float> positions = random_floats(2 * kVertices, stream), weights(kEdges, 1.0f);
  std::vector<float> x, y, gradient_x(kVertices), gradient_y(kVertices), soft_counts(kEdges);
  for (std::size_t v = 0; v < kVertices; ++v) {
    x.push_back(positions[2 * v]);
    y.push_back(positions[2 * v + 1]);
  }
  GradientEvaluator(graph, model).evaluate(x, y, weights, 30, gradient_x, gradient_y, soft_counts);
  GradientBatch batch(graph, model, 1);
  const Evaluation result = evaluate(batch, positions, weights, 30);
  double error = 0, norm = 0;
  for (std::size_t v = 0; v < kVertices; ++v) {
    error += std::pow(result.gradient[2 * v] - gradient_x[v], 2) +
             std::pow(result.gradient[2 * v + 1] - gradient_y[v], 2);
    norm += std::pow(gradient_x[v], 2) + std::pow(gradient_y[v], 2);
  }
  EXPECT_LT(std::sqrt(error / norm), 1e-4);
  for (std::size_t e = 0; e < kEdges; ++e)
    EXPECT_NEAR(result.soft_counts[e], soft_counts[e], 1e-4 * (1 + soft_counts[e]));
}

}  // namespace
}  // namespace lcn
