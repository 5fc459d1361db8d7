#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kernels/device/devices.hpp"
#include "run_program.hpp"
#include "search/population.hpp"

namespace lcn {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

const std::string kSmall =
    "bench crossings --device cpu --vertices 20 --edges 60 --proposals 4 --samples 3 --batch 0";

TEST(BenchCrossings, ProvesParityAndWritesItsRawSamples) {
  const TestFolder folder;
  const std::string path = folder.path() + "/report.json";
  const ProgramResult result = run_lcn(kSmall + " --out " + path);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("gate cpu_parity: passed"));
  const json report = json::parse(file_text(path));
  EXPECT_EQ(report["name"], "crossings");
  EXPECT_EQ(report["scope"], "stage");
  ASSERT_EQ(report["arms"].size(), 2u);
  for (const json& arm : report["arms"]) {
    EXPECT_EQ(arm["samples"].size(), 3u);
    EXPECT_EQ(arm["work_units"], 8);
  }
  EXPECT_EQ(report["gates"][0]["passed"], true);
  // 2 workloads: both CPU methods on 4 x 60 counts, the oracle on 60
  EXPECT_EQ(report["gates"][0]["values_compared"], 2 * (2 * 4 * 60 + 60));
  EXPECT_EQ(report["argv"][2], "crossings");
}

TEST(BenchCrossings, TheWorkloadIsAFunctionOfTheSeed) {
  const TestFolder folder;
  const auto hash = [&](const std::string& seed) {
    const std::string path = folder.path() + "/" + seed;
    EXPECT_EQ(run_lcn(kSmall + " --seed " + seed + " --out " + path).code, 0);
    return json::parse(file_text(path))["input_sha256"].get<std::string>();
  };
  const std::string first = hash("5");
  EXPECT_EQ(first, hash("5"));
  EXPECT_NE(first, hash("6"));
}

TEST(BenchCrossings, RefusesWhatItCannotMeasure) {
  EXPECT_EQ(run_lcn("bench").code, 2);
  EXPECT_THAT(run_lcn("bench crosings").err, HasSubstr("did you mean crossings?"));
  const ProgramResult inexact = run_lcn("bench crossings --device cpu --arithmetic int32");
  EXPECT_EQ(inexact.code, 2);
  EXPECT_THAT(inexact.err, HasSubstr("int32 is not exact on a grid of 1000000 x 1000000"));
  EXPECT_EQ(run_lcn("bench crossings --device cpu --vertices 3 --edges 4").code, 2);
  if (list_devices().empty()) {
    const ProgramResult no_gpu = run_lcn("bench crossings --device gpu");
    EXPECT_EQ(no_gpu.code, 4);
    EXPECT_THAT(no_gpu.err, HasSubstr("no GPU can be used"));
  }
}

TEST(BenchSearch, TimeToTargetStandsBesideTheRates) {
  const TestFolder folder;
  const std::string graph = folder.path() + "/clique.json", path = folder.path() + "/report.json";
  ASSERT_EQ(run_lcn("generate complete --n 8 --grid 100x100 --out " + graph).code, 0);
  const std::string command =
      "bench search --device cpu --samples 6 --round 1 --warm-up 100 --cpu-replicas 2 " + graph + " --out " +
      path + " --budget 0.2s --runs 3 --target ";
  const ProgramResult result = run_lcn(command + "28");
  ASSERT_EQ(result.code, 0) << result.err;
  for (const char* words : {"dependent chain steps", "replica steps", "round trips", "3/3"})
    EXPECT_THAT(result.out, HasSubstr(words));
  const json report = json::parse(file_text(path));
  ASSERT_EQ(report["searches"]["runs"].size(), 3u);
  for (const json& run : report["searches"]["runs"]) {
    EXPECT_EQ(run["reached"], true) << "28 edges: no edge is crossed more often";
    EXPECT_LE(run["chain_steps"], run["replica_steps"]);
  }
  EXPECT_EQ(report["metrics"]["searches_reached/cpu/clique"], 3);
  EXPECT_EQ(run_lcn("audit " + path).code, 0);
  const ProgramResult below = run_lcn(command + "0");
  EXPECT_THAT(below.err, HasSubstr("--target 0: the proven bound of clique is"));
  EXPECT_EQ(below.out, "") << "said before anything is measured";
  EXPECT_EQ(run_lcn(command + "3 --search nonsense").out, "");
  fs::create_directories(folder.path() + "/other");
  fs::copy_file(graph, folder.path() + "/other/clique.json");
  const ProgramResult twice = run_lcn(command + "28 " + folder.path() + "/other/clique.json");
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.err, HasSubstr("other/clique.json: has the name of " + graph));
}

TEST(Bench, AReportThatCannotBeWrittenIsToldBeforeAnythingIsMeasured) {
  const TestFolder folder;
  const std::string graph = folder.path() + "/clique.json",
                    out = " --out " + folder.path() + "/none/report.json";
  ASSERT_EQ(run_lcn("generate complete --n 8 --grid 100x100 --out " + graph).code, 0);
  for (const std::string& benchmark :
       {std::string("crossings --device cpu"), std::string("gradient --device cpu"),
        "search --device cpu --target 28 " + graph}) {
    const ProgramResult result = run_lcn("bench " + benchmark + out);
    EXPECT_EQ(result.code, 4) << benchmark;
    EXPECT_EQ(result.out, "") << benchmark;
    EXPECT_THAT(result.err, HasSubstr("none/report.json: cannot be written (No such file")) << benchmark;
  }
}

TEST(BenchExchange, RanksTimeWhatTheyTellEachOther) {
  const TestFolder folder;
  const std::string graph = folder.path() + "/clique.json", path = folder.path() + "/report.json";
  ASSERT_EQ(run_lcn("generate complete --n 8 --grid 100x100 --out " + graph).code, 0);
  const auto on_ranks = [&](int ranks, const std::string& options) {
    fs::create_directories(folder.path() + "/mpi");
    const std::string command =
        "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
        "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_pml=ob1 "
        "OMPI_MCA_orte_tmpdir_base=" +
        folder.path() + "/mpi mpirun -n " + std::to_string(ranks) + " " LCN_PROGRAM " bench exchange " +
        graph + " --device cpu " + options + " </dev/null >" + folder.path() + "/out 2>" + folder.path() +
        "/err";
    const int status = std::system(command.c_str());
    return ProgramResult{WIFEXITED(status) ? WEXITSTATUS(status) : -1, file_text(folder.path() + "/out"),
                         file_text(folder.path() + "/err")};
  };
  const ProgramResult result = on_ranks(2, "--replicas 6 --moves 3 --samples 6 --out " + path);
  ASSERT_EQ(result.code, 0) << result.err;
  const json report = json::parse(file_text(path));
  EXPECT_EQ(report["parameters"]["ranks"], "2");
  // header, coordinates of 8 vertices, counts of 28 edges
  EXPECT_EQ(report["parameters"]["state_bytes/mpi"], std::to_string(sizeof(StateHeader) + 4 * (2 * 8 + 28)));
  std::vector<std::string> names;
  for (const json& arm : report["arms"]) names.push_back(arm["name"]);
  EXPECT_THAT(names, testing::ElementsAre("boundary/mpi", "energies/mpi", "copies/mpi", "swaps/mpi"));
  EXPECT_TRUE(report["gates"][0]["passed"]);
  EXPECT_EQ(run_lcn("audit " + path).code, 0);

  EXPECT_EQ(run_lcn("bench exchange " + graph).code, 2) << "one rank";
  const std::string tiny = folder.path() + "/tiny.json";
  ASSERT_EQ(run_lcn("generate complete --n 8 --grid 1x1 --out " + tiny).code, 0);
  EXPECT_EQ(run_lcn("bench search --device cpu " + tiny).code, 2) << "no drawing";
  const ProgramResult full = on_ranks(2, "--replicas 6 --moves 4");
  EXPECT_EQ(full.code, 2);
  EXPECT_EQ(full.err.find("lcn: "), full.err.rfind("lcn: ")) << "said once: " << full.err;
  EXPECT_EQ(on_ranks(2, "--channel nccl").code, 4);
  const ProgramResult unwritable = on_ranks(2, "--out " + folder.path() + "/none/report.json");
  EXPECT_EQ(unwritable.code, 4);
  EXPECT_EQ(unwritable.out, "") << "said before anything is measured";
  EXPECT_THAT(unwritable.err, HasSubstr("none/report.json: cannot be written"));
}

}  // namespace
}  // namespace lcn
