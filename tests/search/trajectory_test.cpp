// The contract of design section 3: same admitted start, seed and steps give the same trajectory, whatever
// runs it.
#include <gtest/gtest.h>

#include "crossings/oracle.hpp"
#include "crossings/validator.hpp"
#include "graph/generators.hpp"
#include "search/backend.hpp"
#include "search/population.hpp"
#include "search/solve.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

struct Task {
  GeneratedGraph generated;
  SolveInput input() const {
    return {generated.graph, generated.grid, nullptr, SeedPath{5, sha256("trajectory"), 1}, LowerBound{}, {},
            nullptr};
  }
};

Task make_task(const char* family, const FamilyValues& values, Grid grid) {
  Task task{generate_graph(family, values, 3)};
  task.generated.grid = grid;
  return task;
}

SolveOptions step_options(const std::string& search, int replicas, int threads, std::int64_t steps = 600) {
  SolveOptions options;
  options.steps = steps;
  options.time_limited = false;
  options.start = "snake";
  options.search = search;
  options.replicas = replicas;
  options.threads = threads;
  return options;
}

SolveBackend with_counter(CounterKind kind) {
  SolveBackend backend;
  backend.population = [kind](const Graph& graph, const Grid& grid, int replicas, int threads) {
    return make_cpu_population(graph, grid, replicas, threads, kind);
  };
  return backend;
}

const char* const kSearches[] = {
    "annealing",
    "annealing:energy=tuple,cycles=2",
    "population:every=2",
    "population:every=2,islands=2,resample=boltzmann",
    "population:every=2,islands=4,elite=3",
    "tempering:respace=8",
    "tempering:exchange=labels",
    "tempering:exchange=none",
};

void expect_same(const SolveResult& a, const SolveResult& b, const std::string& what) {
  EXPECT_EQ(a.start_sha256, b.start_sha256) << what;
  EXPECT_EQ(a.claimed, b.claimed) << what;
  EXPECT_EQ(a.best, b.best) << what;
  EXPECT_EQ(a.state_sha256, b.state_sha256) << what;
  EXPECT_EQ(a.proposals_accepted, b.proposals_accepted) << what;
  EXPECT_EQ(a.exchanges_accepted, b.exchanges_accepted) << what;
}

TEST(Trajectory, SameForEveryNumberOfThreads) {
  const Task task = make_task("barabasi-albert", {{"n", 40}, {"m", 3}}, {1'000'000, 1'000'000});
  for (const char* search : kSearches) {
    const SolveResult one = solve(task.input(), step_options(search, 16, 1));
    for (int threads : {2, 3, 4})
      expect_same(one, solve(task.input(), step_options(search, 16, threads)), search);
  }
}

TEST(Trajectory, SameForTheDeviceCounterWithEmulatedTeams) {
  for (const Grid grid :
       {Grid{1'000'000, 1'000'000}, Grid{60, 50}, Grid{std::int64_t{1} << 29, std::int64_t{1} << 28}}) {
    const Task task = make_task("barabasi-albert", {{"n", 30}, {"m", 3}}, grid);
    for (const char* search : kSearches) {
      const SolveOptions options = step_options(search, 8, 2, 300);
      const SolveResult bits = solve(task.input(), options);
      for (CounterKind kind : {CounterKind::direct1, CounterKind::direct32, CounterKind::direct128})
        expect_same(bits, solve_on(with_counter(kind), task.input(), options), search);
    }
  }
}

TEST(Trajectory, ClaimsAreVerifiedAndNeverWorseThanTheStart) {
  const Task task = make_task("regular", {{"n", 40}, {"d", 5}}, {120, 90});
  for (const char* search : kSearches) {
    const SolveResult result = solve(task.input(), step_options(search, 8, 2));
    EXPECT_EQ(result.claimed, oracle_tuple(task.generated.graph, result.best)) << search;
    EXPECT_TRUE(validate(task.generated.graph, task.generated.grid, result.best).valid()) << search;
    EXPECT_LE(result.claimed, result.initial) << search;
    EXPECT_LT(result.claimed.K, result.initial.K) << search;
    EXPECT_GT(result.proposals_accepted, 0) << search;
    EXPECT_LE(result.proposals_valid, result.proposals_evaluated) << search;
    EXPECT_EQ(result.proposals_attempted, 8 * 600) << search;
  }
}

TEST(Trajectory, SeedsDiffer) {
  const Task task = make_task("regular", {{"n", 30}, {"d", 4}}, {1000, 1000});
  SolveInput other = task.input();
  other.seed.repetition = 2;
  const SolveOptions options = step_options("annealing", 1, 1);
  EXPECT_NE(solve(task.input(), options).state_sha256, solve(other, options).state_sha256);
}

TEST(Trajectory, ReplayOfATimedRunIsExact) {
  const Task task = make_task("regular", {{"n", 40}, {"d", 5}}, {5000, 5000});
  for (const char* search : {"annealing:cycles=2", "population:every=3", "tempering:respace=5"}) {
    SolveOptions options = step_options(search, 8, 2, 0);
    options.time_limited = true;
    options.time = 0.4;
    const SolveResult timed = solve(task.input(), options);
    EXPECT_LT(timed.wall_time, 2.0);
    SolveInput again = task.input();
    again.replay = &timed.schedule;
    options.threads = 1;
    expect_same(timed, solve(again, options), search);
  }
}

TEST(Trajectory, StopsAtTargetAndAtTheBound) {
  const Task task = make_task("regular", {{"n", 30}, {"d", 4}}, {1000, 1000});
  SolveOptions options = step_options("annealing", 4, 1, 20000);
  options.target_K = 6;
  const SolveResult target = solve(task.input(), options);
  EXPECT_EQ(target.status, "target");
  EXPECT_TRUE(target.target_reached);
  EXPECT_LE(target.claimed.K, 6);
  SolveInput bounded = task.input();
  bounded.bound.value = 7;  // pretend: any K <= 7 ends the unit
  options.target_K.reset();
  EXPECT_EQ(solve(bounded, options).status, "optimal");
}

TEST(Trajectory, StopCallbackInterrupts) {
  const Task task = make_task("regular", {{"n", 30}, {"d", 4}}, {1000, 1000});
  SolveCallbacks callbacks;
  int polls = 0;
  callbacks.stop = [&] { return ++polls > 5; };
  const SolveResult result = solve(task.input(), step_options("annealing", 2, 1, 100000), callbacks);
  EXPECT_EQ(result.status, "interrupted");
  EXPECT_LT(result.replica_steps, 2 * 100000);
}

TEST(Trajectory, DegenerateGraphs) {
  const auto run = [](VertexId n, std::vector<Edge> edges, Grid grid) {
    const Graph graph = Graph::from_edges(n, std::move(edges));
    SolveInput input{graph, grid, nullptr, SeedPath{}, lower_bound(graph), {}, nullptr};
    SolveOptions options = step_options("annealing", 2, 1, 100);
    options.start = "auto";
    return solve(input, options);
  };
  EXPECT_EQ(run(0, {}, {10, 10}).status, "optimal");
  EXPECT_EQ(run(1, {}, {0, 0}).status, "optimal");
  EXPECT_EQ(run(9, {}, {2, 2}).status, "optimal");
  EXPECT_EQ(run(2, {{0, 1}}, {1, 0}).status, "optimal");
  EXPECT_THROW(run(5, {}, {1, 1}), Error);
}

TEST(Trajectory, UnknownSpecsAreUsageErrors) {
  const Task task = make_task("cycle", {{"n", 5}}, {10, 10});
  for (const char* bad : {"nonsense", "annealing:colour=red", "annealing:hot=-1",
                          "population:energy=tuple,resample=boltzmann"}) {
    try {
      solve(task.input(), step_options(bad, 1, 1));
      FAIL() << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << bad;
    }
  }
}

}  // namespace
}  // namespace lcn
