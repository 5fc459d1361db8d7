// The main job from outside: the program alone and under mpirun, killed, failing, resumed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <set>

#include "io/archive.hpp"
#include "io/contest_json.hpp"
#include "io/unit_file.hpp"
#include "jobs/plan.hpp"
#include "random/stream.hpp"
#include "support/error.hpp"
#include "tests/io/small_disk.hpp"
#include "tests/jobs/run_program.hpp"

namespace lcn {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// A connected graph of n vertices: a cycle and random chords.
std::string random_graph(VertexId n, int chords, std::uint64_t seed) {
  Stream stream(derive_key({seed, {}, 0}, Purpose::test));
  std::set<std::pair<VertexId, VertexId>> pairs;
  for (VertexId v = 0; v < n; ++v) pairs.emplace(std::min(v, (v + 1) % n), std::max(v, (v + 1) % n));
  while (static_cast<int>(pairs.size()) < n + chords) {
    const auto a = static_cast<VertexId>(stream.below(static_cast<std::uint32_t>(n)));
    const auto b = static_cast<VertexId>(stream.below(static_cast<std::uint32_t>(n)));
    if (a != b) pairs.emplace(std::min(a, b), std::max(a, b));
  }
  std::vector<Edge> edges;
  for (const auto& [a, b] : pairs) edges.push_back({a, b});
  return graph_json(Graph::from_edges(n, edges), {1000, 1000}, nullptr);
}

class SolveTest : public testing::Test {
 protected:
  SolveTest() {
    // root in a container, more ranks than cores, no spinning
    for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                             "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"})
      setenv(name, "1", 1);
    setenv("OMPI_MCA_pml", "ob1", 1);
    // Open MPI removes its session folder when a job ends and none is in it: a job that starts then, in
    // another test, fails.
    fs::create_directories(folder_.path() + "/mpi");
    setenv("OMPI_MCA_orte_tmpdir_base", (folder_.path() + "/mpi").c_str(), 1);
    graphs_ = folder_.path() + "/graphs";
    folder_.write("graphs/a.json", random_graph(16, 20, 1));
    folder_.write("graphs/b.json", random_graph(20, 24, 2));
  }

  // With `environment` ("NAME=value ...") in front; ranks 0: without mpirun.
  ProgramResult solve(int ranks, const std::string& arguments, const std::string& environment = "",
                      const std::string& wrapper = "") {
    const std::string out = folder_.path() + "/stdout", err = folder_.path() + "/stderr";
    std::string command = environment + " " + wrapper + " ";
    if (ranks > 0) command += "mpirun -n " + std::to_string(ranks) + " ";
    command += std::string(LCN_PROGRAM) + " solve " + arguments + " </dev/null >" + out + " 2>" + err;
    const auto start = std::chrono::steady_clock::now();
    // env: a shell would not take assignments from a variable
    const int status = std::system(("env " + command).c_str());
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), file_text(out), file_text(err)};
  }

  std::string run_folder(const std::string& name) const { return folder_.path() + "/" + name; }

  static std::map<std::string, UnitRecord> units(const std::string& run) {
    std::map<std::string, UnitRecord> found;
    if (!fs::exists(run + "/units")) return found;
    for (const auto& entry : fs::recursive_directory_iterator(run + "/units"))
      if (entry.path().extension() == ".h5") {
        UnitRecord record = read_unit_file(entry.path().string());
        found.emplace(record.unit, std::move(record));
      }
    return found;
  }

  static void expect_same(const std::map<std::string, UnitRecord>& expected,
                          const std::map<std::string, UnitRecord>& found) {
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& [unit, record] : expected) {
      ASSERT_TRUE(found.contains(unit));
      EXPECT_EQ(found.at(unit).final, record.final);
      EXPECT_EQ(found.at(unit).initial, record.initial);
      EXPECT_EQ(found.at(unit).drawing, record.drawing);
      EXPECT_EQ(found.at(unit).start_sha256, record.start_sha256);
      EXPECT_EQ(found.at(unit).state_sha256, record.state_sha256);
    }
  }

  TestFolder folder_;
  std::string graphs_;
  double seconds_ = 0;
};

TEST_F(SolveTest, SameResultsForEveryNumberOfRanksAndThreads) {
  const std::string what = graphs_ + " --seeds 1..2 --steps 1000 --replicas 3 --out ";
  ASSERT_EQ(solve(0, what + run_folder("alone")).code, 0);
  const auto expected = units(run_folder("alone"));
  ASSERT_EQ(expected.size(), 4u);
  for (const auto& [unit, record] : expected) {
    EXPECT_LE(record.final, record.initial);
    EXPECT_EQ(record.drawing.size(), record.instance == "a" ? 16u : 20u);
    EXPECT_EQ(record.config, configuration_from_json(record.config).json());
  }
  for (const int ranks : {1, 2, 3, 4}) {
    const std::string run = run_folder("ranks" + std::to_string(ranks));
    const ProgramResult result = solve(ranks, what + run + " --threads " + std::to_string(1 + ranks % 2));
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, Not(HasSubstr("\r"))) << "a bar in a file";
    EXPECT_THAT(result.out, HasSubstr("[4/4] "));
    expect_same(expected, units(run));
    EXPECT_EQ(verify_archive(run + "/archive.h5").rows, 4);
    EXPECT_TRUE(verify_archive(run + "/archive.h5").mismatches.empty());
  }
}

TEST_F(SolveTest, TheSameCommandAgainDoesNothingAndSaysSo) {
  const std::string run = run_folder("run"), what = graphs_ + " --seeds 1..2 --steps 200 --out " + run;
  ASSERT_EQ(solve(0, what).code, 0);
  const auto written = fs::last_write_time(run + "/archive.h5");
  const auto before = units(run);
  const ProgramResult again = solve(2, what);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, AllOf(HasSubstr("nothing to do: 4 units"),
                               HasSubstr("not recounted now: lcn archive verify " + run + "/archive.h5)")));
  EXPECT_EQ(fs::last_write_time(run + "/archive.h5"), written);

  // where replicas are put on a GPU is no part of a unit
  EXPECT_THAT(solve(0, what + " --gpu-team 64 --gpu-group 2").out, HasSubstr("nothing to do"));
  for (const char* bad : {"--gpu-team 48", "--gpu-team 128 --gpu-group 5", "--gpu-group 16"})
    EXPECT_EQ(solve(0, what + " " + bad).code, 2) << bad;

  // fewer seeds: nothing either; more: only the new ones
  EXPECT_THAT(solve(0, graphs_ + " --seeds 2 --steps 200 --out " + run).out, HasSubstr("nothing to do"));
  EXPECT_THAT(solve(0, graphs_ + " --seeds 1..3 --steps 200 --out " + run).out, HasSubstr("[6/6]"));
  EXPECT_EQ(read_archive_rows(run + "/archive.h5").size(), 6u);
  folder_.write("graphs/c.json", random_graph(10, 8, 3));
  EXPECT_THAT(solve(0, graphs_ + " --seeds 1 --steps 200 --out " + run).out, HasSubstr("[3/3] c seed 1"));
  EXPECT_EQ(read_archive_rows(run + "/archive.h5").size(), 7u);

  // a lost archive is merged again, a damaged unit computed again
  fs::remove(run + "/archive.h5");
  EXPECT_EQ(solve(0, graphs_ + " --seeds 1 --steps 200 --out " + run).code, 0);
  EXPECT_EQ(read_archive_rows(run + "/archive.h5").size(), 7u);
  const std::string damaged = unit_file_path(run, before.begin()->first);
  fs::resize_file(damaged, fs::file_size(damaged) / 2);
  const ProgramResult repaired = solve(0, graphs_ + " --seeds 1..2 --steps 200 --out " + run);
  EXPECT_EQ(repaired.code, 0) << repaired.err;
  EXPECT_THAT(repaired.err, HasSubstr(damaged));
  EXPECT_EQ(read_unit_file(damaged).state_sha256, before.begin()->second.state_sha256);
}

TEST_F(SolveTest, AnotherConfigurationIsRefusedNamingTheField) {
  const std::string run = run_folder("run");
  ASSERT_EQ(solve(0, graphs_ + "/a.json --steps 100 --out " + run).code, 0);
  const std::string plan = file_text(run + "/plan.json");
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"--steps 101", "steps is 100"},
      {"--steps 100 --time 5s", "time is null"},
      {"--steps 100 --replicas 2", "replicas is \"auto\""},
      {"--steps 100 --root-seed 1", "root-seed is 0"},
      {"--steps 100 --start random", "start is \"auto\""},
      {"--steps 100 --target 1", "target is null"},
  };
  for (const auto& [options, reason] : changes) {
    const ProgramResult result = solve(0, graphs_ + "/a.json " + options + " --out " + run);
    EXPECT_EQ(result.code, 2) << options;
    EXPECT_THAT(result.err, HasSubstr(reason));
  }
  EXPECT_EQ(file_text(run + "/plan.json"), plan);
}

TEST_F(SolveTest, DryRunShowsThePlanAndWritesNothing) {
  const std::string run = run_folder("run");
  const ProgramResult result = solve(2, graphs_ + " --seeds 1..3 --time 5s --dry-run --out " + run);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("instance a: n 16, m 36, grid 1000 x 1000, bound "));
  EXPECT_THAT(result.out, HasSubstr("dry run: 6 units, 0 finished"));
  EXPECT_FALSE(fs::exists(run));
}

TEST_F(SolveTest, BadInstancesInABatchCostOnlyThemselves) {
  const std::string run = run_folder("run");
  const std::string broken = folder_.write("graphs/broken.json", "{\"nodes\": [}");
  const ProgramResult batch =
      solve(2, graphs_ + " " + folder_.path() + "/missing.json --steps 100 --out " + run);
  EXPECT_EQ(batch.code, 3);
  EXPECT_THAT(batch.err, HasSubstr(broken));
  EXPECT_THAT(batch.err, HasSubstr("missing.json"));
  EXPECT_EQ(units(run).size(), 2u);
  EXPECT_EQ(read_archive_rows(run + "/archive.h5").size(), 2u);

  const ProgramResult alone = solve(2, broken + " --steps 100 --out " + run_folder("alone"));
  EXPECT_EQ(alone.code, 2);
  EXPECT_THAT(alone.err, HasSubstr(broken));
  EXPECT_FALSE(fs::exists(run_folder("alone")));
}

TEST_F(SolveTest, AUnitThatCannotBeSolvedFailsAlone) {
  const std::string run = run_folder("run");
  folder_.write(
      "graphs/crowded.json",
      R"({"nodes":[{"id":0},{"id":1},{"id":2},{"id":3},{"id":4}],"edges":[],"width":1,"height":1})");
  const ProgramResult result = solve(2, graphs_ + " --steps 100 --out " + run);
  EXPECT_EQ(result.code, 3) << result.err;
  std::map<std::string, std::string> status;
  for (const UnitRecord& row : read_archive_rows(run + "/archive.h5")) status[row.instance] = row.status;
  EXPECT_EQ(status["crowded"], "failed");
  EXPECT_THAT(result.out, HasSubstr("crowded seed 1: failed: "));
  EXPECT_NE(status["a"], "failed");

  const ProgramResult again = solve(0, graphs_ + " --steps 100 --out " + run);
  EXPECT_EQ(again.code, 3);
  EXPECT_THAT(again.out, HasSubstr("nothing to do"));
  EXPECT_THAT(solve(0, graphs_ + " --steps 100 --rerun-failed --out " + run).out,
              HasSubstr("crowded seed 1: failed"));
}

TEST_F(SolveTest, AnEnvironmentErrorOnAnyRankEndsTheJobAndResumeFinishesIt) {
  const std::string what = graphs_ + " --seeds 1..3 --steps 500 --out ";
  ASSERT_EQ(solve(0, what + run_folder("alone")).code, 0);
  for (const std::string phase : {"load:0", "load:1", "compute:0", "compute:1", "write:0"}) {
    const std::string run = run_folder(phase);
    const ProgramResult result = solve(2, what + run, "LCN_INJECT=" + phase);
    EXPECT_EQ(result.code, 4) << phase << ": " << result.err;
    EXPECT_THAT(result.err, HasSubstr("rank " + phase.substr(phase.size() - 1) + " on host "));
    EXPECT_THAT(result.err, HasSubstr("failure injected in phase " + phase.substr(0, phase.size() - 2)));
    EXPECT_LT(seconds_, 10 * kSlowness) << phase;
    EXPECT_FALSE(fs::exists(run + "/archive.h5"));
    EXPECT_EQ(solve(0, what + run).code, 0);
    expect_same(units(run_folder("alone")), units(run));
  }
}

TEST_F(SolveTest, ARankThatDoesNotStopIsAborted) {
  const ProgramResult result = solve(3, graphs_ + " --seeds 1..3 --steps 500 --out " + run_folder("run"),
                                     "LCN_INJECT=compute:1:hang,compute:2 LCN_STOP_DEADLINE=1");
  EXPECT_EQ(result.code, 4) << result.err;
  EXPECT_THAT(result.err, HasSubstr("did not stop"));
  EXPECT_LT(seconds_, 10 * kSlowness);
}

TEST_F(SolveTest, ALostRankEndsTheJob) {
  const std::string what = graphs_ + " --seeds 1..3 --steps 500 --out ";
  const ProgramResult killed = solve(2, what + run_folder("run"), "LCN_INJECT=compute:1:kill");
  EXPECT_EQ(killed.code, 137) << killed.err;
  EXPECT_LT(seconds_, 15 * kSlowness);
  EXPECT_EQ(solve(0, what + run_folder("run")).code, 0);
  const ProgramResult stopped =
      solve(2, what + run_folder("other"), "LCN_INJECT=compute:1:stop LCN_SILENCE=2");
  EXPECT_EQ(stopped.code, 4) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("rank 1 on host "));
  EXPECT_THAT(stopped.err, HasSubstr("was not heard of for 2 s"));
  EXPECT_LT(seconds_, 15 * kSlowness);
  EXPECT_EQ(read_archive_rows(run_folder("run") + "/archive.h5").size(), 6u);
}

TEST_F(SolveTest, SignalsStopUnitsAndKeepTheirBest) {
  const std::string graph =
      folder_.write("dense.json", random_graph(40, 200, 4));  // never optimal in seconds
  std::signal(SIGHUP, SIG_DFL);                               // these tests may run under nohup
  for (const std::string signal : {"TERM", "INT", "USR1", "HUP"}) {
    const int ranks = signal == "USR1" ? 2 : 0;
    const std::string run = run_folder(signal);
    // sends the signal once the units run
    const std::string script = folder_.write(
        "signal.sh", "\"$@\" &\nwhile [ ! -f " + run + "/plan.json ]; do sleep 0.1; done\nsleep 1.5\nkill -" +
                         signal + " $!\nwait $!\n");
    const ProgramResult result =
        solve(ranks, graph + " --seeds 1..3 --time 60s --out " + run, "", "bash " + script);
    EXPECT_EQ(result.code, 75) << signal << ": " << result.err;
    EXPECT_LT(seconds_, 20 * kSlowness);
    EXPECT_THAT(result.out, HasSubstr("stopped early: 3 units not done"));
    EXPECT_TRUE(units(run).empty());
    EXPECT_FALSE(fs::exists(run + "/archive.h5"));
    int drawings = 0;
    for (const auto& entry : fs::directory_iterator(run + "/best")) {
      EXPECT_EQ(run_lcn("eval " + entry.path().string()).code, 0);
      ++drawings;
    }
    EXPECT_EQ(drawings, std::max(1, ranks));
  }
}

// What nohup does: the job outlives its terminal.
TEST_F(SolveTest, AnIgnoredHangupStaysIgnored) {
  const std::string graph = folder_.write("dense.json", random_graph(40, 200, 4)), run = run_folder("run");
  const std::string script =
      folder_.write("hangup.sh", "trap '' HUP\n\"$@\" &\nwhile [ ! -f " + run +
                                     "/plan.json ]; do sleep 0.1; done\nsleep 0.5\nkill -HUP $!\nwait $!\n");
  const ProgramResult result = solve(0, graph + " --time 2s --out " + run, "", "bash " + script);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(units(run).size(), 1u);
}

// To count the first drawing would take minutes.
TEST_F(SolveTest, ASignalEndsTheCountOfALargeDrawing) {
  const std::string graph = folder_.path() + "/large.json";
  ASSERT_EQ(run_lcn("generate barabasi-albert --n 20000 --m 10 --grid 1000000x1000000 --out " + graph).code,
            0);
  for (const int ranks : {0, 2}) {
    const std::string run = run_folder("run" + std::to_string(ranks));
    const std::string script =
        folder_.write("stop.sh", "\"$@\" &\nwhile [ ! -f " + run +
                                     "/plan.json ]; do sleep 0.1; done\nsleep 2\nkill -USR1 $!\nwait $!\n");
    const std::string what = graph + " --steps 100 --start random --replicas 2 --out " + run;
    const ProgramResult stopped =
        solve(ranks, what + (ranks > 0 ? " --distribute replicas" : ""), "", "bash " + script);
    EXPECT_EQ(stopped.code, 75) << stopped.err;
    EXPECT_LT(seconds_, 15 * kSlowness);
    EXPECT_THAT(stopped.out, HasSubstr("large seed 1: interrupted: before its search began"));
    EXPECT_TRUE(units(run).empty());
    for (const char* none : {"checkpoints", "best", "diagnostics"})
      EXPECT_FALSE(fs::exists(run + "/" + none));
  }
}

// A start drawing that would take minutes gives way to a quick one when the time is over, and the unit can be
// replayed; a signal ends it at once.
TEST_F(SolveTest, ALongStartStageEndsWithTheTimeAndOnSignals) {
  const std::string graph = folder_.write("large.json", random_graph(300, 600, 4)), run = run_folder("run");
  const std::string what = graph + " --start gradient:epochs=100000,init=random --out ";
  const ProgramResult result = solve(0, what + run + " --time 1s");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_LT(seconds_, 10 * kSlowness);
  const UnitRecord record = units(run).begin()->second;
  EXPECT_EQ(record.status, "ok");
  EXPECT_THAT(record.start_provider, HasSubstr("snake (no time for gradient"));
  EXPECT_EQ(verify_archive(run + "/archive.h5").mismatches, std::vector<std::string>{});
  EXPECT_EQ(solve(0, "--replay " + record.unit + " --out " + run).code, 0);

  for (const int ranks : {0, 2}) {
    const std::string other = run_folder("stopped" + std::to_string(ranks));
    const std::string script =
        folder_.write("stop.sh", "\"$@\" &\nwhile [ ! -f " + other +
                                     "/plan.json ]; do sleep 0.1; done\nsleep 1\nkill -USR1 $!\nwait $!\n");
    const ProgramResult stopped =
        solve(ranks, what + other + " --steps 100 --seeds 1..3", "", "bash " + script);
    EXPECT_EQ(stopped.code, 75) << stopped.err;
    EXPECT_LT(seconds_, 15 * kSlowness);
    EXPECT_THAT(stopped.out, HasSubstr("large seed 1: interrupted: before its search began"));
    EXPECT_TRUE(units(other).empty());
    EXPECT_FALSE(fs::exists(other + "/diagnostics"));
  }
}

// What is derived from the units stops nothing when it is damaged; a damaged plan says what to do.
TEST_F(SolveTest, DamagedFilesBesideTheUnits) {
  const std::string run = run_folder("run"), what = graphs_ + " --seeds 1..2 --steps 200 --out " + run;
  ASSERT_EQ(solve(0, what).code, 0);
  const std::string archive = file_text(run + "/archive.h5"), plan = file_text(run + "/plan.json");
  fs::resize_file(run + "/archive.h5", archive.size() / 2);
  const ProgramResult more = solve(0, graphs_ + " --seeds 1..3 --steps 200 --out " + run);
  EXPECT_EQ(more.code, 0) << more.err;
  EXPECT_THAT(more.err, HasSubstr("lcn: warning: " + run + "/archive.h5: cannot be read"));
  EXPECT_THAT(more.err, HasSubstr("kept as " + run + "/archive.h5.damaged"));
  EXPECT_EQ(read_archive_rows(run + "/archive.h5").size(), 6u);
  fs::resize_file(run + "/archive.h5", 0);
  EXPECT_EQ(solve(0, graphs_ + " --seeds 1..3 --steps 200 --out " + run).code, 0);
  EXPECT_TRUE(verify_archive(run + "/archive.h5").mismatches.empty());

  std::string edited = plan;
  edited.replace(edited.find("\"repetition\":1"), 14, "\"repetition\":9");
  for (const std::string& damaged :
       {std::string(), plan.substr(0, plan.size() / 2), std::string("[]"), edited}) {
    folder_.write("run/plan.json", damaged);
    for (const ProgramResult& result : {solve(0, what), run_lcn("archive merge " + run)}) {
      if (damaged == edited && result.code == 0) continue;  // merge needs the ids only
      EXPECT_EQ(result.code, 2);
      EXPECT_THAT(result.err, HasSubstr("lcn: " + run + "/plan.json: not a plan ("));
      EXPECT_THAT(result.err, HasSubstr("the finished units beside it are safe) move the file away"));
    }
  }
  fs::remove(run + "/plan.json");
  const ProgramResult again = solve(0, what);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, Not(HasSubstr(" seed 1:"))) << "a finished unit was computed again";
}

// kill -9 at arbitrary moments: whole files only, and the resumed run ends as if nothing had happened.
TEST_F(SolveTest, KillsLoseAtMostTheUnitsInFlight) {
  const char* wish = std::getenv("LCN_LONG_TESTS");
  const int moments = wish && std::string(wish) == "1" ? 100 : 5;
  const std::string what = graphs_ + " --seeds 1..8 --steps 4000 --replicas 2 --out ";
  std::string run = run_folder("run");
  ASSERT_EQ(solve(0, what + run_folder("alone")).code, 0);
  const double whole = seconds_;
  const auto expected = units(run_folder("alone"));
  std::size_t kept = 0;
  for (int i = 0; i < moments; ++i) {
    if (units(run).size() == expected.size()) {
      run = run_folder(
          "run" + std::to_string(i));  // ranks of a killed mpirun may live on in the old one for a moment
      kept = 0;
    }
    const std::string moment = std::to_string(0.1 + whole * ((i * 37) % 100) / 100.0);
    solve(i % 2 == 0 ? 0 : 2, what + run, "", "timeout -s KILL " + moment);
    const auto stored = units(run);  // throws if one of them is damaged
    EXPECT_GE(stored.size(), kept) << "a finished unit was lost";
    kept = stored.size();
    if (fs::exists(run + "/archive.h5")) {
      EXPECT_EQ(run_lcn("archive verify " + run + "/archive.h5").code, 0);
    }
  }
  EXPECT_EQ(solve(2, what + run).code, 0);
  expect_same(expected, units(run));
  EXPECT_EQ(run_lcn("archive verify " + run + "/archive.h5").code, 0);
}

// Two jobs at the same time on one folder, as array tasks do: each unit is computed once, the last one
// merges.
TEST_F(SolveTest, JobsOnOneRunShareItsUnits) {
  const std::string run = run_folder("run"), logs = folder_.path() + "/log";
  const std::string script =
      folder_.write("twice.sh", "\"$@\" >" + logs + "1 2>&1 &\n\"$@\" >" + logs +
                                    "2 2>&1\nsecond=$?\nwait $!\nexit $(($? + second))\n");
  const std::string what = graphs_ + " --seeds 1..6 --steps 30000 --replicas 4 --start random --out " + run;
  const ProgramResult result = solve(0, what, "", "bash " + script);
  EXPECT_EQ(result.code, 0);
  std::size_t computed = 0;
  for (const char* job : {"1", "2"}) {
    const std::string log = file_text(logs + job);
    EXPECT_THAT(log, Not(HasSubstr("stopped early")));
    EXPECT_THAT(log, HasSubstr(" seed ")) << "one job has done all";
    for (std::size_t at = log.find(" seed "); at != std::string::npos; at = log.find(" seed ", at + 1))
      ++computed;
  }
  EXPECT_EQ(computed, 12u) << file_text(logs + "1") << file_text(logs + "2");
  EXPECT_EQ(read_archive_rows(run + "/archive.h5").size(), 12u);
}

// The rest of a job that was killed is free at once.
TEST_F(SolveTest, AUnitInWorkInAnotherJobIsLeftToIt) {
  const std::string run = run_folder("run");
  const std::string graph = folder_.write("dense.json", random_graph(40, 200, 4));
  const std::string what = graph + " --time " + std::to_string(6 * kSlowness) + "s --out " + run;
  const std::string script = folder_.write(
      "other.sh",
      "\"$@\" >" + folder_.path() + "/other 2>&1 &\nwhile [ ! -f " + run +
          "/.claims.lock ]; do sleep 0.1; done\nsleep 0.3\n\"$@\"\ncode=$?\nkill -9 $!\nexit $code\n");
  const ProgramResult second = solve(0, what, "", "bash " + script);
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_LT(seconds_, 6 * kSlowness) << "it has waited";
  EXPECT_THAT(second.out, HasSubstr("1 unit in work in another job"));
  EXPECT_TRUE(units(run).empty());
  EXPECT_EQ(solve(0, what).code, 0);
  EXPECT_EQ(read_archive_rows(run + "/archive.h5").size(), 1u);
}

TEST_F(SolveTest, SingletonsOfASlurmStepAreRefused) {
  const ProgramResult result = solve(0, graphs_ + " --steps 10 --out " + run_folder("run"), "SLURM_NTASKS=4");
  EXPECT_EQ(result.code, 4);
  EXPECT_THAT(result.err, HasSubstr("SLURM_NTASKS is 4"));
  EXPECT_FALSE(fs::exists(run_folder("run")));
}

TEST_F(SolveTest, FoldersThatCannotBeWritten) {
  const std::string file = folder_.write("file", "");
  for (const std::string& out : {file, file + "/below", std::string("/proc/lcn")}) {
    const ProgramResult result = solve(2, graphs_ + " --steps 10 --out " + out);
    EXPECT_EQ(result.code, 4) << out;
    EXPECT_THAT(result.err, HasSubstr(out));
  }
}

TEST_F(SolveTest, AFullDiskEndsTheJobAndKeepsWhatIsFinished) {
  const SmallDisk disk;
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small tmpfs is not permitted here";
  const std::string run = disk.path() + "/run";
  const ProgramResult result = solve(2, graphs_ + " --seeds 1..200 --steps 50 --out " + run);
  EXPECT_EQ(result.code, 4) << result.err;
  EXPECT_THAT(result.err, HasSubstr("No space left"));
  EXPECT_LT(seconds_, 30 * kSlowness);
  EXPECT_GT(units(run).size(), 0u);
}

TEST_F(SolveTest, ReplayRepeatsAUnitExactly) {
  const std::string run = run_folder("run");
  ASSERT_EQ(solve(0, graphs_ + " --time 0.5s --replicas 2 --out " + run).code, 0);
  const auto stored = units(run);
  for (const auto& [unit, record] : stored) {
    const ProgramResult by_id = solve(0, "--replay " + unit + " --out " + run);
    EXPECT_EQ(by_id.code, 0) << by_id.err;
    EXPECT_THAT(by_id.out, HasSubstr("equal"));
  }
  // a stored state that the replay does not reach
  UnitRecord other = stored.begin()->second;
  other.state_sha256 = std::string(64, '0');
  const Instance instance = read_instance(graphs_ + "/" + other.instance + ".json");
  const std::string file = write_unit_file(run_folder("other"), other, instance, "{}");
  const ProgramResult differs = solve(0, "--replay " + file + " --threads 2");
  EXPECT_EQ(differs.code, 5);
  EXPECT_THAT(differs.err, HasSubstr("state_sha256 was 0000"));
  EXPECT_EQ(solve(0, "--replay nothing").code, 2);
  for (const std::string ignored :
       {"--time 1s", "--seeds 2", "--device cpu", "--dry-run", "--preset quick"}) {
    const ProgramResult refused = solve(0, "--replay " + file + " " + ignored);
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr("has no effect with --replay"));
  }
  EXPECT_EQ(solve(0, "--replay " + file + " " + graphs_).code, 2);
}

TEST_F(SolveTest, WarmStartsAreNeverMadeWorse) {
  const std::string run = run_folder("run"), a = graphs_ + "/a.json";
  ASSERT_EQ(solve(0, a + " --steps 3000 --out " + run).code, 0);
  const UnitRecord first = units(run).begin()->second;
  const auto best = fs::directory_iterator(run + "/best")->path().string();

  ASSERT_EQ(solve(2, a + " --steps 5 --start file:" + best + " --out " + run_folder("file")).code, 0);
  const UnitRecord from_file = units(run_folder("file")).begin()->second;
  EXPECT_EQ(from_file.initial, first.final);
  EXPECT_LE(from_file.final, first.final);
  EXPECT_NE(from_file.unit, first.unit);

  const std::string archive = run + "/archive.h5";
  ASSERT_EQ(solve(0, a + " --steps 5 --start archive:" + archive + " --out " + run_folder("archive")).code,
            0);
  EXPECT_EQ(units(run_folder("archive")).begin()->second.final, from_file.final);

  // repaired with a warning
  Instance instance = read_instance(best);
  Drawing coincident = *instance.drawing;
  coincident[1] = coincident[0];
  const std::string bad = folder_.write("bad.json", instance_json(instance, coincident));
  const ProgramResult repaired =
      solve(0, a + " --steps 5 --start file:" + bad + " --out " + run_folder("repaired"));
  EXPECT_EQ(repaired.code, 0) << repaired.err;
  EXPECT_THAT(repaired.err, HasSubstr("repaired"));

  // of another graph
  const ProgramResult other = solve(0, graphs_ + "/b.json --steps 5 --start file:" + best);
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("another graph"));
}

TEST_F(SolveTest, InputsThatAreOffTheGridAreRepairedWithAWarning) {
  const std::string file = folder_.write(
      "off.json",
      R"({"nodes":[{"id":0,"x":-5,"y":0},{"id":1,"x":3,"y":3},{"id":2,"x":3,"y":3},{"id":3,"x":9,"y":99}],)"
      R"("edges":[{"source":0,"target":1},{"source":2,"target":3}],"width":10,"height":10})");
  const ProgramResult result = solve(0, file + " --steps 50 --start input --out " + run_folder("run"));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("2 vertices off the grid, 1 vertex at the point of another"));
}

TEST_F(SolveTest, AnInstanceOnWhichNoUnitCanStartIsToldBeforehand) {
  const std::string dense = folder_.write("dense.json", random_graph(10, 30, 1));
  for (const char* dry : {" --dry-run", ""}) {
    const ProgramResult result =
        solve(0, dense + " --steps 5 --start planar --out " + run_folder("run") + dry);
    EXPECT_EQ(result.code, *dry ? 0 : 3);
    EXPECT_THAT(result.err,
                HasSubstr("dense.json: no unit can start (start planar: the graph is not planar"));
  }
}

TEST_F(SolveTest, UsageErrorsAreSaidOnce) {
  for (const std::string& arguments :
       {std::string(""), graphs_ + " --steps 0", graphs_ + " --search nonsense",
        graphs_ + " --start nonsense", graphs_ + " --start file:"}) {
    const ProgramResult result = solve(arguments.empty() ? 2 : 0, arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_EQ(result.err.find("lcn: "), result.err.rfind("lcn: ")) << result.err;
    EXPECT_NE(result.err.find("lcn: "), std::string::npos);
  }
  EXPECT_EQ(solve(2, "--help").code, 0);
}

TEST_F(SolveTest, AMissingGpuBackendIsAnEnvironmentError) {
  const ProgramResult result = solve(0, graphs_ + " --device gpu --out " + run_folder("run"));
  if (result.code == 0) GTEST_SKIP() << "this build solves on GPUs";
  EXPECT_EQ(result.code, 4);
  EXPECT_FALSE(fs::exists(run_folder("run")));
}

// Ranks that share each unit's replicas.

TEST_F(SolveTest, RanksThatShareAUnitEndAsOneDoes) {
  for (const std::string search : {"population:every=2", "tempering:respace=5"}) {
    const std::string what =
        graphs_ + " --seeds 1..2 --steps 600 --replicas 16 --search " + search + " --out ";
    ASSERT_EQ(solve(0, what + run_folder(search)).code, 0);
    const auto expected = units(run_folder(search));
    for (const int ranks : {1, 2, 3}) {
      const std::string run = run_folder(search + std::to_string(ranks));
      const ProgramResult result = solve(ranks, what + run + " --distribute replicas");
      EXPECT_EQ(result.code, 0) << result.err;
      expect_same(expected, units(run));
      std::int64_t sent = 0;
      for (const auto& [unit, record] : units(run)) {
        EXPECT_EQ(record.ranks, ranks);
        EXPECT_EQ(record.exchange_bytes,
                  (2 * record.rank_exchanges + record.migrations) * record.state_bytes);
        sent += record.exchange_bytes;
      }
      EXPECT_EQ(sent > 0, ranks > 1);
    }
  }
  const ProgramResult few =
      solve(3, graphs_ + " --steps 100 --distribute replicas --out " + run_folder("few"));
  EXPECT_EQ(few.code, 2);
  EXPECT_THAT(few.err, HasSubstr("--replicas 3"));
  EXPECT_FALSE(fs::exists(run_folder("few")));
}

TEST_F(SolveTest, AStoppedUnitGoesOnFromItsCheckpointOnAnyNumberOfRanks) {
  const std::string graph = folder_.write("dense.json", random_graph(40, 200, 4));
  const std::string what =
      graph +
      " --seeds 1 --steps 24000 --replicas 4 --start snake --search population:every=2,islands=2 --out ";
  ASSERT_EQ(solve(0, what + run_folder("whole")).code, 0);
  const std::string run = run_folder("stopped");
  // sends the signal once there is a best drawing, that is when the search runs
  const std::string script =
      folder_.write("signal.sh", "\"$@\" &\nwhile [ ! -d " + run +
                                     "/best ]; do sleep 0.05; done\nkill -USR1 $!\nwait $!\n");
  const ProgramResult first =
      solve(2, what + run + " --distribute replicas", "LCN_BEST_INTERVAL=0.05", "bash " + script);
  ASSERT_EQ(first.code, 75) << first.out << first.err;
  ASSERT_TRUE(units(run).empty());
  ASSERT_TRUE(fs::exists(run + "/checkpoints"));
  ASSERT_EQ(std::distance(fs::directory_iterator(run + "/checkpoints"), {}), 1);
  const ProgramResult second = solve(3, what + run + " --distribute replicas");
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(second.err, "");
  expect_same(units(run_folder("whole")), units(run));
  EXPECT_TRUE(fs::is_empty(run + "/checkpoints"));
}

TEST_F(SolveTest, ADamagedCheckpointCostsOnlyItsUnitsTime) {
  const std::string what = graphs_ + "/a.json --steps 300 --out ";
  ASSERT_EQ(solve(0, what + run_folder("whole")).code, 0);
  const auto expected = units(run_folder("whole"));
  folder_.write("run/checkpoints/" + expected.begin()->first, "lcn checkpoint of something else\n");
  const ProgramResult result = solve(0, what + run_folder("run"));
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.err, HasSubstr("the unit starts anew"));
  expect_same(expected, units(run_folder("run")));
}

TEST_F(SolveTest, AFailureInASharedUnitEndsTheJobOnAllRanksInTime) {
  const std::string what =
      graphs_ +
      " --seeds 1..2 --steps 600 --replicas 6 --search population:every=2 --distribute replicas --out ";
  const std::string good = run_folder("good");
  ASSERT_EQ(solve(3, what + good).code, 0);
  struct Row {
    std::string inject;
    int code;
    std::string message;
  };
  for (const Row& row : {Row{"round:1", 4, "rank 1 on host "}, Row{"round:0", 4, "rank 0 on host "},
                         Row{"compute:2", 4, "rank 2 on host "}, Row{"round:1:kill", 137, ""},
                         Row{"round:2:stop", 4, "rank 2 on host "}, Row{"round:1:hang", 4, "rank 1"}}) {
    const std::string run = run_folder(row.inject);
    const std::string patience = std::to_string(2 * kSlowness);
    const ProgramResult result =
        solve(3, what + run,
              "LCN_INJECT=" + row.inject + " LCN_SILENCE=" + patience + " LCN_STOP_DEADLINE=" + patience);
    EXPECT_EQ(result.code, row.code) << row.inject << ": " << result.err;
    EXPECT_THAT(result.err, HasSubstr(row.message)) << row.inject;
    EXPECT_LT(seconds_, 15 * kSlowness) << row.inject;
    EXPECT_EQ(solve(2, what + run).code, 0) << row.inject;
    expect_same(units(good), units(run));
  }
}

}  // namespace
}  // namespace lcn
