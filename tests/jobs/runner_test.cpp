#include "jobs/runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "crossings/oracle.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

using testing::HasSubstr;

// K4 drawn with one crossing (start) and without (best).
const char* const kInstance = R"({"nodes":[{"id":0,"x":0,"y":0},{"id":1,"x":10,"y":0},{"id":2,"x":10,"y":10},
{"id":3,"x":0,"y":10}],"edges":[{"source":0,"target":1},{"source":1,"target":2},{"source":2,"target":3},
{"source":3,"target":0},{"source":0,"target":2},{"source":1,"target":3}],"width":20,"height":20})";
const Drawing kCrossed = {{0, 0}, {10, 0}, {10, 10}, {0, 10}};
const Drawing kPlane = {{0, 0}, {20, 0}, {10, 20}, {10, 5}};

SolveResult pretended(const SolveInput& input) {
  SolveResult result;
  result.status = "ok";
  result.start = kCrossed;
  result.best = kPlane;
  result.initial = {1, 2, 2, 1};
  result.claimed = {0, 0, 0, 0};
  result.wall_time = 1;
  result.proposals_attempted = static_cast<std::int64_t>(input.seed.repetition);
  result.backend = "cpu";
  return result;
}

class MemoryStore : public ResultStore {
 public:
  void store_unit(const UnitRecord& record, const Instance&) override {
    if (fails) throw Error(ErrorKind::environment, "no space left");
    EXPECT_TRUE(units.emplace(record.unit, record).second) << "stored twice: " << record.unit;
  }
  void store_best(const UnitRecord& unit, const Instance&, const Drawing&, const Tuple& tuple) override {
    best[unit.unit].push_back(tuple);
    ++best_count;
  }
  void store_checkpoint(const UnitRecord& unit, const std::string& state) override {
    checkpoints[unit.unit] = state;
  }
  void store_diagnostic(const UnitRecord& record, const Instance&, const Drawing&) override {
    diagnostics.insert(record.unit);
  }
  bool fails = false;
  std::map<std::string, UnitRecord> units;
  std::map<std::string, std::vector<Tuple>> best;
  std::atomic<int> best_count{0};
  std::set<std::string> diagnostics;
  std::map<std::string, std::string> checkpoints;
};

// A job on thread ranks. Exit codes of the other ranks are checked.
class RunnerTest : public testing::Test {
 protected:
  RunnerTest() {
    instance_ = std::make_shared<const Instance>(parse_instance(kInstance, "k4", "k4.json"));
    settings_.best_interval = 0.03;
    settings_.stop_deadline = 5;
  }

  RunSummary run(int ranks, std::size_t units, const SolveFunction& solve, bool shared = false) {
    const Machinery machinery{solve, [](std::shared_ptr<ReplicaMail> mail, const UnitTask&) {
                                return make_mail_channel(std::move(mail), 2);
                              }};
    Job job;
    job.shared = shared;
    job.units = units;
    job.instance = [this](std::size_t) { return instance_; };
    job.claim = claim_;
    job.task = [this](std::size_t i) {
      UnitTask task;
      task.unit = "unit" + std::to_string(i);
      task.instance_sha256 = to_hex(instance_->hash);
      task.repetition = static_cast<std::int64_t>(i);
      return task;
    };
    std::vector<Communicator> worlds = Communicator::threads(ranks);
    const std::function<bool()> stop = [this] { return stop_.load(); };
    std::vector<std::thread> servers;
    for (int rank = 1; rank < ranks; ++rank)
      servers.emplace_back([&, rank] {
        EXPECT_EQ(serve_units(worlds[static_cast<std::size_t>(rank)], machinery, settings_, stop), 17);
      });
    std::FILE* log = std::tmpfile();
    Progress progress(log, false, units, 0, 60);
    std::exception_ptr failure;
    RunSummary summary;
    try {
      summary = run_units(worlds[0], job, store_, progress, machinery, settings_, stop);
    } catch (...) {
      failure = std::current_exception();
    }
    dismiss_ranks(worlds[0], 17);
    for (std::thread& server : servers) server.join();
    std::rewind(log);
    for (int c = std::fgetc(log); c != EOF; c = std::fgetc(log)) log_ += static_cast<char>(c);
    std::fclose(log);
    if (failure) std::rethrow_exception(failure);
    return summary;
  }

  std::shared_ptr<const Instance> instance_;
  RunSettings settings_;
  MemoryStore store_;
  std::atomic<bool> stop_{false};
  std::function<Claim(std::size_t)> claim_;
  std::string log_;
};

TEST_F(RunnerTest, EveryUnitIsComputedOnceOnAnyNumberOfRanks) {
  for (const int ranks : {1, 2, 3, 4}) {
    store_.units.clear();
    const RunSummary summary = run(ranks, 20, [](const SolveInput& input, auto&&...) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      return pretended(input);
    });
    EXPECT_EQ(summary.done, 20u);
    EXPECT_EQ(summary.failed, 0u);
    EXPECT_FALSE(summary.stopped);
    ASSERT_EQ(store_.units.size(), 20u);
    std::set<std::int64_t> used;
    for (const auto& [id, record] : store_.units) {
      EXPECT_EQ(record.final, (Tuple{0, 0, 0, 0}));
      EXPECT_EQ(record.initial, (Tuple{1, 2, 2, 1}));
      EXPECT_EQ(record.drawing, kPlane);
      EXPECT_EQ(record.proposals_attempted, record.repetition);
      used.insert(record.rank);
    }
    EXPECT_EQ(used.size(), static_cast<std::size_t>(ranks)) << "a rank, perhaps 0, computed nothing";
  }
  EXPECT_THAT(log_, HasSubstr("k4 seed 3: (1, 2, 2, 1) -> (0, 0, 0, 0), bound 0, gap 0, ok, 1.0 s\n"));
  EXPECT_EQ(log_.find('\r'), std::string::npos);
}

TEST_F(RunnerTest, UnitsOfOtherJobsAreLeftToThem) {
  std::atomic<int> asked{0};
  claim_ = [&](std::size_t unit) {
    if (unit == 1) return Claim::finished;
    if (unit == 2) return Claim::elsewhere;
    if (unit == 3) return ++asked < 3 ? Claim::elsewhere : Claim::taken;  // its job stops soon
    return Claim::taken;
  };
  const RunSummary summary = run(2, 6, [](const SolveInput& input, auto&&...) {
    std::this_thread::sleep_for(std::chrono::milliseconds(input.seed.repetition == 5 ? 2500 : 1));
    return pretended(input);
  });
  EXPECT_EQ(summary.done, 4u);
  EXPECT_FALSE(summary.stopped);
  std::set<std::string> stored;
  for (const auto& [id, record] : store_.units) stored.insert(id);
  EXPECT_EQ(stored, (std::set<std::string>{"unit0", "unit3", "unit4", "unit5"}));
  EXPECT_THAT(log_, HasSubstr("[5/6] "));
  claim_ = [](std::size_t) { return Claim::elsewhere; };
  EXPECT_EQ(run(1, 3, [](const SolveInput& input, auto&&...) { return pretended(input); }).done, 0u);
}

TEST_F(RunnerTest, AnErrorInAUnitFailsThatUnitOnly) {
  const RunSummary summary = run(2, 6, [](const SolveInput& input, auto&&...) {
    if (input.seed.repetition == 2) throw Error(ErrorKind::unit, "no valid drawing found within 7 moves");
    if (input.seed.repetition == 3) throw std::bad_alloc();
    return pretended(input);
  });
  EXPECT_EQ(summary.done, 4u);
  EXPECT_EQ(summary.failed, 2u);
  EXPECT_EQ(store_.units.at("unit2").status, "failed");
  EXPECT_EQ(store_.units.at("unit2").error, "no valid drawing found within 7 moves");
  EXPECT_TRUE(store_.units.at("unit2").drawing.empty());
  EXPECT_EQ(store_.units.at("unit2").final, kNoTuple);
  EXPECT_THAT(store_.units.at("unit3").error, HasSubstr("out of memory"));
  EXPECT_THAT(log_, HasSubstr("seed 2: failed: no valid drawing"));
}

TEST_F(RunnerTest, ClaimsThatAreNotTrueAreNotPublished) {
  const std::vector<std::function<void(SolveResult&)>> lies = {
      [](SolveResult& r) { r.claimed.C = 1; },
      [](SolveResult& r) { r.initial.K = 2; },
      [](SolveResult& r) {
        r.status = "optimal", r.best = kCrossed, r.claimed = {1, 2, 2, 1};
      },
      [](SolveResult& r) {
        std::swap(r.start, r.best), std::swap(r.initial, r.claimed);
      },                                              // worse than the start
      [](SolveResult& r) { r.best[1] = r.best[0]; },  // V2
      [](SolveResult& r) {
        r.best[1] = {21, 0};
      },  // V1
      [](SolveResult& r) { r.best.pop_back(); },
      [](SolveResult& r) {
        r.start[3] = {5, 0};
      },  // V3 in the start drawing
  };
  const RunSummary summary = run(2, lies.size() + 1, [&](const SolveInput& input, auto&&...) {
    SolveResult result = pretended(input);
    if (input.seed.repetition < lies.size()) lies[input.seed.repetition](result);
    return result;
  });
  EXPECT_EQ(summary.done, 1u);
  EXPECT_EQ(summary.failed, lies.size());
  for (std::size_t i = 0; i < lies.size(); ++i) {
    const UnitRecord& record = store_.units.at("unit" + std::to_string(i));
    EXPECT_EQ(record.status, i < 4 ? "failed" : "rejected") << i;
    EXPECT_THAT(record.error, HasSubstr("rejected: "));
    EXPECT_EQ(record.final, kNoTuple);
    EXPECT_TRUE(record.drawing.empty());
    EXPECT_EQ(store_.diagnostics.count(record.unit), 1u);
    EXPECT_EQ(store_.best.count(record.unit), 0u);
  }
  EXPECT_THAT(store_.units.at("unit0").error, HasSubstr("claimed (0, 0, 0, 1) but verified (0, 0, 0, 0)"));
  EXPECT_THAT(store_.units.at("unit4").error, HasSubstr("V2"));
}

TEST_F(RunnerTest, AnEnvironmentErrorOnAnyRankEndsTheJobOnAll) {
  for (const char* broken : {"0", "2"}) {
    store_.units.clear();
    std::atomic<int> stopped{0};
    setenv("LCN_INJECT", (std::string("compute:") + broken).c_str(), 1);
    try {
      run(3, 30, [&](const SolveInput& input, const SolveOptions&, const SolveCallbacks& callbacks) {
        while (!callbacks.stop()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        ++stopped;
        SolveResult result = pretended(input);
        result.status = "interrupted";
        return result;
      });
      ADD_FAILURE() << "the failure of rank " << broken << " was ignored";
    } catch (const Error& error) {
      EXPECT_EQ(exit_code(error.kind()), 4);
      EXPECT_THAT(error.what(), HasSubstr(std::string("rank ") + broken + " on host "));
      EXPECT_THAT(error.what(), HasSubstr("failure injected in phase compute"));
    }
    unsetenv("LCN_INJECT");
    EXPECT_EQ(stopped, 2);
    EXPECT_TRUE(store_.units.empty());
  }
}

TEST_F(RunnerTest, AStoreThatCannotWriteEndsTheJob) {
  store_.fails = true;
  try {
    run(2, 10, [](const SolveInput& input, auto&&...) { return pretended(input); });
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("rank 0"));
    EXPECT_THAT(error.what(), HasSubstr("no space left"));
  }
}

TEST_F(RunnerTest, RankZeroHandsOutWhileItComputes) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kUnits = 41;
  std::atomic<int> long_units{0};
  const auto start = Clock::now();
  run(2, kUnits, [&](const SolveInput& input, auto&&...) {
    // unit 0 is rank 0's first: it keeps rank 0 busy for as long as rank 1 may need for the other forty
    std::this_thread::sleep_for(std::chrono::milliseconds(input.seed.repetition == 0 ? 2000 : 10));
    return pretended(input);
  });
  EXPECT_EQ(store_.units.at("unit0").rank, 0);
  for (std::size_t i = 1; i < kUnits; ++i) EXPECT_EQ(store_.units.at("unit" + std::to_string(i)).rank, 1);
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - start).count(), 3.0);
}

TEST_F(RunnerTest, AStopInterruptsUnitsAndKeepsTheirBest) {
  std::thread stopper([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    stop_ = true;
  });
  const RunSummary summary =
      run(2, 10, [](const SolveInput& input, const SolveOptions&, const SolveCallbacks& callbacks) {
        SolveResult result = pretended(input);
        if (input.seed.repetition == 0) return result;
        while (!callbacks.stop()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        result.status = "interrupted";
        return result;
      });
  stopper.join();
  EXPECT_TRUE(summary.stopped);
  EXPECT_EQ(summary.done, 1u);
  EXPECT_EQ(summary.interrupted, 2u);
  EXPECT_EQ(store_.units.size(), 1u) << "an interrupted unit is not done";
  EXPECT_EQ(store_.best.size(), 3u);
  EXPECT_THAT(log_, HasSubstr("interrupted"));
}

TEST_F(RunnerTest, TheBestSoFarOfARunningUnitIsStored) {
  for (const int ranks : {1, 2}) {
    store_.units.clear();
    store_.best.clear();
    store_.best_count = 0;
    std::atomic<int> seen{0};
    run(ranks, static_cast<std::size_t>(ranks),
        [&](const SolveInput& input, const SolveOptions&, const SolveCallbacks& callbacks) {
          callbacks.improved({1, 2, 2, 1}, kCrossed, {});
          for (int i = 0; i < 2000 && store_.best_count < ranks; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
          seen = store_.best_count.load();
          return pretended(input);
        });
    EXPECT_GE(seen, ranks) << "nothing was stored before the units ended";
    for (const auto& [unit, tuples] : store_.best) {
      EXPECT_EQ(tuples.front(), (Tuple{1, 2, 2, 1}));
      EXPECT_EQ(tuples.back(), (Tuple{0, 0, 0, 0}));
    }
  }
}

// A unit that all ranks compute together: each says its rank, all add up.
SolveResult added_up(const SolveInput& input, const SolveCallbacks& callbacks, bool waits = false) {
  try {
    SolveResult result = pretended(input);
    std::int64_t sum = 0, rounds = 0;
    bool stop = false;
    do {
      const std::int64_t mine[] = {input.channel->rank() + 1, callbacks.stop() ? 1 : 0};
      sum = 0;
      const std::vector<std::int64_t> all = input.channel->all_gather(mine);
      for (std::size_t i = 0; i < all.size(); i += 2) {
        sum += all[i];
        stop = stop || all[i + 1] != 0;
      }
      ++rounds;
    } while (!stop && (waits || rounds < 50));
    if (stop) {
      result.status = "interrupted";
      result.checkpoint = "state after " + std::to_string(rounds);
    }
    result.proposals_valid = sum;
    result.traffic.ranks = input.channel->size();
    return result;
  } catch (const Error& error) {
    input.channel->fail(error);
    throw;
  }
}

TEST_F(RunnerTest, RanksShareEachUnit) {
  for (const int ranks : {1, 2, 4}) {
    store_.units.clear();
    const RunSummary summary = run(
        ranks, 5,
        [](const SolveInput& input, const SolveOptions&, const SolveCallbacks& callbacks) {
          return added_up(input, callbacks);
        },
        true);
    EXPECT_EQ(summary.done, 5u);
    ASSERT_EQ(store_.units.size(), 5u);
    for (const auto& [id, record] : store_.units) {
      EXPECT_EQ(record.proposals_valid, ranks * (ranks + 1) / 2);
      EXPECT_EQ(record.ranks, ranks);
      EXPECT_EQ(record.rank, 0);
    }
  }
}

SolveFunction failing(int culprit, std::int64_t repetition, ErrorKind kind) {
  return [=](const SolveInput& input, const SolveOptions&, const SolveCallbacks& callbacks) {
    if (static_cast<std::int64_t>(input.seed.repetition) == repetition && input.channel->rank() == culprit) {
      const Error error(kind, "the reason");
      input.channel->fail(error);
      throw error;
    }
    return added_up(input, callbacks);
  };
}

TEST_F(RunnerTest, AnErrorInASharedUnitFailsItOnAllRanksAndOnlyIt) {
  for (const int culprit : {0, 2}) {
    store_.units.clear();
    const RunSummary summary = run(3, 4, failing(culprit, 1, ErrorKind::unit), true);
    EXPECT_EQ(summary.done, 3u);
    EXPECT_EQ(summary.failed, 1u);
    EXPECT_EQ(store_.units.at("unit1").error, "the reason");
  }
}

TEST_F(RunnerTest, AnEnvironmentErrorInASharedUnitEndsTheJobNamingItsRank) {
  for (const int culprit : {0, 1, 2}) {
    store_.units.clear();
    try {
      run(3, 4, failing(culprit, 2, ErrorKind::environment), true);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::environment);
      EXPECT_THAT(error.what(), HasSubstr("rank " + std::to_string(culprit) + " on host"));
      EXPECT_THAT(error.what(), HasSubstr("the reason"));
    }
    EXPECT_EQ(store_.units.size(), 2u);
  }
}

TEST_F(RunnerTest, AStopOfASharedUnitIsAgreedAndLeavesItsCheckpoint) {
  const RunSummary summary = run(
      3, 2,
      [&](const SolveInput& input, const SolveOptions&, const SolveCallbacks& callbacks) {
        if (input.channel->rank() == 1) stop_ = true;
        return added_up(input, callbacks, true);
      },
      true);
  EXPECT_TRUE(summary.stopped);
  EXPECT_EQ(summary.interrupted, 1u);
  EXPECT_TRUE(store_.units.empty());
  ASSERT_EQ(store_.checkpoints.size(), 1u);
  EXPECT_THAT(store_.checkpoints.begin()->second, HasSubstr("state after "));
}

TEST_F(RunnerTest, ASilentRankOfASharedUnitEndsTheJob) {
  try {
    run(
        3, 1,
        [&](const SolveInput& input, const SolveOptions&, const SolveCallbacks& callbacks) {
          // longer than the channel's deadline of 2 s, shorter than the deadline to stop after it
          if (input.channel->rank() == 1) std::this_thread::sleep_for(std::chrono::seconds(4));
          return added_up(input, callbacks);
        },
        true);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    EXPECT_THAT(error.what(), HasSubstr("rank 1"));
    EXPECT_THAT(error.what(), HasSubstr("did not answer"));
  }
}

TEST_F(RunnerTest, NothingToDoIsNoError) {
  const RunSummary summary = run(3, 0, [](const SolveInput& input, auto&&...) { return pretended(input); });
  EXPECT_EQ(summary.done, 0u);
}

TEST(RunSettings, ComeFromTheEnvironment) {
  setenv("LCN_BEST_INTERVAL", "0.5", 1);
  EXPECT_EQ(run_settings_from_environment().best_interval, 0.5);
  for (const char* bad : {"", "0", "-1", "x", "1s", "nan"}) {
    setenv("LCN_BEST_INTERVAL", bad, 1);
    EXPECT_THROW(run_settings_from_environment(), Error) << bad;
  }
  unsetenv("LCN_BEST_INTERVAL");
  EXPECT_EQ(run_settings_from_environment().best_interval, 30);
}

TEST(UnitTask, SurvivesTransport) {
  UnitTask task;
  task.unit = "0123456789abcdef";
  task.instance_sha256 = std::string(64, 'f');
  task.repetition = 5;
  task.root_seed = ~std::uint64_t{0};
  task.config = "{}";
  task.options.time = 0.25;
  task.options.steps = 1;
  task.options.time_limited = false;
  task.options.replicas = 2;
  task.options.threads = 3;
  task.options.start = "s";
  task.options.search = "t";
  task.options.device = "gpu";
  task.options.target_K = 4;
  task.bound = {2, true, {"rule", 3, 4, {0, 2}}};
  task.warm_starts = {kCrossed, kPlane};
  task.replay = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  const UnitTask back = task_from_bytes(to_bytes(task));
  EXPECT_EQ(to_bytes(back), to_bytes(task));
  EXPECT_EQ(back.root_seed, task.root_seed);
  EXPECT_EQ(back.options.target_K, task.options.target_K);
  EXPECT_EQ(back.warm_starts, task.warm_starts);
  EXPECT_EQ(back.replay.at(1).table_K, 8);
  EXPECT_EQ(back.bound.certificate.vertices, task.bound.certificate.vertices);
  EXPECT_THROW(task_from_bytes(to_bytes(task).substr(0, 40)), Error);
}

}  // namespace
}  // namespace lcn
