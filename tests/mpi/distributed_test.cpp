// One unit's replicas over several ranks: the same trajectory as on one, and every byte accounted for.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "graph/generators.hpp"
#include "layout/layout.hpp"
#include "search/backend.hpp"
#include "search/distributed_population.hpp"
#include "search/solve.hpp"
#include "search/starts.hpp"
#include "tests/mpi/mail_ranks.hpp"

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
  return {graph().graph, graph().grid, nullptr, SeedPath{5, sha256("ranks"), 1}, LowerBound{}, {}, nullptr};
}

SolveOptions options_of(const std::string& search, std::int64_t steps = 400) {
  SolveOptions options;
  options.steps = steps;
  options.time_limited = false;
  options.start = "snake";
  options.search = search;
  options.replicas = 10;  // bands of different sizes
  return options;
}

// Runs body(rank, input) on ranks that share one unit, each with a channel; rethrows the lowest rank's error.
void on_ranks(int ranks, const SolveInput& task,
              const std::function<void(int rank, const SolveInput& mine)>& body, double deadline = 30) {
  MailRanks all(ranks);
  const auto errors = all.run([&](int rank, const std::shared_ptr<ReplicaMail>& mail) {
    const auto channel = make_mail_channel(mail, deadline);
    SolveInput mine = task;
    mine.channel = channel.get();
    body(rank, mine);
  });
  for (const std::optional<Error>& error : errors)
    if (error) throw *error;
}

// Results of all ranks. `stop` is polled on the last rank only.
std::vector<SolveResult> solve_on_ranks(int ranks, const SolveInput& task, const SolveOptions& options,
                                        std::function<bool()> stop = {}) {
  std::vector<SolveResult> results(static_cast<std::size_t>(ranks));
  on_ranks(ranks, task, [&](int rank, const SolveInput& mine) {
    SolveOptions own = options;
    own.ranks = ranks;
    SolveCallbacks callbacks;
    if (rank == ranks - 1) callbacks.stop = stop;
    results[static_cast<std::size_t>(rank)] = solve(mine, own, callbacks);
  });
  return results;
}

const char* const kSearches[] = {
    "annealing",
    "annealing:energy=tuple,cycles=2",
    "population:every=2",
    "population:every=2,energy=tuple",
    "population:every=2,islands=2,resample=boltzmann",
    "population:every=2,islands=4,elite=3",
    "tempering:respace=8",
    "tempering:exchange=labels",
    "tempering:exchange=none",
};

void expect_same(const SolveResult& a, const SolveResult& b, const std::string& what) {
  EXPECT_EQ(a.status, b.status) << what;
  EXPECT_EQ(a.start_sha256, b.start_sha256) << what;
  EXPECT_EQ(a.claimed, b.claimed) << what;
  EXPECT_EQ(a.best, b.best) << what;
  EXPECT_EQ(a.state_sha256, b.state_sha256) << what;
  EXPECT_EQ(a.proposals_accepted, b.proposals_accepted) << what;
  EXPECT_EQ(a.exchanges_accepted, b.exchanges_accepted) << what;
  EXPECT_EQ(a.round_trips, b.round_trips) << what;
  EXPECT_EQ(a.rungs.size(), b.rungs.size()) << what;
}

TEST(Distributed, SameTrajectoryOnEveryNumberOfRanks) {
  for (const char* search : kSearches) {
    const SolveResult alone = solve(input(), options_of(search));
    for (int ranks = 1; ranks <= 4; ++ranks)
      for (const SolveResult& result : solve_on_ranks(ranks, input(), options_of(search)))
        expect_same(alone, result, std::string(search) + " on " + std::to_string(ranks));
  }
}

TEST(Distributed, BytesAreThoseOfTheMovesBetweenRanks) {
  const std::int64_t state =
      static_cast<std::int64_t>(sizeof(StateHeader)) + 4 * (2 * 30 + graph().graph.m());
  for (const char* search : kSearches)
    for (int ranks = 2; ranks <= 4; ++ranks) {
      const SolveResult result = solve_on_ranks(ranks, input(), options_of(search)).front();
      const ExchangeTraffic& t = result.traffic;
      EXPECT_EQ(t.bytes, (2 * t.exchanges + t.migrations) * state) << search;
      EXPECT_EQ(t.ranks, ranks);
      EXPECT_EQ(t.channel, "mpi");
      EXPECT_LE(t.exchanges, result.exchanges_accepted);
      if (std::string(search).starts_with("tempering:respace")) EXPECT_GT(t.exchanges, 0);
      if (std::string(search) == "population:every=2") EXPECT_GT(t.migrations, 0);
      if (std::string(search).ends_with("labels") || std::string(search).ends_with("none"))
        EXPECT_EQ(t.bytes, 0) << search;
    }
}

TEST(Distributed, AStopOnOneRankStopsAllAndTheRestRunsOnAnotherNumberOfRanks) {
  for (const char* search : {"annealing:cycles=2", "population:every=2", "tempering:respace=8"}) {
    const SolveOptions options = options_of(search, 15'000);
    const SolveResult whole = solve(input(), options);
    const std::vector<SolveResult> stopped =
        solve_on_ranks(3, input(), options, [left = 40]() mutable { return left-- <= 0; });
    for (const SolveResult& result : stopped) ASSERT_EQ(result.status, "interrupted");
    EXPECT_TRUE(stopped[1].checkpoint.empty());
    SolveInput rest = input();
    rest.checkpoint = stopped.front().checkpoint;
    expect_same(whole, solve(rest, options), search);
    for (const SolveResult& result : solve_on_ranks(2, rest, options)) expect_same(whole, result, search);
    // counters go on where they were
    const ExchangeTraffic together = solve_on_ranks(3, input(), options).front().traffic;
    const ExchangeTraffic resumed = solve_on_ranks(3, rest, options).front().traffic;
    EXPECT_EQ(resumed.bytes, together.bytes) << search;
    EXPECT_EQ(resumed.exchanges, together.exchanges) << search;
    EXPECT_EQ(resumed.migrations, together.migrations) << search;
    EXPECT_GT(resumed.seconds, stopped.front().traffic.seconds) << search;
  }
}

TEST(Distributed, TimedRunsEndTogether) {
  SolveOptions options = options_of("population:every=3", 0);
  options.time_limited = true;
  options.time = 0.5;
  const std::vector<SolveResult> results = solve_on_ranks(3, input(), options);
  for (const SolveResult& result : results) {
    EXPECT_EQ(result.status, "ok");
    EXPECT_EQ(result.state_sha256, results.front().state_sha256);
    EXPECT_EQ(result.schedule.size(), results.front().schedule.size());
  }
  EXPECT_GT(results.front().traffic.seconds, 0);
  // what the ranks did together can be repeated by one
  SolveInput again = input();
  again.replay = &results.front().schedule;
  expect_same(results.front(), solve(again, options), "replay");
}

// A backend whose layouts come in batches, as on a GPU: layout i puts the vertices on a circle, turned by i.
// `stops` makes the batch that has this index see a stop.
SolveBackend batching_backend(int within, std::atomic<int>& asked, int stops = -1) {
  SolveBackend backend = cpu_backend();
  backend.name = "batches";
  backend.layouts_within = [within](const std::string&, const Graph&, double) { return within; };
  backend.layouts = [&asked, stops](const std::string& spec, const LayoutRequest& request,
                                    int count) -> std::optional<std::vector<Layout>> {
    if (spec != "gradient") return std::nullopt;
    asked += count;
    std::vector<Layout> layouts;
    for (int i = 0; i < count; ++i) {
      const int index = static_cast<int>(request.index) + i;
      if (index == stops) throw Stopped();
      Layout layout;
      for (int v = 0; v < request.graph.n(); ++v) {
        layout.x.push_back(std::cos(0.1 * index + 0.2 * v * (1 + v % 3)) * (1 + 0.01 * v));
        layout.y.push_back(std::sin(0.1 * index + 0.2 * v * (1 + v % 3)) * (1 + 0.01 * v));
      }
      layouts.push_back(layout);
    }
    return layouts;
  };
  return backend;
}

std::vector<Starts> starts_on_ranks(int ranks, const SolveBackend& backend, const std::string& spec) {
  std::vector<Starts> results(static_cast<std::size_t>(ranks));
  SolveOptions options = options_of("annealing");
  options.time_limited = true;
  options.time = 60;
  options.start = spec;
  on_ranks(ranks, input(), [&](int rank, const SolveInput& mine) {
    const UnitClock clock;
    if (auto shared = share_starts(backend, mine, options, options.replicas, clock))
      results[static_cast<std::size_t>(rank)] = *std::move(shared);
  });
  return results;
}

TEST(Distributed, RanksShareTheirBatchesOfStarts) {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    std::atomic<int> asked{0};
    const SolveBackend backend = batching_backend(3, asked);
    SolveOptions options = options_of("annealing");
    options.time_limited = true;
    options.time = 60;
    options.start = "gradient";
    // one machine with time for as many as all ranks together
    std::atomic<int> asked_alone{0};
    const Starts alone = make_starts(batching_backend(3 * ranks, asked_alone), input(), options,
                                     options.replicas, UnitClock());
    ASSERT_EQ(alone.drawings.size(), static_cast<std::size_t>(std::min(10, 3 * ranks)));  // of 10 replicas
    for (const Starts& starts : starts_on_ranks(ranks, backend, "gradient")) {
      EXPECT_EQ(starts.drawings, alone.drawings) << ranks;
      EXPECT_EQ(starts.provider, "gradient (batches)");
      EXPECT_FALSE(starts.cut);
    }
    EXPECT_EQ(asked, asked_alone) << "no layout twice";
  }
}

TEST(Distributed, WithoutABatchOneRankMakesTheStarts) {
  std::atomic<int> asked{0};
  for (const Starts& starts : starts_on_ranks(3, batching_backend(3, asked), "snake"))
    EXPECT_TRUE(starts.drawings.empty());
  // late on one rank: nothing of the others' is kept
  for (const Starts& starts : starts_on_ranks(3, batching_backend(3, asked, 8), "gradient"))
    EXPECT_TRUE(starts.drawings.empty());
}

// Forwards to CPU replicas and counts how often loads and restarts have to be finished before the next one.
class BatchCounting : public Population {
 public:
  BatchCounting(std::unique_ptr<Population> own, int& batches) : own_(std::move(own)), batches_(batches) {}
  int size() const override { return own_->size(); }
  void load(int slot, const Drawing& drawing) override { pending_ = true, own_->load(slot, drawing); }
  void restart(int slot, const Drawing& drawing) override { pending_ = true, own_->restart(slot, drawing); }
  void run(const PopulationRound& round, std::span<const std::int64_t> temperatures) override {
    finished().run(round, temperatures);
  }
  const Tuple& tuple(int slot) const override { return finished().tuple(slot); }
  const ChainScalars& scalars(int slot) const override { return finished().scalars(slot); }
  ChainScalars& scalars(int slot) override { return finished().scalars(slot); }
  void copy(int from, int to) override { finished().copy(from, to); }
  void swap(int a, int b) override { finished().swap(a, b); }
  std::vector<std::int64_t> energies(const std::vector<std::int64_t>& table) override {
    return finished().energies(table);
  }
  Drawing drawing(int slot) const override { return finished().drawing(slot); }
  Drawing best_drawing(int slot) const override { return finished().best_drawing(slot); }
  std::vector<std::int32_t> counts(int slot) const override { return finished().counts(slot); }
  const char* backend() const override { return own_->backend(); }

 private:
  Population& finished() const {
    batches_ += std::exchange(pending_, false);
    return *own_;
  }
  std::unique_ptr<Population> own_;
  int& batches_;
  mutable bool pending_ = false;
};

// A GPU counts a batch of drawings in the time of one.
TEST(Distributed, DrawingsReachTheBandInBatches) {
  int batches = 0;
  const auto counting = [&](const Graph& graph, const Grid& grid, int replicas, int threads) {
    return std::make_unique<BatchCounting>(make_cpu_population(graph, grid, replicas, threads), batches);
  };
  SolveBackend backend = cpu_backend();
  backend.population = counting;
  on_ranks(1, input(), [&](int, const SolveInput& mine) {
    SolveInput task = mine;
    SolveCallbacks callbacks;
    bool begun = false;
    callbacks.improved = [&](const Tuple&, const Drawing&, const Improvement&) { begun = true; };
    callbacks.stop = [&] { return begun; };
    const SolveResult stopped = solve_on(backend, task, options_of("annealing", 15'000), callbacks);
    ASSERT_EQ(stopped.status, "interrupted");
    EXPECT_EQ(batches, 1);
    EXPECT_EQ(stopped.rungs.front().families, 10);  // though the band numbers its slots by itself
    batches = 0;
    task.checkpoint = stopped.checkpoint;
    EXPECT_EQ(solve_on(backend, task, options_of("annealing", 15'000)).status, "ok");
    EXPECT_LE(batches, 2);  // best drawings, then present ones
  });
}

TEST(Distributed, TooFewReplicasAreRefused) {
  SolveOptions options = options_of("annealing");
  options.replicas = 2;
  EXPECT_THROW(solve_on_ranks(3, input(), options), Error);
}

TEST(Distributed, ReplicasOnTheCpuAreRefusedByAChannelBetweenGpus) {
  class GpuChannel : public ReplicaChannel {
   public:
    const char* name() const override { return "gpus"; }
    int rank() const override { return 0; }
    int size() const override { return 1; }
    std::vector<std::int64_t> all_gather(std::span<const std::int64_t> mine) override {
      return {mine.begin(), mine.end()};
    }
    std::string broadcast(int, std::string bytes) override { return bytes; }
    std::vector<std::string> gather(std::string bytes) override { return {std::move(bytes)}; }
    std::int64_t maximum(std::int64_t mine) override { return mine; }
    void alive() override {}
    void transfer(std::span<const Transfer>, std::size_t) override {}
    bool device_memory() const override { return true; }
    std::shared_ptr<void> allocate(std::size_t) override { return nullptr; }
    void fail(const Error&) noexcept override {}
  } channel;
  SolveInput task = input();
  task.channel = &channel;
  try {
    solve(task, options_of("annealing"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "channel gpus moves states in a GPU's memory, but the replicas are on the CPU");
  }
}

// In time mode start drawings that are not counted in time are left out: the first is enough.
TEST(Distributed, StartsThatAreLateAreLeftOutOnAllRanks) {
  SolveInput task = input();
  SolveOptions options = options_of("population:every=2");
  for (std::int64_t seed = 1; seed <= 10; ++seed) {
    SolveInput other = input();
    other.seed.repetition = static_cast<std::uint64_t>(seed);
    options.start = "random";
    task.warm_starts.push_back(solve(other, options).start);
  }
  options.time_limited = true;
  options.time = 1e-6;
  for (int ranks = 1; ranks <= 4; ++ranks) {
    const SolveResult result =
        ranks == 1 ? solve(task, options) : solve_on_ranks(ranks, task, options).back();
    EXPECT_EQ(result.status, "ok");
    ASSERT_EQ(result.schedule.front().stage, -1);
    EXPECT_EQ(result.schedule.front().steps, 1) << "start drawing";
    EXPECT_EQ(result.start, task.warm_starts.front());
    SolveInput again = task;
    again.replay = &result.schedule;
    expect_same(result, solve(again, options), "replay");
  }
}

TEST(Distributed, AStopWhileDrawingsAreCountedInterruptsAllRanks) {
  static const Graph large = generate_graph("barabasi-albert", {{"n", 20'000}, {"m", 10}}, 3).graph;
  const SolveInput task{
      large, {1'000'000, 1'000'000}, nullptr, SeedPath{5, sha256("ranks"), 1}, LowerBound{}, {}, nullptr};
  SolveOptions options = options_of("annealing");
  options.start = "random";
  options.replicas = 2;
  std::atomic<bool> stop{false};
  std::thread signal([&] {
    std::this_thread::sleep_for(std::chrono::seconds(2));
    stop = true;
  });
  std::vector<SolveResult> results(2);
  const auto run = [&](int rank, const SolveInput& mine) {
    SolveCallbacks callbacks;
    callbacks.stop = [&] { return stop.load(); };
    results[static_cast<std::size_t>(rank)] = solve(mine, options, callbacks);
  };
  on_ranks(2, task, run, 1);  // a rank that counts is not missed
  signal.join();
  for (const SolveResult& result : results) {
    EXPECT_EQ(result.status, "interrupted");
    EXPECT_TRUE(result.best.empty());
  }
}

TEST(Distributed, WhatFailsOnOneRankFailsOnAll) {
  std::vector<std::string> reasons(3);
  on_ranks(3, input(), [&](int rank, const SolveInput& mine) {
    SolveCallbacks callbacks;
    callbacks.stop = [rank, polls = 0]() mutable -> bool {
      if (rank == 1 && ++polls == 5) throw Error(ErrorKind::environment, "injected");
      return false;
    };
    try {
      solve(mine, options_of("population:every=2"), callbacks);
    } catch (const Error& error) {
      reasons[static_cast<std::size_t>(rank)] = error.what();
    }
  });
  for (const std::string& reason : reasons) EXPECT_EQ(reason, "injected");
}

TEST(Distributed, BandsCoverAllReplicasOnce) {
  for (int replicas = 1; replicas < 40; ++replicas)
    for (int ranks = 1; ranks <= replicas; ++ranks) {
      int next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const ReplicaBand band = replica_band(replicas, rank, ranks);
        EXPECT_EQ(band.begin, next);
        EXPECT_GT(band.end, band.begin);
        next = band.end;
      }
      EXPECT_EQ(next, replicas);
    }
}

}  // namespace
}  // namespace lcn
