#include "io/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/error.hpp"
#include "tests/io/test_folder.hpp"

namespace lcn {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

BenchmarkReport sample() {
  BenchmarkReport report;
  report.name = "sample";
  report.scope = BenchmarkScope::kernel;
  report.excluded = "copies";
  report.work_unit = "proposal";
  report.parameters = {{"edges", "512"}};
  report.arms = {{"slow", "the long way", {6, 5, 7, 6}, 100, 2, "3 blocks of 64 threads"},
                 {"fast", "the short way", {2, 1, 2, 3}, 100, 8, ""}};
  report.warm_ups = 3;
  report.gates = {{"parity", true, "every edge", 51'200}};
  report.ratios = {{"slow / fast", "slow", "fast"}};
  report.metrics = {{"proposals_evaluated_per_s", 5e4}};
  report.input_sha256 = "ab";
  report.argv = {"lcn", "bench"};
  report.seeds = {1, 2};
  return report;
}

TEST(BenchmarkReport, HoldsEverythingThatAnAuditRecomputes) {
  const json j = json::parse(benchmark_json(sample()));
  EXPECT_EQ(j["schema_version"], 1);
  EXPECT_EQ(j["name"], "sample");
  EXPECT_EQ(j["scope"], "kernel");
  EXPECT_EQ(j["excluded"], "copies");
  EXPECT_EQ(j["work_unit"], "proposal");
  EXPECT_EQ(j["parameters"]["edges"], "512");
  EXPECT_EQ(j["sample_unit"], "ms");
  EXPECT_EQ(j["order"], "interleaved");
  EXPECT_EQ(j["warm_ups"], 3);
  ASSERT_EQ(j["arms"].size(), 2u);
  const json& slow = j["arms"][0];
  EXPECT_EQ(slow["name"], "slow");
  EXPECT_EQ(slow["samples"], (std::vector<double>{6, 5, 7, 6}))
      << "raw, in the order in which they were taken";
  EXPECT_EQ(slow["median"], 6);
  EXPECT_EQ(slow["min"], 5);
  EXPECT_EQ(slow["max"], 7);
  EXPECT_EQ(slow["work_units"], 100);
  EXPECT_EQ(slow["launches_per_sample"], 2);
  EXPECT_EQ(slow["launch_shape"], "3 blocks of 64 threads");
  EXPECT_FALSE(j["arms"][1].contains("launch_shape"));
  EXPECT_EQ(
      j["gates"][0],
      (json{{"name", "parity"}, {"passed", true}, {"compared", "every edge"}, {"values_compared", 51'200}}));
  EXPECT_EQ(j["metrics"]["proposals_evaluated_per_s"], 5e4);
  EXPECT_EQ(j["argv"], (std::vector<std::string>{"lcn", "bench"}));
  EXPECT_EQ(j["seeds"], (std::vector<int>{1, 2}));
  EXPECT_EQ(j["input_sha256"], "ab");
}

TEST(BenchmarkReport, RatioIsThatOfTheMediansAndItsIntervalIsDeterministic) {
  const json one = json::parse(benchmark_json(sample())), two = json::parse(benchmark_json(sample()));
  const json& ratio = one["ratios"][0];
  EXPECT_EQ(ratio["numerator"], "slow");
  EXPECT_EQ(ratio["denominator"], "fast");
  EXPECT_EQ(ratio["value"], 3);
  EXPECT_EQ(ratio["confidence"], 0.95);
  EXPECT_LE(ratio["interval"][0], ratio["value"]);
  EXPECT_GE(ratio["interval"][1], ratio["value"]);
  EXPECT_EQ(ratio, two["ratios"][0]);
}

TEST(BenchmarkReport, SaysWhatWasBuiltAndWhereItRan) {
  const json j = json::parse(benchmark_json(sample()));
  for (const char* key :
       {"version", "commit", "dirty", "diff_sha256", "compiler", "flags", "build_type", "cuda_compiler"})
    EXPECT_TRUE(j["build"].contains(key)) << key;
  EXPECT_FALSE(j["build"]["compiler"].get<std::string>().empty());
  EXPECT_THAT(j["binary_sha256"].get<std::string>(), ::testing::MatchesRegex("[0-9a-f]{64}"));
  EXPECT_THAT(j["timestamp"].get<std::string>(),
              ::testing::MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"));
  EXPECT_EQ(j["device"]["kind"], "cpu");
  EXPECT_FALSE(j["device"]["name"].get<std::string>().empty());

  BenchmarkReport on_gpu = sample();
  on_gpu.device = {"gpu", "Some GPU", "580.1", "13.0", 132, 1980, 1965, 1950};
  const json device = json::parse(benchmark_json(on_gpu))["device"];
  EXPECT_EQ(device["name"], "Some GPU");
  EXPECT_EQ(device["driver"], "580.1");
  EXPECT_EQ(device["cuda"], "13.0");
  EXPECT_EQ(device["multiprocessors"], 132);
  EXPECT_EQ(device["clock_mhz_before"], 1965);
  EXPECT_EQ(device["clock_mhz_after"], 1950);
}

TEST(BenchmarkReport, RefusesAFormThatNoAuditCouldAccept) {
  const std::vector<std::pair<const char*, std::function<void(BenchmarkReport&)>>> faults = {
      {"no arm",
       [](BenchmarkReport& r) {
         r.arms.clear();
         r.ratios.clear();
       }},
      {"no samples", [](BenchmarkReport& r) { r.arms[0].samples.clear(); }},
      {"a sample of 0", [](BenchmarkReport& r) { r.arms[0].samples[1] = 0; }},
      {"a negative sample", [](BenchmarkReport& r) { r.arms[1].samples[0] = -1; }},
      {"NaN", [](BenchmarkReport& r) { r.arms[0].samples[2] = std::numeric_limits<double>::quiet_NaN(); }},
      {"infinite",
       [](BenchmarkReport& r) { r.arms[0].samples[2] = std::numeric_limits<double>::infinity(); }},
      {"no work", [](BenchmarkReport& r) { r.arms[0].work_units = r.arms[1].work_units = 0; }},
      {"no launches", [](BenchmarkReport& r) { r.arms[0].launches_per_sample = 0; }},
      {"equal names",
       [](BenchmarkReport& r) {
         r.arms[1].name = "slow";
         r.ratios.clear();
       }},
      {"an unknown arm", [](BenchmarkReport& r) { r.ratios[0].denominator = "other"; }},
      {"unequal work", [](BenchmarkReport& r) { r.arms[1].work_units = 99; }},
      {"no gate", [](BenchmarkReport& r) { r.gates.clear(); }},
      {"nothing excluded", [](BenchmarkReport& r) { r.excluded.clear(); }},
      {"no work unit", [](BenchmarkReport& r) { r.work_unit.clear(); }},
      {"no parameters", [](BenchmarkReport& r) { r.parameters.clear(); }},
      {"no seeds", [](BenchmarkReport& r) { r.seeds.clear(); }},
      {"no name", [](BenchmarkReport& r) { r.name.clear(); }},
  };
  EXPECT_NO_THROW(benchmark_json(sample()));
  for (const auto& [what, break_it] : faults) {
    BenchmarkReport report = sample();
    break_it(report);
    EXPECT_THROW(benchmark_json(report), Error) << what;
  }
}

TEST(BenchmarkReport, AFailedGateIsWrittenAsEvidence) {
  BenchmarkReport report = sample();
  EXPECT_TRUE(gates_passed(report));
  report.gates.push_back({"other", false, "half of it", 7});
  EXPECT_FALSE(gates_passed(report));
  const TestFolder folder;
  const std::string path = folder.path() + "/report.json";
  write_benchmark_report(path, report);
  std::ifstream file(path);
  const json j = json::parse(file);
  EXPECT_EQ(j["gates"][1]["passed"], false);
  EXPECT_THAT(benchmark_table(report), HasSubstr("gate other: FAILED (half of it)"));
  report.gates.clear();
  EXPECT_FALSE(gates_passed(report)) << "no gate proves nothing";
}

TEST(BenchmarkReport, TableNamesEveryArmAndRatio) {
  const std::string table = benchmark_table(sample());
  EXPECT_THAT(table, HasSubstr("slow "));
  EXPECT_THAT(table, HasSubstr("fast "));
  EXPECT_THAT(table, HasSubstr("slow / fast: 3.000 ["));
}

}  // namespace
}  // namespace lcn
