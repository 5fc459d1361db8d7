// One unit's replicas over several ranks: the same trajectory as on one, and every byte accounted for.
#include <gtest/gtest.h>

#include "graph/generators.hpp"
#include "mail_pump.hpp"
#include "search/distributed_population.hpp"
#include "search/solve.hpp"

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

// Results of all ranks. `stop` is polled on the last rank only.
std::vector<SolveResult> solve_on_ranks(int ranks, const SolveInput& task, const SolveOptions& options,
                                        std::function<bool()> stop = {}) {
  MailPump pump(ranks);
  std::vector<SolveResult> results(static_cast<std::size_t>(ranks));
  pump.run([&](int rank) {
    const auto& mail = pump.mails[static_cast<std::size_t>(rank)];
    mail->open(1);
    const auto channel = make_mail_channel(mail, 30);
    SolveInput mine = task;
    mine.channel = channel.get();
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

TEST(Distributed, TooFewReplicasAreRefused) {
  SolveOptions options = options_of("annealing");
  options.replicas = 2;
  EXPECT_THROW(solve_on_ranks(3, input(), options), Error);
}

TEST(Distributed, WhatFailsOnOneRankFailsOnAll) {
  MailPump pump(3);
  std::vector<std::string> reasons(3);
  pump.run([&](int rank) {
    const auto& mail = pump.mails[static_cast<std::size_t>(rank)];
    mail->open(1);
    const auto channel = make_mail_channel(mail, 30);
    SolveInput mine = input();
    mine.channel = channel.get();
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
