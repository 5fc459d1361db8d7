// The program as a person meets it: exit codes, messages, and what the small subcommands print.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "jobs/command.hpp"
#include "jobs/help.hpp"
#include "kernels/device/devices.hpp"
#include "run_program.hpp"

namespace lcn {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

// Two crossing edges and two others; vertex 4 is isolated.
const char* const kCross = R"({"width": 10, "height": 10,
 "nodes": [{"id": 0, "x": 0, "y": 0}, {"id": 1, "x": 4, "y": 4}, {"id": 2, "x": 0, "y": 4}, {"id": 3, "x": 4, "y": 0},
           {"id": 4, "x": 9, "y": 9}],
 "edges": [{"source": 0, "target": 1}, {"source": 2, "target": 3}, {"source": 0, "target": 2}]})";

// V1: vertex 3 is off the grid; V2: 0 and 1 coincide; V3: vertex 4 lies on edge 2-5; V4: edges 0-6 and 1-7
// overlap.
const char* const kAllViolations = R"({"width": 10, "height": 10,
 "nodes": [{"id": 0, "x": 0, "y": 0}, {"id": 1, "x": 0, "y": 0}, {"id": 2, "x": 2, "y": 2}, {"id": 3, "x": 11, "y": 0},
           {"id": 4, "x": 4, "y": 2}, {"id": 5, "x": 6, "y": 2}, {"id": 6, "x": 0, "y": 5}, {"id": 7, "x": 0, "y": 6}],
 "edges": [{"source": 2, "target": 5}, {"source": 0, "target": 6}, {"source": 1, "target": 7}]})";

TEST(Program, ExplainsItself) {
  for (const char* arguments : {"--help", "-h", "help"}) {
    const ProgramResult result = run_lcn(arguments);
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.out, overview());
    EXPECT_EQ(result.err, "");
  }
  const ProgramResult version = run_lcn("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, StartsWith("lcn "));
  EXPECT_THAT(version.out, HasSubstr("commit"));
}

TEST(Program, EveryCommandHasHelpAndRefusesUnknownOptions) {
  ASSERT_FALSE(commands().empty());
  for (const Command& command : commands()) {
    EXPECT_THAT(overview(), HasSubstr(command.summary));
    for (const OptionTable& table : command.tables()) {
      SCOPED_TRACE(table.command());
      const ProgramResult help = run_lcn(table.command() + " --help");
      EXPECT_EQ(help.code, 0);
      EXPECT_EQ(help.out, table.help());
      const ProgramResult unknown = run_lcn(table.command() + " --frobnicate");
      EXPECT_EQ(unknown.code, 2);
      EXPECT_EQ(unknown.out, "");
      EXPECT_THAT(unknown.err, HasSubstr("lcn: lcn " + table.command() + ": unknown option --frobnicate"));
    }
  }
}

TEST(Program, RefusesUnknownCommands) {
  const ProgramResult none = run_lcn("");
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.err, "lcn: no subcommand (nothing to do) see lcn --help\n");
  EXPECT_EQ(run_lcn("frobnicate").err, "lcn: unknown command frobnicate (see lcn --help)\n");
  const ProgramResult near = run_lcn("evla");
  EXPECT_EQ(near.code, 2);
  EXPECT_EQ(near.err, "lcn: unknown command evla (did you mean eval?)\n");
}

TEST(Program, CommandsThatWorkAloneRefuseToRunSeveralTimes) {
  const TestFolder folder;
  const std::string arguments = "generate cycle --n 5 --out " + folder.path() + "/c.json";
  const auto place = [](const std::string& rank) {
    setenv("OMPI_COMM_WORLD_RANK", rank.c_str(), 1);
    setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  };
  place("0");
  const ProgramResult first = run_lcn(arguments);
  place("1");
  const ProgramResult second = run_lcn(arguments);
  unsetenv("OMPI_COMM_WORLD_RANK");
  unsetenv("OMPI_COMM_WORLD_SIZE");
  EXPECT_EQ(first.code, 2);
  EXPECT_THAT(first.err, HasSubstr("generate: started as 2 processes, but it works alone"));
  EXPECT_EQ(second.code, 2);
  EXPECT_EQ(second.err, "");
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/c.json"));
  EXPECT_EQ(run_lcn(arguments).code, 0);
}

TEST(Program, ReportsThatOutputCouldNotBeWritten) {
  const std::string command = std::string(LCN_PROGRAM) + " --help >/dev/full 2>/dev/null";
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 4);
}

TEST(Program, DocumentedOptionsAreUpToDate) {
  const std::string page = file_text(std::filesystem::path(LCN_SOURCE_DIR) / "docs" / "cli.md");
  EXPECT_TRUE(page == manual_page()) << "write it anew: lcn help --markdown > docs/cli.md";
}

TEST(Eval, ScoresAValidDrawing) {
  const TestFolder folder;
  const std::string path = folder.write("cross.json", kCross);
  const ProgramResult result = run_lcn("eval " + path + " --json");
  EXPECT_EQ(result.code, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["valid"], true);
  EXPECT_EQ(report["violations"], json::array());
  EXPECT_EQ(report["violation_codes"], json::array());
  EXPECT_EQ(report["K"], 1);
  EXPECT_EQ(report["n_K"], 2);
  EXPECT_EQ(report["Phi"], 2);
  EXPECT_EQ(report["C"], 1);
  EXPECT_EQ(report["lower_bound"], 0);
  EXPECT_EQ(report["certificate"]["rule"], "planar");
  EXPECT_EQ(report["optimal"], false);
  const ProgramResult text = run_lcn("eval " + path);
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, HasSubstr("cross: 5 vertices, 3 edges, grid 10 x 10\n"));
  EXPECT_THAT(text.out, HasSubstr("valid        yes\n"));
  EXPECT_THAT(text.out, HasSubstr("K = 1, n_K = 2, Phi = 2, C = 1\n"));
  EXPECT_THAT(text.out, HasSubstr("optimal      not proven\n"));
}

TEST(Eval, NamesEveryViolation) {
  const TestFolder folder;
  const std::string path = folder.write("bad.json", kAllViolations);
  const ProgramResult result = run_lcn("eval --json " + path);
  EXPECT_EQ(result.code, 5);
  const json report = json::parse(result.out);
  EXPECT_EQ(report["valid"], false);
  EXPECT_EQ(report["violation_codes"], json({"V1", "V2", "V3", "V4"}));
  EXPECT_EQ(report["violations"][0], json({{"code", "V1"}, {"vertices", {3}}, {"edges", json::array()}}));
  EXPECT_EQ(report["violations"][1], json({{"code", "V2"}, {"vertices", {0, 1}}, {"edges", json::array()}}));
  EXPECT_EQ(report["optimal"], false);
  const ProgramResult text = run_lcn("eval " + path);
  EXPECT_EQ(text.code, 5);
  EXPECT_THAT(text.out, HasSubstr("V1 vertex 3 at (11, 0) is off the grid\n"));
  EXPECT_THAT(text.out, HasSubstr("V2 vertices 0 and 1 at (0, 0) share a point\n"));
  EXPECT_THAT(text.out, HasSubstr("V3 vertex 4 at (4, 2) lies on edge 0 (2-5)\n"));
  EXPECT_THAT(text.out, HasSubstr("V4 edges 1 (0-6) and 2 (1-7) overlap\n"));
}

TEST(Eval, RefusesWhatIsNoDrawing) {
  const TestFolder folder;
  const std::string bare = folder.write("bare.json", R"({"nodes": [{"id": 0}], "edges": []})");
  const ProgramResult no_drawing = run_lcn("eval " + bare);
  EXPECT_EQ(no_drawing.code, 2);
  EXPECT_THAT(no_drawing.err, HasSubstr("bare.json: nodes have no x and y"));
  const ProgramResult absent = run_lcn("eval " + folder.path() + "/absent.json");
  EXPECT_EQ(absent.code, 2);
  EXPECT_THAT(absent.err, HasSubstr("absent.json"));
  EXPECT_EQ(run_lcn("eval").code, 2);
  EXPECT_EQ(run_lcn("eval " + bare + " " + bare).code, 2);
}

TEST(Bound, PrintsTheCertificate) {
  const TestFolder folder;
  const std::string path = folder.path() + "/k6.json";
  ASSERT_EQ(run_lcn("generate complete --n 6 --out " + path).code, 0);
  const ProgramResult result = run_lcn("bound " + path + " --json");
  EXPECT_EQ(result.code, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["n"], 6);
  EXPECT_EQ(report["m"], 15);
  EXPECT_EQ(report["planar"], false);
  EXPECT_GE(report["lower_bound"], 1);
  EXPECT_FALSE(report["certificate"]["rule"].get<std::string>().empty());
  EXPECT_EQ(report["certificate"]["n"], report["certificate"]["vertices"].size());
  EXPECT_THAT(run_lcn("bound " + path).out, HasSubstr("k6: 6 vertices, 15 edges"));
}

TEST(Generate, IsDeterministicAndReadsBack) {
  const TestFolder folder;
  const std::string a = folder.path() + "/a.json", b = folder.path() + "/b.json";
  ASSERT_EQ(run_lcn("generate barabasi-albert --n 40 --m 3 --seed 7 --grid 500x400 --out " + a).code, 0);
  ASSERT_EQ(run_lcn("generate barabasi-albert --n 40 --m 3 --seed 7 --grid 500x400 --out " + b).code, 0);
  EXPECT_EQ(file_text(a), file_text(b));
  EXPECT_EQ(run_lcn("generate barabasi-albert --n 40 --m 3 --seed 7 --grid 500x400").out, file_text(a));
  EXPECT_NE(run_lcn("generate barabasi-albert --n 40 --m 3 --seed 8 --grid 500x400").out, file_text(a));
  const json graph = json::parse(file_text(a));
  EXPECT_EQ(graph["width"], 500);
  EXPECT_EQ(graph["height"], 400);
  EXPECT_EQ(graph["nodes"].size(), 40u);
  EXPECT_EQ(graph["edges"].size(), 3u * 37u);
  EXPECT_THAT(run_lcn("generate grid --rows 6 --cols 7").out, HasSubstr("\"edges\""));
}

TEST(Generate, WritesTheDrawingThatProvesThePlantedK) {
  const TestFolder folder;
  const std::string path = folder.path() + "/planted.json";
  ASSERT_EQ(run_lcn("generate planted --n 60 --k 2 --drawing --out " + path).code, 0);
  const ProgramResult result = run_lcn("eval --json " + path);
  EXPECT_EQ(result.code, 0) << result.out;
  EXPECT_LE(json::parse(result.out)["K"], 2);
}

TEST(Generate, RefusesBadValues) {
  EXPECT_THAT(run_lcn("generate grdi --rows 3").err, HasSubstr("unknown family 'grdi'"));
  EXPECT_THAT(run_lcn("generate grid --rows 3").err, HasSubstr("cols is missing"));
  EXPECT_THAT(run_lcn("generate grid --rows 3 --cols 3 --d 3").err, HasSubstr("unknown parameter 'd'"));
  EXPECT_THAT(run_lcn("generate grid --rows 0 --cols 3").err, HasSubstr("--rows: 0 is outside"));
  EXPECT_THAT(run_lcn("generate regular --n 5 --d 3").err, HasSubstr("is odd"));
  EXPECT_THAT(run_lcn("generate grid --rows 3 --cols 3 --drawing").err,
              HasSubstr("has no drawing of its own"));
  EXPECT_THAT(run_lcn("generate planted --n 60 --drawing --grid 2x2").err,
              HasSubstr("does not fit a grid of 2x2"));
  for (const char* arguments :
       {"generate", "generate grid --rows 3", "generate grid --rows 3 --cols 3 --grid 3"})
    EXPECT_EQ(run_lcn(arguments).code, 2) << arguments;
  EXPECT_EQ(run_lcn("generate grid --rows 3 --cols 3 --out /proc/none/a.json").code, 4);
}

TEST(Draw, MakesAPicture) {
  const TestFolder folder;
  const std::string path = folder.write("cross.json", kCross);
  const std::string out = folder.path() + "/cross.svg";
  const ProgramResult result = run_lcn("draw " + path + " --out " + out);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(file_text(out), HasSubstr("<svg"));
  EXPECT_EQ(run_lcn("draw " + path).out, file_text(out));
  const ProgramResult bare =
      run_lcn("draw " + folder.write("bare.json", R"({"nodes": [{"id": 0}], "edges": []})"));
  EXPECT_EQ(bare.code, 2);
  EXPECT_THAT(bare.err, HasSubstr("nodes have no x and y"));
}

TEST(Devices, EndsWellWithAndWithoutGpu) {
  const ProgramResult result = run_lcn("devices");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, testing::AnyOf(StartsWith("none ("), HasSubstr("GPU-")));
}

// Needs the variables of an MPI that may run as root and with more ranks than cores, as the main job's tests
// do.
TEST(Devices, PrintTheMapOnceUnderMpirun) {
  const TestFolder folder;
  const std::string out = folder.path() + "/out";
  const std::string command =
      "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
      "OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_pml=ob1 OMPI_MCA_hwloc_base_binding_policy=none "
      "OMPI_MCA_orte_tmpdir_base=" +
      folder.path() + " mpirun -n 2 " + LCN_PROGRAM + " devices </dev/null >" + out;
  ASSERT_EQ(std::system(command.c_str()), 0);
  const std::string map = file_text(out);
  for (const std::string rank : {"rank 0 on ", "rank 1 on "}) {
    const std::size_t first = ("\n" + map).find("\n" + rank);
    ASSERT_NE(first, std::string::npos) << map;
    EXPECT_EQ(("\n" + map).find("\n" + rank, first + 1), std::string::npos) << map;
  }
  if (list_devices().empty()) {
    EXPECT_THAT(map, HasSubstr("sees 0 GPUs, takes none"));
    EXPECT_THAT(map, HasSubstr("no map: "));
  }
}

}  // namespace
}  // namespace lcn
