// Four evaluators, one answer: full and incremental on the CPU, full and incremental on the GPU (and the
// benchmark's naive pair), compared on every edge of every proposal. The oracle decides on what is small
// enough for it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "crossings/batch_evaluator.hpp"
#include "crossings/oracle.hpp"
#include "kernels/crossings/move_evaluator.hpp"
#include "random/stream.hpp"
#include "support/error.hpp"
#include "tests/kernels/require_gpu.hpp"

namespace lcn {
namespace {

StreamKey key(std::uint64_t seed) {
  return derive_key({seed, {}, 1}, Purpose::test, "crossings");
}

std::int64_t border(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::int32:
      return kMaxDifferenceInt32;
    case Arithmetic::fp64:
      return kMaxDifferenceFp64;
    case Arithmetic::int64:
      break;
  }
  return kMaxGridSide;
}

Drawing moved(const MoveWorkload& workload, const MoveProposal& move) {
  Drawing drawing = workload.base;
  drawing[static_cast<std::size_t>(move.vertex)] = move.to;
  return drawing;
}

MoveCounts oracle_of(const MoveBatch& batch) {
  MoveCounts result;
  result.m = batch.m();
  for (const MoveWorkload& workload : batch.workloads())
    for (const MoveProposal& move : workload.proposals) {
      const std::vector<std::int64_t> counts = oracle_counts(workload.graph, moved(workload, move));
      for (std::int64_t count : counts) result.counts.push_back(static_cast<std::int32_t>(count));
      result.tuples.push_back(tuple_of_counts(std::span<const std::int64_t>(counts)));
    }
  return result;
}

// Every edge of every proposal; stops at the first difference, which it names.
::testing::AssertionResult equal(const MoveCounts& expected, const MoveCounts& got) {
  if (expected.counts.size() != got.counts.size() || expected.tuples.size() != got.tuples.size())
    return ::testing::AssertionFailure()
           << "sizes differ: " << expected.counts.size() << " and " << got.counts.size();
  for (std::size_t i = 0; i < expected.counts.size(); ++i)
    if (expected.counts[i] != got.counts[i])
      return ::testing::AssertionFailure() << "evaluation " << i / static_cast<std::size_t>(expected.m)
                                           << ", edge " << i % static_cast<std::size_t>(expected.m) << ": "
                                           << expected.counts[i] << " expected, " << got.counts[i];
  for (std::size_t i = 0; i < expected.tuples.size(); ++i)
    if (expected.tuples[i] != got.tuples[i])
      return ::testing::AssertionFailure()
             << "evaluation " << i << ": tuple " << to_string(expected.tuples[i]) << " expected, "
             << to_string(got.tuples[i]);
  return ::testing::AssertionSuccess();
}

// The batch's own arithmetic and every wider one.
std::vector<Arithmetic> exact_arithmetics(const MoveBatch& batch) {
  std::vector<Arithmetic> result;
  for (Arithmetic a : {Arithmetic::int32, Arithmetic::fp64, Arithmetic::int64})
    if (a >= batch.arithmetic()) result.push_back(a);
  return result;
}

void expect_cpu(const MoveBatch& batch, const MoveCounts& expected) {
  for (Arithmetic arithmetic : exact_arithmetics(batch)) {
    SCOPED_TRACE(std::string("CPU, ") + to_string(arithmetic));
    EXPECT_TRUE(equal(expected, evaluate_full(batch, 0, batch.size(), arithmetic)));
    EXPECT_TRUE(equal(expected, evaluate_incremental(batch, 0, batch.size(), arithmetic)));
  }
}

void expect_gpu(const MoveBatch& batch, const MoveCounts& expected) {
  for (Arithmetic arithmetic : exact_arithmetics(batch)) {
    DeviceMoveEvaluator device(batch, arithmetic);
    for (MoveMethod method : kMoveMethods) {
      SCOPED_TRACE(std::string("GPU, ") + to_string(arithmetic) + ", " + to_string(method) + ", " +
                   device.launch_shape(method));
      device.poison();
      device.evaluate(method);
      EXPECT_TRUE(equal(expected, device.fetch()));
    }
  }
}

// ---- geometric fixtures, on a 16 x 16 grid that is scaled up to the border of each arithmetic

struct Fixture {
  std::string name;
  VertexId n;
  std::vector<Edge> edges;
  Drawing base;
  MoveProposal move;
  std::vector<std::int32_t> counts;  // after the move
};

const std::vector<Fixture>& fixtures() {
  static const std::vector<Edge> two = {{0, 1}, {2, 3}};
  static const Drawing cross = {{0, 0}, {16, 16}, {0, 16}, {16, 0}};
  static const std::vector<Fixture> all = {
      {"no-op move of a proper crossing", 4, two, cross, {0, {0, 0}}, {1, 1}},
      {"a crossing stays under a move", 4, two, cross, {3, {16, 1}}, {1, 1}},
      {"a move that creates a crossing", 4, two, {{0, 0}, {16, 16}, {0, 16}, {1, 15}}, {3, {16, 0}}, {1, 1}},
      {"a move that removes a crossing", 4, two, cross, {3, {0, 15}}, {0, 0}},
      {"edges that share an end, one moved onto the other",
       3,
       {{0, 1}, {0, 2}},
       {{0, 0}, {16, 0}, {8, 8}},
       {2, {8, 0}},
       {0, 0}},
      {"the shared end moves across", 3, {{0, 1}, {0, 2}}, {{0, 0}, {16, 0}, {8, 8}}, {0, {16, 16}}, {0, 0}},
      {"a touch: the end stops on the other edge",
       4,
       two,
       {{0, 8}, {16, 8}, {8, 16}, {8, 12}},
       {3, {8, 8}},
       {0, 0}},
      {"one step past the touch", 4, two, {{0, 8}, {16, 8}, {8, 16}, {8, 12}}, {3, {8, 7}}, {1, 1}},
      {"ends of different edges on one point",
       4,
       two,
       {{0, 8}, {16, 8}, {8, 16}, {8, 12}},
       {3, {16, 8}},
       {0, 0}},
      {"collinear, apart", 4, two, {{0, 0}, {4, 4}, {8, 8}, {9, 8}}, {3, {16, 16}}, {0, 0}},
      {"collinear touch at one point", 4, two, {{0, 0}, {8, 8}, {16, 16}, {9, 8}}, {3, {8, 8}}, {0, 0}},
      {"collinear overlap", 4, two, {{0, 0}, {10, 10}, {16, 16}, {9, 8}}, {3, {6, 6}}, {0, 0}},
      {"equal edges", 4, two, {{0, 0}, {10, 10}, {0, 0}, {9, 8}}, {3, {10, 10}}, {0, 0}},
      {"an edge of length zero on another", 4, two, {{0, 0}, {16, 16}, {8, 8}, {9, 8}}, {3, {8, 8}}, {0, 0}},
      {"an isolated vertex moves onto a crossing",
       5,
       two,
       {{0, 0}, {16, 16}, {0, 16}, {16, 0}, {1, 0}},
       {4, {8, 8}},
       {1, 1}},
      {"the edge with the maximum leaves",
       8,
       {{0, 1}, {2, 3}, {4, 5}, {6, 7}},
       {{0, 8}, {16, 8}, {4, 0}, {4, 16}, {8, 0}, {8, 16}, {12, 0}, {12, 16}},
       {1, {0, 9}},
       {0, 0, 0, 0}},
      {"the edge with the maximum loses one",
       8,
       {{0, 1}, {2, 3}, {4, 5}, {6, 7}},
       {{0, 8}, {16, 8}, {4, 0}, {4, 16}, {8, 0}, {8, 16}, {12, 0}, {12, 16}},
       {1, {10, 8}},
       {2, 1, 1, 0}},
      {"a path that crosses itself after the move",
       4,
       {{0, 1}, {1, 2}, {2, 3}},
       {{0, 8}, {16, 8}, {16, 16}, {8, 16}},
       {3, {8, 0}},
       {1, 0, 1}},
  };
  return all;
}

MoveBatch fixture_batch(const Fixture& fixture, std::int64_t side) {
  const std::int64_t scale = side / 16;
  MoveWorkload workload;
  workload.graph = Graph::from_edges(fixture.n, fixture.edges);
  for (const Point& p : fixture.base) workload.base.push_back({p.x * scale, p.y * scale});
  workload.proposals = {{fixture.move.vertex, {fixture.move.to.x * scale, fixture.move.to.y * scale}}};
  return MoveBatch({side, side}, {workload});
}

// ---- random workloads

// Half of the coordinates lie on or beside the borders of the grid: the largest products, many touches and
// overlaps.
MoveBatch border_batch(std::int64_t side, std::uint64_t seed) {
  Stream stream(key(seed));
  const auto coordinate = [&] {
    const std::int64_t inside = stream.between(0, side);
    const std::int64_t choice[] = {0, 1, side - 1, side, inside, inside, inside, side / 2};
    return choice[stream.below(8)];
  };
  MoveBatch random = random_move_batch({24, 90, 12, 3}, {side, side}, key(seed + 1));
  std::vector<MoveWorkload> workloads = random.workloads();
  for (MoveWorkload& workload : workloads) {
    for (Point& p : workload.base) p = {coordinate(), coordinate()};
    for (MoveProposal& move : workload.proposals) move.to = {coordinate(), coordinate()};
    workload.proposals[0].to =
        workload.base[static_cast<std::size_t>(workload.proposals[0].vertex)];  // no-op
  }
  return MoveBatch({side, side}, std::move(workloads));
}

// One vertex of degree 150 among other edges: more than four chunks of 32 moved edges. Another one is
// isolated.
MoveBatch hub_batch() {
  Stream stream(key(77));
  MoveWorkload workload;
  std::vector<Edge> edges;
  for (VertexId v = 1; v <= 150; ++v) edges.push_back({0, v});
  for (VertexId v = 1; v < 150; ++v) edges.push_back({v, v + 1});
  stream.shuffle(edges);
  workload.graph = Graph::from_edges(152, edges);
  for (int v = 0; v < 152; ++v) workload.base.push_back({stream.between(0, 5000), stream.between(0, 5000)});
  for (VertexId v : {0, 0, 7, 151, 0})
    workload.proposals.push_back({v, {stream.between(0, 5000), stream.between(0, 5000)}});
  return MoveBatch({5000, 5000}, {workload});
}

const std::vector<RandomBatchShape>& shapes() {
  // Edge counts on both sides of warps (32), row groups (128) and blocks, and vertices that cannot have an
  // edge.
  static const std::vector<RandomBatchShape> all = {
      {1, 0, 2, 2},    {5, 1, 4, 3},    {20, 31, 5, 2},   {20, 32, 5, 2},    {20, 33, 5, 2},
      {40, 127, 4, 2}, {40, 129, 4, 2}, {128, 512, 8, 2}, {300, 1804, 3, 1}, {700, 4100, 1, 1},
  };
  return all;
}

std::string name(const RandomBatchShape& shape) {
  return std::to_string(shape.vertices) + " vertices, " + std::to_string(shape.edges) + " edges";
}

class Crossings : public ::testing::TestWithParam<Arithmetic> {};
class CrossingsOnGpu : public ::testing::TestWithParam<Arithmetic> {};

std::string arithmetic_name(const ::testing::TestParamInfo<Arithmetic>& info) {
  return to_string(info.param);
}

INSTANTIATE_TEST_SUITE_P(Border, Crossings,
                         ::testing::Values(Arithmetic::int32, Arithmetic::fp64, Arithmetic::int64),
                         arithmetic_name);
INSTANTIATE_TEST_SUITE_P(Border, CrossingsOnGpu,
                         ::testing::Values(Arithmetic::int32, Arithmetic::fp64, Arithmetic::int64),
                         arithmetic_name);

TEST_P(Crossings, FixturesGiveTheCountsWorkedOutByHand) {
  for (const Fixture& fixture : fixtures()) {
    SCOPED_TRACE(fixture.name);
    const MoveBatch batch = fixture_batch(fixture, border(GetParam()));
    ASSERT_EQ(batch.arithmetic(), GetParam());
    const MoveCounts expected = oracle_of(batch);
    EXPECT_EQ(expected.counts, fixture.counts);
    expect_cpu(batch, expected);
  }
}

TEST_P(CrossingsOnGpu, FixturesGiveTheCountsWorkedOutByHand) {
  LCN_REQUIRE_GPU();
  for (const Fixture& fixture : fixtures()) {
    SCOPED_TRACE(fixture.name);
    const MoveBatch batch = fixture_batch(fixture, border(GetParam()));
    MoveCounts expected = oracle_of(batch);
    EXPECT_EQ(expected.counts, fixture.counts);
    expect_gpu(batch, expected);
  }
}

TEST_P(Crossings, CoordinatesOnTheBorderAreExact) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const MoveBatch batch = border_batch(border(GetParam()), 10 * seed);
    ASSERT_EQ(batch.arithmetic(), GetParam());
    expect_cpu(batch, oracle_of(batch));
  }
}

TEST_P(CrossingsOnGpu, CoordinatesOnTheBorderAreExact) {
  LCN_REQUIRE_GPU();
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const MoveBatch batch = border_batch(border(GetParam()), 10 * seed);
    expect_gpu(batch, oracle_of(batch));
  }
}

// The line through (0, 0) and (d, d - 1) passes (d - 1, d - 2) at a distance of one unit of the orientation,
// whose two products are near d^2: whoever rounds calls it a touch and misses the crossing.
MoveBatch narrow_miss(std::int64_t d) {
  MoveWorkload workload;
  workload.graph = Graph::from_edges(4, {{0, 1}, {2, 3}});
  workload.base = {{0, 0}, {d, d - 1}, {d, d}, {0, d}};
  workload.proposals = {{2, {d - 1, d - 2}}};
  return MoveBatch({d, d}, {workload});
}

TEST_P(Crossings, OneUnitBesideALineAsLongAsTheGridIsSeen) {
  const MoveBatch batch = narrow_miss(border(GetParam()));
  const MoveCounts expected = oracle_of(batch);
  ASSERT_EQ(expected.counts, (std::vector<std::int32_t>{1, 1}));
  expect_cpu(batch, expected);
}

TEST_P(CrossingsOnGpu, OneUnitBesideALineAsLongAsTheGridIsSeen) {
  LCN_REQUIRE_GPU();
  const MoveBatch batch = narrow_miss(border(GetParam()));
  expect_gpu(batch, oracle_of(batch));
}

TEST(CrossingsBorder, Fp64MissesItAt27Bits) {
  // Why there is a border at all: the same drawing in fp64, beyond it.
  const MoveBatch batch = narrow_miss((std::int64_t{1} << 27) + 1);
  ASSERT_EQ(batch.arithmetic(), Arithmetic::int64);
  const MoveWorkload& workload = batch.workloads().front();
  const Drawing drawing = moved(workload, workload.proposals.front());
  EXPECT_EQ(count_crossings(workload.graph, drawing, Arithmetic::int64), (std::vector<std::int32_t>{1, 1}));
  EXPECT_EQ(count_crossings(workload.graph, drawing, Arithmetic::fp64), (std::vector<std::int32_t>{0, 0}));
}

TEST(CrossingsRandom, CpuPairAgreesWithTheOracle) {
  for (const RandomBatchShape& shape : shapes()) {
    SCOPED_TRACE(name(shape));
    const MoveBatch batch = random_move_batch(shape, {1000, 1000}, key(1));
    expect_cpu(batch, oracle_of(batch));
  }
  const MoveBatch hub = hub_batch();
  expect_cpu(hub, oracle_of(hub));
}

TEST(CrossingsRandomOnGpu, AllMethodsAgreeWithTheCpu) {
  LCN_REQUIRE_GPU();
  for (const RandomBatchShape& shape : shapes())
    for (std::int64_t side :
         {std::int64_t{30}, std::int64_t{32'767}, std::int64_t{1'000'000}, kMaxGridSide}) {
      SCOPED_TRACE(name(shape) + ", grid side " + std::to_string(side));
      const MoveBatch batch = random_move_batch(shape, {side, side}, key(2));
      expect_gpu(batch, evaluate_full(batch, 0, batch.size(), batch.arithmetic()));
    }
  const MoveBatch hub = hub_batch();
  expect_gpu(hub, oracle_of(hub));
}

TEST(CrossingsRandomOnGpu, ManyEvaluationsALaunchUseOneBlockEach) {
  LCN_REQUIRE_GPU();
  for (const RandomBatchShape& shape :
       {RandomBatchShape{128, 512, 32, 40}, RandomBatchShape{600, 1804, 32, 40}}) {
    SCOPED_TRACE(name(shape));
    const MoveBatch batch = random_move_batch(shape, {1'000'000, 1'000'000}, key(3));
    expect_gpu(batch, evaluate_incremental(batch, 0, batch.size(), batch.arithmetic()));
  }
}

TEST(CrossingsRandomOnGpu, OneLargeDrawingIsSpreadOverTheDevice) {
  LCN_REQUIRE_GPU();
  const MoveBatch batch = random_move_batch({10'466, 20'288, 1, 1}, {1'000'000, 1'000'000}, key(4));
  const MoveCounts expected = evaluate_incremental(batch, 0, 1, batch.arithmetic());
  expect_gpu(batch, expected);
}

TEST(CrossingsRandomOnGpu, BaseCountsAreThoseOfTheBaseDrawings) {
  LCN_REQUIRE_GPU();
  const MoveBatch batch = random_move_batch({60, 200, 2, 5}, {500, 500}, key(5));
  std::vector<std::int32_t> expected;
  for (const MoveWorkload& workload : batch.workloads())
    for (std::int32_t count : count_crossings(workload.graph, workload.base, batch.arithmetic()))
      expected.push_back(count);
  EXPECT_EQ(DeviceMoveEvaluator(batch, batch.arithmetic()).base_counts(), expected);
}

TEST(CrossingsRandomOnGpu, RefusesAnArithmeticThatIsNotExact) {
  LCN_REQUIRE_GPU();
  const MoveBatch batch = random_move_batch({20, 33, 1, 1}, {1'000'000, 1'000'000}, key(6));
  EXPECT_THROW(DeviceMoveEvaluator(batch, Arithmetic::int32), Error);
}

// ---- the batch itself

MoveWorkload triangle() {
  return {Graph::from_edges(3, {{0, 1}, {1, 2}, {0, 2}}), {{0, 0}, {9, 0}, {0, 9}}, {{0, {1, 1}}}};
}

TEST(MoveBatch, RefusesWhatOneLaunchCannotHold) {
  EXPECT_THROW(MoveBatch({9, 9}, {}), Error);
  EXPECT_NO_THROW(MoveBatch({9, 9}, {triangle(), triangle()}));
  MoveWorkload other = triangle();
  other.proposals.push_back({1, {2, 2}});
  EXPECT_THROW(MoveBatch({9, 9}, {triangle(), other}), Error) << "unequal shapes";
  MoveWorkload off = triangle();
  off.base[1] = {10, 0};
  EXPECT_THROW(MoveBatch({9, 9}, {off}), Error) << "base off the grid";
  MoveWorkload far = triangle();
  far.proposals[0].to = {0, -1};
  EXPECT_THROW(MoveBatch({9, 9}, {far}), Error) << "move off the grid";
  MoveWorkload ghost = triangle();
  ghost.proposals[0].vertex = 3;
  EXPECT_THROW(MoveBatch({9, 9}, {ghost}), Error) << "no such vertex";
  MoveWorkload idle = triangle();
  idle.proposals.clear();
  EXPECT_THROW(MoveBatch({9, 9}, {idle}), Error) << "nothing to do";
}

TEST(MoveBatch, RandomWorkloadsAreSimpleGraphsAndPureFunctionsOfTheirIndex) {
  const MoveBatch one = random_move_batch({12, 66, 3, 1}, {50, 20}, key(8));  // the complete graph
  const MoveBatch three = random_move_batch({12, 66, 3, 3}, {50, 20}, key(8));
  EXPECT_EQ(one.workloads()[0].graph.edges(), three.workloads()[0].graph.edges());
  EXPECT_EQ(one.workloads()[0].base, three.workloads()[0].base);
  EXPECT_EQ(one.workloads()[0].proposals, three.workloads()[0].proposals);
  EXPECT_NE(three.workloads()[1].base, three.workloads()[2].base);
  EXPECT_THROW(random_move_batch({12, 67, 3, 1}, {50, 20}, key(8)), Error);
}

}  // namespace
}  // namespace lcn
