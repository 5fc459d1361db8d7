// Replicas on the GPU against replicas on the CPU: equal hashes of all drawings, counts, tuples, bandits and
// tallies.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "crossings/direct_counter.hpp"
#include "crossings/oracle.hpp"
#include "crossings/validator.hpp"
#include "graph/generators.hpp"
#include "kernels/device/devices.hpp"
#include "kernels/search/gpu_population.hpp"
#include "layout/admission.hpp"
#include "random/stream.hpp"
#include "search/backend.hpp"
#include "search/fixed_point.hpp"
#include "search/solve.hpp"
#include "search/weight_table.hpp"
#include "support/error.hpp"
#include "tests/kernels/require_gpu.hpp"

namespace lcn {
namespace {

StreamKey key(std::uint64_t seed) {
  return derive_key({seed, {}, 1}, Purpose::test, "gpu-search");
}

Graph random_graph(VertexId n, std::int64_t m) {
  Stream stream(key(5));
  std::set<std::pair<VertexId, VertexId>> pairs;
  std::vector<Edge> edges;
  while (static_cast<std::int64_t>(edges.size()) < m) {
    const auto a = static_cast<VertexId>(stream.below(static_cast<std::uint32_t>(n)));
    const auto b = static_cast<VertexId>(stream.below(static_cast<std::uint32_t>(n)));
    if (a != b && pairs.insert(std::minmax(a, b)).second) edges.push_back({a, b});
  }
  return Graph::from_edges(n, std::move(edges));
}

Graph hub_graph(VertexId leaves, VertexId isolated) {
  std::vector<Edge> edges;
  for (VertexId v = 1; v <= leaves; ++v) edges.push_back({0, v});
  for (VertexId v = 1; v < leaves; ++v)
    if (v % 3 == 0) edges.push_back({v, v + 1});
  return Graph::from_edges(leaves + 1 + isolated, edges);
}

Drawing random_drawing(const Graph& graph, const Grid& grid, std::uint64_t seed) {
  Stream stream(key(seed));
  Drawing points(static_cast<std::size_t>(graph.n()));
  for (Point& p : points) p = {stream.between(0, grid.width), stream.between(0, grid.height)};
  return admit(graph, grid, points, StreamKey{1, 2}).drawing;
}

// A few rounds with everything that a search does between them, the same on any population.
void drive(Population& population, const Graph& graph, const std::vector<Drawing>& starts, std::int64_t steps,
           int rounds) {
  const int replicas = population.size();
  for (int r = 0; r < replicas; ++r) population.load(r, starts[static_cast<std::size_t>(r) % starts.size()]);
  std::int64_t step = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t K = std::max<std::int64_t>(1, population.tuple(0).K);
    const std::vector<std::int64_t> table =
        round % 3 == 0 ? linear_table(graph.m()) : power_table(graph.m(), K, 2.0 * double(K), 0.01);
    PopulationRound plan;
    plan.key = key(77);
    plan.first_step = step;
    plan.steps = steps;
    plan.energy = round % 3 == 2 ? EnergyKind::tuple : EnergyKind::table;
    plan.table = &table;
    std::vector<std::int64_t> temperatures;
    for (int r = 0; r < replicas; ++r) temperatures.push_back(to_fixed(1.5 / (1 + r % 5)));
    population.run(plan, temperatures);
    step += steps;
    if (replicas < 4) continue;
    population.copy(0, 1);
    population.copy(1, 2);  // of what was just copied
    population.swap(1, 3);
    population.copy(3, 0);
    if (round == 1) population.restart(3, starts.front());
  }
}

std::string state_of(Population& population, const Graph& graph) {
  std::string text;
  for (std::int64_t e : population.energies(linear_table(graph.m()))) text += std::to_string(e) + " ";
  return text + to_hex(population_sha256(population));
}

struct Case {
  std::string name;
  Graph graph;
  Grid grid;
  int replicas;
  std::int64_t steps;
};

// Groups of 32 lanes with an even and an odd number of teams, wider teams, a group as large as a block.
const std::vector<GpuPopulationOptions> kGroups = {{32, false, 2}, {32, false, 4},  {32, false, 15},
                                                   {64, false, 3}, {128, false, 4}, {0, false, 0}};

void expect_equal(const Case& c, const std::vector<int>& lanes) {
  SCOPED_TRACE(c.name);
  std::vector<Drawing> starts;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) starts.push_back(random_drawing(c.graph, c.grid, seed));
  const auto cpu = make_cpu_population(c.graph, c.grid, c.replicas, 2);
  drive(*cpu, c.graph, starts, c.steps, 4);
  const std::string expected = state_of(*cpu, c.graph);
  std::int64_t valid = 0;
  for (int r = 0; r < c.replicas; ++r) valid += cpu->scalars(r).valid;
  EXPECT_GT(valid, 0);
  std::vector<GpuPopulationOptions> choices = kGroups;
  for (const bool global : {false, true})
    for (const int count : lanes) choices.push_back({count, global, 1});
  for (const GpuPopulationOptions& options : choices) {
    const auto gpu = make_gpu_population(c.graph, c.grid, c.replicas, options);
    drive(*gpu, c.graph, starts, c.steps, 4);
    EXPECT_EQ(state_of(*gpu, c.graph), expected) << options.lanes << " lanes, global memory "
                                                 << options.global_memory << ", group of " << options.group;
    for (int r = 0; r < std::min(c.replicas, 3); ++r) {
      EXPECT_EQ(gpu->tuple(r), oracle_tuple(c.graph, gpu->drawing(r)));
      EXPECT_TRUE(validate(c.graph, c.grid, gpu->drawing(r)).valid());
    }
  }
}

TEST(GpuPopulation, EqualsTheCpuOnEveryGridAndTeam) {
  LCN_REQUIRE_GPU();
  const Graph graph = generate_graph("barabasi-albert", {{"n", 60}, {"m", 3}}, 3).graph;
  const std::int64_t exact = kMaxDifferenceFp32;
  const std::vector<Grid> grids = {{60, 50},           {exact, exact - 1}, {exact + 1, 100},
                                   {32'767, 32'767},   {32'768, 5'000},    {1'000'000, 1'000'000},
                                   {1 << 24, 1 << 24}, {1 << 26, 1 << 26}, {(1 << 26) + 1, 1 << 20},
                                   {1 << 30, 1 << 30}};
  for (const Grid& grid : grids)
    expect_equal({"grid " + std::to_string(grid.width), graph, grid, 9, 150}, {0, 32, 64, 128, 512});
}

TEST(GpuPopulation, EqualsTheCpuOnEveryShapeOfGraph) {
  LCN_REQUIRE_GPU();
  expect_equal({"dense", random_graph(40, 600), {20'000, 20'000}, 7, 150}, {32, 128});
  expect_equal({"hub", hub_graph(94, 3), {1'000'000, 1'000'000}, 6, 200}, {32, 64, 128});
  expect_equal({"hub in parts", hub_graph(300, 3), {3'000, 3'000}, 5, 60}, {32, 64, 256});
  expect_equal({"isolated", hub_graph(20, 60), {25, 25}, 5, 300}, {32, 64});
  expect_equal({"crowded", random_graph(30, 60), {9, 11}, 5, 400}, {32, 64});
  expect_equal({"one edge", Graph::from_edges(2, {{0, 1}}), {3, 3}, 4, 50}, {32, 96});
  expect_equal({"path", Graph::from_edges(3, {{0, 1}, {1, 2}}), {4, 4}, 1, 50}, {32});
}

TEST(GpuPopulation, ManyReplicas) {
  LCN_REQUIRE_GPU();
  const Graph graph = generate_graph("regular", {{"n", 40}, {"d", 5}}, 3).graph;
  for (int replicas : {1, 2, 33, 500}) expect_equal({"replicas", graph, {5'000, 4'000}, replicas, 40}, {0});
}

TEST(GpuPopulation, GraphsWithoutEdges) {
  LCN_REQUIRE_GPU();
  for (const VertexId n : {0, 1, 5}) {
    const Graph graph = Graph::from_edges(n, {});
    const Grid grid{10, 10};
    Drawing drawing;
    for (VertexId v = 0; v < n; ++v) drawing.push_back({v, 2 * v});
    const auto gpu = make_gpu_population(graph, grid, 3);
    for (int r = 0; r < 3; ++r) gpu->load(r, drawing);
    const std::vector<std::int64_t> table = linear_table(0), temperatures(3, 0);
    PopulationRound round;
    round.steps = 5;
    round.table = &table;
    gpu->run(round, temperatures);
    gpu->copy(0, 1);
    EXPECT_EQ(gpu->drawing(1), drawing);
    EXPECT_EQ(gpu->best_drawing(2), drawing);
    EXPECT_EQ(gpu->tuple(0), Tuple{});
    EXPECT_EQ(gpu->energies(table), std::vector<std::int64_t>(3, 0));
  }
}

// The largest contest size: positions, counts and pending counts of one replica fill most of a
// multiprocessor.
TEST(GpuPopulation, LargestContestGraph) {
  LCN_REQUIRE_GPU();
  const Graph graph = random_graph(10'466, 20'288);
  const Grid grid{1'000'000, 1'000'000};
  const Drawing start = random_drawing(graph, grid, 1);
  const auto cpu = make_cpu_population(graph, grid, 2, 2), gpu = make_gpu_population(graph, grid, 2);
  EXPECT_TRUE(gpu_population_shape(graph, grid).compact);
  const std::vector<std::int64_t> table = linear_table(graph.m()), temperatures = {to_fixed(2), 0};
  PopulationRound round;
  round.key = key(5);
  round.steps = 120;
  round.table = &table;
  for (Population* population : {cpu.get(), gpu.get()}) {
    for (int r = 0; r < 2; ++r) population->load(r, start);
    population->run(round, temperatures);
  }
  EXPECT_EQ(population_sha256(*cpu), population_sha256(*gpu));
  EXPECT_GT(gpu->scalars(0).accepted, 0);
}

// Too many edges for shared memory with 16 bits.
TEST(GpuPopulation, DenseGraphInGlobalMemory) {
  LCN_REQUIRE_GPU();
  const Graph graph = random_graph(1'000, 70'000);
  const Grid grid{1'000'000, 1'000'000};
  EXPECT_FALSE(gpu_population_shape(graph, grid).compact);
  const Drawing start = random_drawing(graph, grid, 1);
  const auto gpu = make_gpu_population(graph, grid, 2);
  const std::vector<std::int64_t> table = linear_table(graph.m()), temperatures = {to_fixed(2), 0};
  PopulationRound round;
  round.key = key(5);
  round.steps = 10;
  round.table = &table;
  for (int r = 0; r < 2; ++r) gpu->load(r, start);
  gpu->run(round, temperatures);
  // A fresh count of what the round left must agree with the counts that it kept.
  const auto again = make_gpu_population(graph, grid, 2, {64, true});
  for (int r = 0; r < 2; ++r) {
    again->load(r, gpu->drawing(r));
    EXPECT_EQ(again->counts(r), gpu->counts(r));
    EXPECT_EQ(again->tuple(r), gpu->tuple(r));
    EXPECT_EQ(gpu->scalars(r).attempted, 10);
  }
}

TEST(GpuPopulation, SearchesWalkTheSameTrajectory) {
  LCN_REQUIRE_GPU();
  GeneratedGraph generated = generate_graph("barabasi-albert", {{"n", 50}, {"m", 3}}, 3);
  for (const Grid grid : {Grid{1'000'000, 1'000'000}, Grid{70, 80}}) {
    const SolveInput input{generated.graph, grid, nullptr, SeedPath{5, sha256("gpu"), 1},
                           LowerBound{},    {},   nullptr};
    for (const char* search : {"annealing", "annealing:energy=tuple,cycles=2", "population:every=2",
                               "population:every=2,islands=2,resample=boltzmann", "tempering:respace=8",
                               "tempering:exchange=labels"}) {
      SolveOptions options;
      options.steps = 800;
      options.time_limited = false;
      options.start = "snake";
      options.search = search;
      options.replicas = 16;
      options.threads = 2;
      const SolveResult cpu = solve(input, options);
      for (const GpuPopulationOptions& shape :
           {GpuPopulationOptions{32, false, 1}, GpuPopulationOptions{128, false, 1},
            GpuPopulationOptions{32, false, 4}, GpuPopulationOptions{64, false, 2}}) {
        SolveBackend backend;
        backend.population = [&shape](const Graph& graph, const Grid& g, int replicas, int) {
          return make_gpu_population(graph, g, replicas, shape);
        };
        const SolveResult gpu = solve_on(backend, input, options);
        EXPECT_EQ(gpu.backend, "gpu");
        EXPECT_EQ(cpu.start_sha256, gpu.start_sha256) << search;
        EXPECT_EQ(cpu.state_sha256, gpu.state_sha256)
            << search << ", " << shape.lanes << " lanes, group of " << shape.group;
        EXPECT_EQ(cpu.claimed, gpu.claimed) << search;
        EXPECT_EQ(cpu.best, gpu.best) << search;
        EXPECT_EQ(cpu.proposals_accepted, gpu.proposals_accepted) << search;
        EXPECT_EQ(cpu.exchanges_accepted, gpu.exchanges_accepted) << search;
      }
    }
  }
}

// Long enough for epochs without an acceptance, at a size that a search has.
TEST(GpuPopulation, GroupsWalkLongRounds) {
  LCN_REQUIRE_GPU();
  const Graph graph = random_graph(400, 1'500);
  const Grid grid{1'000'000, 1'000'000};
  const Drawing start = random_drawing(graph, grid, 1);
  const std::vector<std::int64_t> table = linear_table(graph.m());
  const auto hash_of = [&](const GpuPopulationOptions& options) {
    const auto gpu = make_gpu_population(graph, grid, 12, options);
    for (int r = 0; r < 12; ++r) gpu->load(r, start);
    PopulationRound round;
    round.key = key(5);
    round.table = &table;
    for (const std::int64_t steps : {3'000, 1, 64, 65, 2'000}) {
      round.steps = steps;
      std::vector<std::int64_t> temperatures;
      for (int r = 0; r < 12; ++r) temperatures.push_back(to_fixed(r == 0 ? 0.0 : 0.5 * r));
      gpu->run(round, temperatures);
      round.first_step += steps;
    }
    EXPECT_GT(gpu->scalars(11).accepted, gpu->scalars(0).accepted);
    return to_hex(population_sha256(*gpu));
  };
  const std::string plain = hash_of({32, false, 1});
  for (const GpuPopulationOptions& options : kGroups)
    EXPECT_EQ(hash_of(options), plain) << options.lanes << " lanes, group of " << options.group;
}

TEST(GpuPopulation, FewReplicasGetMoreThreads) {
  LCN_REQUIRE_GPU();
  const Graph graph = random_graph(400, 1'500);
  const Grid grid{1'000'000, 1'000'000};
  const int multiprocessors = gpu_population_shape(graph, grid).multiprocessors;
  int before = 0;
  for (const int each : {12, 8, 4, 2, 1}) {
    const int replicas = each * multiprocessors;
    const GpuPopulationOptions options = options_for(graph, grid, replicas);
    const GpuPopulationShape shape = gpu_population_shape(graph, grid, options);
    EXPECT_GE(shape.teams_per_multiprocessor, each);
    EXPECT_GE(shape.lanes * shape.group, before) << replicas << " replicas";
    before = shape.lanes * shape.group;
  }
  EXPECT_GT(before, 128);
  const GpuPopulationOptions many = options_for(graph, grid, 1'000'000);
  EXPECT_EQ(many.lanes, 0);
  EXPECT_EQ(many.group, 1);
}

TEST(GpuPopulation, ErrorsSayWhatToDo) {
  LCN_REQUIRE_GPU();
  const Graph graph = random_graph(1'000, 3'000);
  EXPECT_GE(default_gpu_replicas(graph, {1'000, 1'000}), 1);
  EXPECT_NE(gpu_population_shape(graph, {1'000, 1'000}).text().find("lanes"), std::string::npos);
  const auto kind_of = [](auto&& call) {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("("), std::string::npos) << error.what();
      return error.kind();
    }
    ADD_FAILURE() << "no error";
    return ErrorKind::internal;
  };
  EXPECT_EQ(kind_of([&] { make_gpu_population(graph, {1'000, 1'000}, 2'000'000'000); }), ErrorKind::unit);
  EXPECT_EQ(kind_of([&] { make_gpu_population(graph, {1'000, 1'000}, 1, {48, false}); }), ErrorKind::usage);
  for (const GpuPopulationOptions& bad :
       {GpuPopulationOptions{32, false, 16}, GpuPopulationOptions{128, false, 5},
        GpuPopulationOptions{0, true, 2}, GpuPopulationOptions{0, false, -1}})
    EXPECT_EQ(kind_of([&] { make_gpu_population(graph, {1'000, 1'000}, 1, bad); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { make_gpu_population(graph, {kMaxGridSide + 1, 5}, 1); }), ErrorKind::input);
}

TEST(GpuPopulation, OptionsAreCheckedWithoutAGpuToo) {
  for (const GpuPopulationOptions& good :
       {GpuPopulationOptions{}, GpuPopulationOptions{512, false, 1}, GpuPopulationOptions{0, false, 15},
        GpuPopulationOptions{256, true, 0}, GpuPopulationOptions{256, false, 2}})
    EXPECT_NO_THROW(check_gpu_population_options(good)) << good.lanes << ", " << good.group;
  for (const GpuPopulationOptions& bad :
       {GpuPopulationOptions{16, false, 0}, GpuPopulationOptions{-32, false, 0},
        GpuPopulationOptions{544, false, 0}, GpuPopulationOptions{0, false, 16},
        GpuPopulationOptions{0, false, -1}, GpuPopulationOptions{256, false, 3}})
    EXPECT_THROW(check_gpu_population_options(bad), Error) << bad.lanes << ", " << bad.group;
}

TEST(GpuPopulation, WithoutCudaSaysSo) {
  if (built_with_cuda()) GTEST_SKIP() << "built with CUDA";
  const Graph graph = random_graph(10, 20);
  EXPECT_THROW(make_gpu_population(graph, {100, 100}, 1), Error);
  EXPECT_THROW(default_gpu_replicas(graph, {100, 100}), Error);
  EXPECT_THROW(options_for(graph, {100, 100}, 5), Error);
}

}  // namespace
}  // namespace lcn
