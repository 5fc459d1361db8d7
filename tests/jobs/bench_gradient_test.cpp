#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kernels/device/devices.hpp"
#include "run_program.hpp"

namespace lcn {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const std::string kSmall =
    "bench gradient --device cpu --vertices 30 --edges 70 --layouts 3 --epochs 100 --init random --threads 2 "
    "--samples 2";

json report_of(const std::string& command, const std::string& path) {
  const ProgramResult result = run_lcn(command + " --out " + path);
  EXPECT_EQ(result.code, 0) << result.err;
  return result.code == 0 ? json::parse(file_text(path)) : json();
}

const json& gate(const json& report, const std::string& name) {
  for (const json& candidate : report["gates"])
    if (candidate["name"] == name) return candidate;
  throw std::runtime_error("no gate " + name);
}

TEST(BenchGradient, MeasuresTheStagesOfARunAndProvesTheirGradients) {
  const TestFolder folder;
  const json report = report_of(kSmall, folder.path() + "/report.json");
  EXPECT_EQ(report["name"], "gradient");
  EXPECT_EQ(report["scope"], "stage");
  const char* const names[] = {"cpu_start", "cpu_early", "cpu_middle", "cpu_balanced", "cpu_end"};
  ASSERT_EQ(report["arms"].size(), std::size(names));
  for (std::size_t i = 0; i < std::size(names); ++i) {
    const json& arm = report["arms"][i];
    EXPECT_EQ(arm["name"], names[i]);
    EXPECT_EQ(arm["work_units"], 3);  // layouts
    EXPECT_EQ(arm["launches_per_sample"], 16);
    EXPECT_EQ(arm["samples"].size(), 2u);
  }
  // of 100 epochs: sharpness 3 at the first, 30 to 60 in the balanced part, the last sample ends the schedule
  EXPECT_THAT(report["arms"][0]["description"], HasSubstr("epochs 0 to 15, from T = 3.0, all weights 1"));
  EXPECT_THAT(report["arms"][3]["description"],
              HasSubstr("epochs 60 to 75, from T = 24.0, with balanced weights"));
  EXPECT_THAT(report["arms"][4]["description"], HasSubstr("epochs 84 to 99"));
  // 2 layouts of 5 stages, x and y of 30 vertices
  EXPECT_EQ(gate(report, "cpu_gradient")["values_compared"], 2 * 5 * 2 * 30);
  EXPECT_EQ(gate(report, "cpu_gradient")["passed"], true);
  EXPECT_EQ(gate(report, "finite")["values_compared"], 3 * 5 * 2 * 30);
  const double error = report["metrics"]["relative_error_max/cpu"];
  EXPECT_GT(error, 0);
  EXPECT_LT(error, 1e-4);
}

TEST(BenchGradient, TheWorkloadIsAFunctionOfSeedAndStart) {
  const TestFolder folder;
  const auto hash = [&](const std::string& options) {
    const json report = report_of(kSmall + " " + options, folder.path() + "/report.json");
    return report["input_sha256"].get<std::string>();
  };
  const std::string first = hash("--seed 5");
  EXPECT_EQ(first, hash("--seed 5"));
  EXPECT_NE(first, hash("--seed 6"));
}

TEST(BenchGradient, TakesAContestFile) {
  const TestFolder folder;
  const std::string path = folder.path() + "/ring.json";
  ASSERT_EQ(run_lcn("generate cycle --n 12 --out " + path).code, 0);
  const json report =
      report_of("bench gradient " + path + " --device cpu --epochs 100 --init random --threads 1 --samples 2",
                folder.path() + "/report.json");
  EXPECT_EQ(report["parameters"]["instance"], "ring");
  EXPECT_EQ(report["parameters"]["edges"], "12");
  EXPECT_EQ(report["parameters"]["layouts"], "2");
}

TEST(BenchGradient, TimesTheWholeScheduleOnAGpu) {
  if (list_devices().empty()) {
    const char* required = std::getenv("LCN_REQUIRE_GPU");  // 1 turns the skip into a failure
    ASSERT_FALSE(required != nullptr && std::string(required) == "1") << no_device_reason();
    GTEST_SKIP() << "no GPU: " << no_device_reason();
  }
  const TestFolder folder;
  const std::string small =
      "bench gradient --device gpu --vertices 30 --edges 70 --layouts 3 --epochs 100 --samples 2";
  const json kernel = report_of(small, folder.path() + "/kernel.json");
  EXPECT_EQ(kernel["scope"], "kernel");
  EXPECT_EQ(kernel["arms"].back()["name"], "gpu_schedule");
  EXPECT_EQ(kernel["arms"].back()["launches_per_sample"], 100);
  EXPECT_EQ(gate(kernel, "gpu_gradient")["passed"], true);
  const json stage = report_of(small + " --scope stage", folder.path() + "/stage.json");
  EXPECT_EQ(stage["arms"].size(), 10u);
  EXPECT_EQ(stage["ratios"].size(), 5u);
}

TEST(BenchGradient, RefusesWhatItCannotMeasure) {
  const ProgramResult scope = run_lcn("bench gradient --device cpu --scope kernel");
  EXPECT_EQ(scope.code, 2);
  EXPECT_THAT(scope.err, HasSubstr("only a GPU has a device clock"));
  EXPECT_EQ(run_lcn("bench gradient --device cpu --epochs 50").code, 2);
  EXPECT_EQ(run_lcn("bench gradient --device cpu --init nowhere").code, 2);
  EXPECT_EQ(run_lcn("bench gradient --device cpu --vertices 3 --edges 4").code, 2);
  const TestFolder folder;
  std::ofstream(folder.path() + "/empty.json") << R"({"nodes": [{"id": 0}], "edges": []})";
  const ProgramResult empty = run_lcn("bench gradient --device cpu " + folder.path() + "/empty.json");
  EXPECT_EQ(empty.code, 2);
  EXPECT_THAT(empty.err, HasSubstr("without edges"));
  if (list_devices().empty()) {
    EXPECT_EQ(run_lcn("bench gradient --device gpu").code, 4);
  }
}

}  // namespace
}  // namespace lcn
