// An interrupted unit that goes on from its checkpoint ends in the same state as one that was never stopped.
#include <gtest/gtest.h>

#include "graph/generators.hpp"
#include "search/population.hpp"
#include "search/solve.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

const GeneratedGraph& graph() {
  static const GeneratedGraph generated = [] {
    GeneratedGraph g = generate_graph("barabasi-albert", {{"n", 30}, {"m", 3}}, 3);
    g.grid = {1'000'000, 1'000'000};
    return g;
  }();
  return generated;
}

SolveInput input() {
  return {graph().graph, graph().grid, nullptr, SeedPath{5, sha256("checkpoint"), 1},
          LowerBound{},  {},           nullptr};
}

SolveOptions options_of(const std::string& search) {
  SolveOptions options;
  options.steps = 18'000;  // rounds of 30 steps, of which the first has two parts
  options.time_limited = false;
  options.start = "snake";
  options.search = search;
  options.replicas = 4;
  return options;
}

// Stops when it has been asked `polls` times.
SolveResult run_until(const SolveInput& task, const SolveOptions& options, int polls) {
  SolveCallbacks callbacks;
  callbacks.stop = [left = polls]() mutable { return left-- <= 0; };
  return solve(task, options, callbacks);
}

// How often the starts ask: until then there is nothing that is worth a checkpoint.
int polls_of_the_starts(const SolveOptions& options) {
  int polls = 0;
  for (; polls < 1000; ++polls) {
    const SolveResult stopped = run_until(input(), options, polls);
    EXPECT_EQ(stopped.status, "interrupted");
    if (!stopped.checkpoint.empty()) break;
  }
  EXPECT_GE(polls, options.replicas - 1);  // between the start drawings at least
  return polls;
}

void expect_same(const SolveResult& a, const SolveResult& b, const std::string& what) {
  EXPECT_EQ(a.status, b.status) << what;
  EXPECT_EQ(a.claimed, b.claimed) << what;
  EXPECT_EQ(a.best, b.best) << what;
  EXPECT_EQ(a.start, b.start) << what;
  EXPECT_EQ(a.initial, b.initial) << what;
  EXPECT_EQ(a.start_sha256, b.start_sha256) << what;
  EXPECT_EQ(a.state_sha256, b.state_sha256) << what;
  EXPECT_EQ(a.stages, b.stages) << what;
  EXPECT_EQ(a.proposals_attempted, b.proposals_attempted) << what;
  EXPECT_EQ(a.proposals_accepted, b.proposals_accepted) << what;
  EXPECT_EQ(a.replica_steps, b.replica_steps) << what;
  EXPECT_EQ(a.exchanges_accepted, b.exchanges_accepted) << what;
  EXPECT_EQ(a.round_trips, b.round_trips) << what;
  ASSERT_EQ(a.schedule.size(), b.schedule.size()) << what;
  for (std::size_t i = 0; i < a.schedule.size(); ++i) {
    EXPECT_EQ(a.schedule[i].stage, b.schedule[i].stage) << what << i;
    EXPECT_EQ(a.schedule[i].steps, b.schedule[i].steps) << what << i;
    EXPECT_EQ(a.schedule[i].temperature, b.schedule[i].temperature) << what << i;
    EXPECT_EQ(a.schedule[i].table_K, b.schedule[i].table_K) << what << i;
  }
  ASSERT_EQ(a.rungs.size(), b.rungs.size()) << what;
  for (std::size_t i = 0; i < a.rungs.size(); ++i) {
    EXPECT_EQ(a.rungs[i].families, b.rungs[i].families) << what;
    EXPECT_EQ(a.rungs[i].hot_fraction, b.rungs[i].hot_fraction) << what;
    EXPECT_EQ(a.rungs[i].accepts_odd, b.rungs[i].accepts_odd) << what;
  }
}

TEST(Checkpoint, AStoppedUnitEndsInTheSameState) {
  for (const char* search :
       {"annealing", "annealing:energy=tuple,cycles=3", "population:every=2,islands=2,resample=boltzmann",
        "population:every=2,islands=4,elite=3", "tempering:respace=8", "tempering:exchange=labels",
        "tempering:lower=0,exchange=none"}) {
    const SolveOptions options = options_of(search);
    const SolveResult whole = solve(input(), options);
    ASSERT_EQ(whole.status, "ok");
    EXPECT_TRUE(run_until(input(), options, 0).start.empty());
    const int first = polls_of_the_starts(options);
    // Before the first round, in its middle, after it, in later stages.
    for (const int polls : {0, 1, 2, 3, 97, 247, 596}) {
      const SolveResult stopped = run_until(input(), options, first + polls);
      ASSERT_EQ(stopped.status, "interrupted") << search << polls;
      ASSERT_FALSE(stopped.checkpoint.empty());
      SolveInput rest = input();
      rest.checkpoint = stopped.checkpoint;
      expect_same(whole, solve(rest, options), std::string(search) + " after " + std::to_string(polls));
    }
  }
}

TEST(Checkpoint, ManyStopsChangeNothing) {
  for (const char* search : {"annealing:cycles=2", "population:every=3", "tempering:respace=5"}) {
    const SolveOptions options = options_of(search);
    SolveInput task = input();
    SolveResult result = run_until(task, options, polls_of_the_starts(options) + 14);
    int stops = 0;
    while (result.status == "interrupted") {
      ++stops;
      task.checkpoint = result.checkpoint;
      result = run_until(task, options, 17 + stops);
    }
    EXPECT_GT(stops, 15);
    expect_same(solve(input(), options), result, search);
  }
}

TEST(Checkpoint, TimeUsedBeforeCounts) {
  SolveOptions options = options_of("annealing");
  options.steps = 0;
  options.time_limited = true;
  options.time = 0.6;
  const SolveResult stopped = run_until(input(), options, polls_of_the_starts(options) + 57);
  ASSERT_EQ(stopped.status, "interrupted");
  SolveInput rest = input();
  rest.checkpoint = stopped.checkpoint;
  const SolveResult result = solve(rest, options);
  EXPECT_EQ(result.status, "ok");
  EXPECT_GT(result.wall_time, stopped.wall_time);
  EXPECT_GE(result.time_to_best, 0);
  EXPECT_LE(result.claimed, stopped.claimed);
}

TEST(Checkpoint, DamageIsAnError) {
  const SolveOptions options = options_of("tempering");
  const std::string good = run_until(input(), options, polls_of_the_starts(options) + 17).checkpoint;
  SolveInput task = input();
  for (const std::size_t size : {std::size_t{1}, std::size_t{11}, good.size() / 2, good.size() - 1}) {
    task.checkpoint = good.substr(0, size);
    EXPECT_THROW(solve(task, options), Error) << size;
  }
  task.checkpoint = good + "x";
  EXPECT_THROW(solve(task, options), Error);
  task.checkpoint = good;
  SolveOptions other = options;
  other.replicas = 7;
  EXPECT_THROW(solve(task, other), Error);
}

// Found by sanitizers only: copying the no coordinates of such a state from or to a null pointer.
TEST(PopulationState, OfAGraphWithoutVerticesIsWrittenAndRead) {
  const Graph graph = Graph::from_edges(0, {});
  const auto population = make_cpu_population(graph, {5, 5}, 2, 1);
  for (int r = 0; r < 2; ++r) population->load(r, {});
  std::string state(population->state_bytes(), 'x');
  population->write_state(0, state.data());
  population->read_state(1, state.data());
  EXPECT_EQ(population->tuple(1), Tuple{});
}

}  // namespace
}  // namespace lcn
