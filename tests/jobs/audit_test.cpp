#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>

#include "io/report.hpp"
#include "jobs/commands.hpp"
#include "random/stream.hpp"
#include "run_program.hpp"
#include "support/error.hpp"
#include "support/sha256.hpp"

namespace lcn {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kAccepted = 0, kUsage = 2, kRejected = 5, kInsufficient = 6;

const std::string kHash(64, 'a');

std::vector<double> noisy(double middle, std::uint32_t stream_number, int count = 12) {
  Stream stream(derive_key({7, {}, 1}, Purpose::test, "audit"), stream_number);
  std::vector<double> samples;
  for (int i = 0; i < count; ++i) samples.push_back(middle * (1 + 0.001 * stream.normal()));
  return samples;
}

BenchmarkReport valid_report() {
  BenchmarkReport report;
  report.name = "crossings";
  report.scope = BenchmarkScope::kernel;
  report.excluded = "copies";
  report.work_unit = "proposal attempted: all of it";
  report.parameters = {{"edges", "512"}};
  report.arms = {{"slow", "the long way", noisy(6, 1), 100, 2, "3 blocks of 64 threads"},
                 {"fast", "the short way", noisy(2, 2), 100, 8, ""},
                 {"large", "more of it", noisy(9, 3), 300, 1, ""}};
  report.warm_ups = 3;
  report.gates = {{"parity", true, "every edge", 51'200}};
  report.ratios = {{"slow / fast", "slow", "fast"}};
  report.metrics = {{"proposals_attempted_per_s/slow", 100 / median_ms(report.arms[0]) * 1e3},
                    {"proposals_valid_per_s/slow", 9'000},
                    {"proposals_accepted_per_s/slow", 4'000}};
  report.device = {"gpu", "Some GPU", "580.1", "13.0", 132, 1980, 1980, 1975, ""};
  report.input_sha256 = kHash;
  report.argv = {"lcn", "bench"};
  report.seeds = {1};
  return report;
}

json valid() {
  return json::parse(benchmark_json(valid_report()));
}

// `lcn audit` within this process: the mutations are many, a process for each takes time.
ProgramResult run_audit(const std::vector<std::string>& args) {
  ::testing::internal::CaptureStdout();
  ProgramResult result;
  try {
    result.code = audit_command(args);
  } catch (const Error& error) {
    result.code = exit_code(error.kind());
    result.err = error.what();
  }
  std::fflush(stdout);
  result.out = ::testing::internal::GetCapturedStdout();
  return result;
}

class Audit : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() + "/" + name) << text;
    return folder_.path() + "/" + name;
  }
  std::string write(const std::string& name, const json& report) { return write(name, report.dump()); }
  ProgramResult audit(const json& report) { return run_audit({write("report.json", report)}); }

  TestFolder folder_;
};

int lines_with(const std::string& text, const std::string& start) {
  int count = 0;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) count += line.starts_with(start);
  return count;
}

TEST_F(Audit, AcceptsWhatTheWriterWrites) {
  const ProgramResult result = audit(valid());
  EXPECT_EQ(result.code, kAccepted) << result.out << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("ACCEPT "), HasSubstr("scope kernel"),
                                HasSubstr("slow / fast: 3.0"), HasSubstr("gate parity: passed")));
  EXPECT_THAT(result.out, Not(HasSubstr("as 40 %")));

  BenchmarkReport unpaired = valid_report();
  unpaired.arms[1].samples.pop_back();
  EXPECT_EQ(audit(json::parse(benchmark_json(unpaired))).code, kAccepted) << "samples, not rounds, are drawn";

  BenchmarkReport on_cpu = valid_report();
  on_cpu.scope = BenchmarkScope::stage;
  on_cpu.device = {};
  on_cpu.ratios.clear();
  EXPECT_EQ(audit(json::parse(benchmark_json(on_cpu))).code, kAccepted) << "a report may claim no ratio";
}

// Each mutation breaks exactly one gate: one line is printed, and it has these words.
struct Mutation {
  const char* what;
  std::function<void(json&)> change;
  const char* words;
};

void expect_single_finding(const ProgramResult& result, int code, const std::string& start,
                           const Mutation& mutation) {
  EXPECT_EQ(result.code, code) << mutation.what << "\n" << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr(mutation.words)) << mutation.what;
  EXPECT_EQ(lines_with(result.out, start), 1) << mutation.what << "\n" << result.out;
  EXPECT_EQ(lines_with(result.out, "REJECT") + lines_with(result.out, "INSUFFICIENT_EVIDENCE"), 1)
      << mutation.what << "\n"
      << result.out;
  EXPECT_THAT(result.out, AllOf(Not(HasSubstr("ACCEPT")), Not(HasSubstr("aggregate")))) << mutation.what;
}

TEST_F(Audit, EveryGateRejectsAlone) {
  const std::vector<Mutation> mutations = {
      {"failed gate", [](json& j) { j["gates"][0]["passed"] = false; },
       "/gates/0/passed the correctness gate 'parity' failed"},
      {"gate that compared nothing", [](json& j) { j["gates"][0]["values_compared"] = 0; },
       "/gates/0/values_compared the correctness gate 'parity' compared nothing"},
      {"unknown schema", [](json& j) { j["schema_version"] = 2; }, "/schema_version is 2 (unknown"},
      {"no schema", [](json& j) { j.erase("schema_version"); },
       "/schema_version is missing (not a benchmark"},
      {"no scope", [](json& j) { j.erase("scope"); }, "/scope is missing"},
      {"unknown scope", [](json& j) { j["scope"] = "gpu time"; }, "/scope is 'gpu time'"},
      {"kernel times of a CPU",
       [](json& j) {
         j["device"] = {{"kind", "cpu"}, {"name", "Some CPU"}};
       },
       "kernel times are device events"},
      {"kernel times of cold launches", [](json& j) { j["warm_ups"] = 0; }, "/warm_ups is 0"},
      {"unknown device kind", [](json& j) { j["device"]["kind"] = "tpu"; }, "/device/kind is 'tpu'"},
      {"clock of 0", [](json& j) { j["device"]["clock_mhz_after"] = 0; }, "/device/clock_mhz_after is 0 MHz"},
      {"other unit of time", [](json& j) { j["sample_unit"] = "us"; }, "/sample_unit is 'us'"},
      {"sample of 0", [](json& j) { j["arms"][2]["samples"][3] = 0; },
       "/arms/2/samples/3 is 0 ms (times are positive and finite)"},
      {"negative sample", [](json& j) { j["arms"][2]["samples"][3] = -1.5; }, "/arms/2/samples/3 is -1.5 ms"},
      {"sample that was not finite", [](json& j) { j["arms"][2]["samples"][3] = nullptr; },
       "/arms/2/samples/3 must be a number (found null)"},
      {"sample of 10^300 ms", [](json& j) { j["arms"][2]["samples"][3] = 1e300; }, "no clock measures that"},
      {"negative median", [](json& j) { j["arms"][2]["median"] = -9; }, "/arms/2/median is -9 ms"},
      {"median not of the samples",
       [](json& j) { j["arms"][2]["median"] = j["arms"][2]["median"].get<double>() * (1 + 1e-6); },
       "/arms/2/median is "},
      {"min not of the samples", [](json& j) { j["arms"][2]["min"] = 0.5; }, "/arms/2/min is 0.5 ms, but"},
      {"max not of the samples", [](json& j) { j["arms"][2]["max"] = 99; }, "/arms/2/max is 99 ms, but"},
      {"min above the median", [](json& j) { j["arms"][2]["min"] = 9.5; },
       "min <= median <= max does not hold"},
      {"max below the median", [](json& j) { j["arms"][2]["max"] = 2; },
       "min <= median <= max does not hold"},
      {"no launches", [](json& j) { j["arms"][0]["launches_per_sample"] = 0; },
       "/arms/0/launches_per_sample is 0 (at least 1)"},
      {"no work", [](json& j) { j["arms"][2]["work_units"] = 0; }, "/arms/2/work_units is 0 (at least 1)"},
      {"part of a work unit", [](json& j) { j["arms"][2]["work_units"] = 0.5; },
       "/arms/2/work_units must be an integer"},
      {"two arms of one name", [](json& j) { j["arms"][2]["name"] = "fast"; },
       "a second arm is named 'fast'"},
      {"two ratios of one name", [](json& j) { j["ratios"].push_back(j["ratios"][0]); },
       "a second ratio is named"},
      {"speed-up that is not of the medians", [](json& j) { j["ratios"][0]["value"] = 3.1; },
       "/ratios/0/value is 3.1, but the medians give 3."},
      {"speed-up upside down",
       [](json& j) { j["ratios"][0]["value"] = 1 / j["ratios"][0]["value"].get<double>(); },
       "/ratios/0/value"},
      {"arm that is not there", [](json& j) { j["ratios"][0]["denominator"] = "best"; },
       "/ratios/0/denominator no arm is named 'best'"},
      {"unequal work", [](json& j) { j["arms"][1]["work_units"] = 32; },
       "compares unequal work (100 against 32"},
      {"round against proposal", [](json& j) { j["arms"][1]["work_unit"] = "round of 32 candidates"; },
       "compares unequal work units"},
      {"low end of the interval", [](json& j) { j["ratios"][0]["interval"][0] = 2.9; },
       "/ratios/0/interval is ["},
      {"high end of the interval", [](json& j) { j["ratios"][0]["interval"][1] = 3.2; },
       "/ratios/0/interval is ["},
      {"interval of three", [](json& j) { j["ratios"][0]["interval"].push_back(3.2); },
       "must be [low, high]"},
      {"other confidence", [](json& j) { j["ratios"][0]["confidence"] = 0.9; },
       "/ratios/0/confidence is 0.9"},
      {"other method", [](json& j) { j["ratios"][0]["method"] = "by eye"; }, "/ratios/0/method is 'by eye'"},
      {"endless resamples", [](json& j) { j["ratios"][0]["resamples"] = 1'000'000'000; },
       "/ratios/0/resamples is 1000000000 (at most"},
      {"rate", [](json& j) { j["metrics"]["proposals_attempted_per_s/slow"] = 1e6; },
       "/metrics/proposals_attempted_per_s~1slow is 1000000"},
      {"more valid than attempted", [](json& j) { j["metrics"]["proposals_valid_per_s/slow"] = 1e6; },
       "more than the"},
      {"more accepted than valid", [](json& j) { j["metrics"]["proposals_accepted_per_s/slow"] = 9'001; },
       "more than the"},
      {"metric that was not finite", [](json& j) { j["metrics"]["K"] = nullptr; },
       "/metrics/K must be a number"},
      {"no hash", [](json& j) { j["input_sha256"] = "ab"; }, "/input_sha256 must be 64 hexadecimal digits"},
      {"no time", [](json& j) { j["timestamp"] = "yesterday"; }, "/timestamp must be YYYY"},
      {"seed listed twice",
       [](json& j) {
         j["seeds"] = {1, 2, 1};
       },
       "/seeds/2 the seed 1 is listed a second time"},
      {"text for a number", [](json& j) { j["arms"][0]["median"] = "6"; },
       "/arms/0/median must be a number (found string)"},
      {"object for a list", [](json& j) { j["seeds"] = json::object(); }, "/seeds must be an array"},
      {"list for an object", [](json& j) { j["build"] = json::array(); }, "/build must be an object"},
      {"number for a flag", [](json& j) { j["gates"][0]["passed"] = 1; },
       "/gates/0/passed must be true or false"},
      {"number for a text", [](json& j) { j["order"] = 5; }, "/order must be text"},
      {"array for a report", [](json& j) { j = json::array({j}); }, "must be an object (found array)"},
  };
  ASSERT_EQ(audit(valid()).code, kAccepted);
  for (const Mutation& mutation : mutations) {
    json report = valid();
    mutation.change(report);
    expect_single_finding(audit(report), kRejected, "REJECT " + folder_.path() + "/report.json: ", mutation);
  }
}

TEST_F(Audit, BrokenJsonIsRejectedWithItsPlace) {
  const std::string text = valid().dump(1);
  std::string twice = text, infinite = text;
  twice.replace(twice.find("\"arms\""), 0, "\"scope\": \"stage\", ");
  infinite.replace(infinite.find("\"warm_ups\": 3"), 13, "\"warm_ups\": 1e999");
  const std::vector<std::pair<std::string, const char*>> broken = {
      {"", "line 1, column 1 broken JSON"},
      {"{\n  \"scope\": kernel\n}", "line 2, column 12 broken JSON"},
      {text.substr(0, text.size() / 2), "broken JSON"},
      {twice, "/scope the key is given twice"},
      {infinite, "a number is not finite"},
      {std::string(100'000, '['), "is nested too deeply"}};
  for (const auto& [bytes, words] : broken) {
    const ProgramResult result = run_audit({write("report.json", bytes)});
    EXPECT_EQ(result.code, kRejected) << words;
    EXPECT_THAT(result.out,
                AllOf(HasSubstr("REJECT " + folder_.path() + "/report.json: "), HasSubstr(words)));
    EXPECT_EQ(lines_with(result.out, "REJECT"), 1);
  }
}

TEST_F(Audit, EveryKeyOfTheWriterIsNeeded) {
  const json whole = valid();
  // What the form does not ask for: an interval is a claim more, the launch shape is there on devices only.
  const std::vector<std::string> free = {"/arms/0/launch_shape",
                                         "/device/power",
                                         "/ratios/0/interval",
                                         "/parameters/edges",
                                         "/metrics/proposals_attempted_per_s~1slow",
                                         "/metrics/proposals_valid_per_s~1slow",
                                         "/metrics/proposals_accepted_per_s~1slow"};
  const std::vector<std::string> rejected = {"/schema_version", "/scope"};
  std::vector<std::string> keys;
  const json flat = whole.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    std::string key = pointer;
    while (key.find_last_not_of("0123456789") == key.rfind('/')) key.erase(key.rfind('/'));
    keys.push_back(key);
  }
  for (const char* container : {"/arms", "/ratios", "/gates", "/metrics", "/device", "/build", "/parameters"})
    keys.push_back(container);
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  // An arm's gone name leaves the ratio without an arm, and arms that are gone leave nothing to divide.
  const std::vector<std::string> also_rejected = {"/arms", "/arms/0/name", "/arms/1/name"};
  int needed = 0;
  for (const std::string& key : keys) {
    if (std::find(free.begin(), free.end(), key) != free.end()) continue;
    json report = whole;
    const json::json_pointer pointer(key);
    report[pointer.parent_pointer()].erase(pointer.back());
    const ProgramResult result = audit(report);
    const auto among = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), key) != list.end();
    };
    EXPECT_EQ(result.code, among(rejected) || among(also_rejected) ? kRejected : kInsufficient) << key << "\n"
                                                                                                << result.out;
    const std::string start = among(rejected) ? "REJECT " : "INSUFFICIENT_EVIDENCE: ";
    EXPECT_THAT(result.out, HasSubstr(start + folder_.path() + "/report.json: " + key)) << key;
    ++needed;
  }
  EXPECT_GT(needed, 50);
}

TEST_F(Audit, SearchesToATargetAreRecomputed) {
  BenchmarkReport report = valid_report();
  const auto search = [](std::int64_t seed, bool reached, double seconds, std::int64_t K) {
    return BenchmarkSearch{"slow", seed, reached, seconds, 10.1, K, 1000, 500, 200, 250, 1000, 30, 2};
  };
  report.searches = {
      4, 10, "snake", "annealing", {search(1, true, 2.5, 4), search(2, true, 7, 3), search(3, false, 10, 5)}};
  report.metrics.push_back({"searches/slow", 3});
  report.metrics.push_back({"searches_reached/slow", 2});
  report.metrics.push_back({"time_to_target_median_s/slow", 7});
  const json whole = json::parse(benchmark_json(report));
  ASSERT_EQ(audit(whole).code, kAccepted) << audit(whole).out;
  EXPECT_THAT(benchmark_table(report), HasSubstr(" 7 [2.5, not reached]"));
  const std::vector<Mutation> mutations = {
      {"censored run without its budget", [](json& j) { j["searches"]["runs"][2]["seconds"] = 9; },
       "did not reach its target (censored at 10 s)"},
      {"time of 0", [](json& j) { j["searches"]["runs"][0]["seconds"] = 0; },
       "/searches/runs/0/seconds is 0 s"},
      {"time beyond the budget",
       [](json& j) {
         j["searches"]["runs"][1]["seconds"] = 11;
         j["metrics"]["time_to_target_median_s/slow"] = 11;
       },
       "/searches/runs/1/seconds is 11 s"},
      {"target not reached", [](json& j) { j["searches"]["runs"][1]["K"] = 5; },
       "K = 5 is above the target 4"},
      {"more valid than attempted", [](json& j) { j["searches"]["runs"][1]["proposals_valid"] = 1001; },
       "a part is more than its whole"},
      {"median of those that reached it",
       [](json& j) { j["metrics"]["time_to_target_median_s/slow"] = 4.75; },
       "is 4.75, but the searches give 7"},
      {"dropped search", [](json& j) { j["metrics"]["searches/slow"] = 2; }, "is 2, but the searches give 3"},
      {"search counted twice", [](json& j) { j["searches"]["runs"][1]["seed"] = 3; },
       "/searches/runs/2/seed a second search of 'slow' has the seed 3"},
      {"text for a flag", [](json& j) { j["searches"]["runs"][0]["reached"] = "yes"; },
       "/searches/runs/0/reached must be true or false"},
  };
  for (const Mutation& mutation : mutations) {
    json changed = whole;
    mutation.change(changed);
    expect_single_finding(audit(changed), kRejected, "REJECT " + folder_.path() + "/report.json: ", mutation);
  }
  json none = whole;
  for (json& entry : none["searches"]["runs"]) entry["reached"] = false, entry["seconds"] = 10;
  none["metrics"]["searches_reached/slow"] = 0;
  EXPECT_THAT(audit(none).out, HasSubstr("is a number, but the searches did not reach it"));
  none["metrics"].erase("time_to_target_median_s/slow");
  EXPECT_EQ(audit(none).code, kAccepted);
}

TEST_F(Audit, SearchesOfArmsArePairedAndTheirMetricsHaveTrueJsonPointers) {
  BenchmarkReport report = valid_report();
  report.searches = {4, 10, "snake", "annealing", {}};
  for (const char* arm : {"cpu/geo", "gpu/geo~1"}) {
    for (const std::int64_t seed : {1, 2})
      report.searches->runs.push_back({arm, seed, true, 2.5, 2.6, 4, 1000, 500, 200, 250, 1000, 30, 2});
    report.metrics.push_back({fmt::format("searches/{}", arm), 2});
    report.metrics.push_back({fmt::format("searches_reached/{}", arm), 2});
    report.metrics.push_back({fmt::format("time_to_target_median_s/{}", arm), 2.5});
  }
  const json whole = json::parse(benchmark_json(report));
  ASSERT_EQ(audit(whole).code, kAccepted) << audit(whole).out;
  const std::vector<Mutation> mutations = {
      {"metric of an arm with a slash",
       [](json& j) { j["metrics"].erase("time_to_target_median_s/cpu/geo"); },
       "/metrics/time_to_target_median_s~1cpu~1geo is missing"},
      {"metric of an arm with a tilde", [](json& j) { j["metrics"].erase("searches/gpu/geo~1"); },
       "/metrics/searches~1gpu~1geo~01 is missing"},
      {"search of one arm only",
       [](json& j) {
         j["searches"]["runs"].erase(3);
         j["metrics"]["searches/gpu/geo~1"] = 1;
         j["metrics"]["searches_reached/gpu/geo~1"] = 1;
       },
       "/searches/runs 'gpu/geo~1' has no search with the seed 2"},
  };
  for (const Mutation& mutation : mutations) {
    json changed = whole;
    mutation.change(changed);
    expect_single_finding(audit(changed), kInsufficient,
                          "INSUFFICIENT_EVIDENCE: " + folder_.path() + "/report.json: ", mutation);
  }
}

TEST_F(Audit, MissingEvidenceIsNamed) {
  const auto empty_gates = [](json& j) { j["gates"] = json::array(); };
  const std::vector<Mutation> mutations = {
      {"no raw samples", [](json& j) { j["arms"][2].erase("samples"); },
       "/arms/2/samples raw samples are missing"},
      {"empty samples", [](json& j) { j["arms"][2]["samples"] = json::array(); },
       "/arms/2/samples holds no raw sample"},
      {"no gate", empty_gates, "/gates holds no gate"},
      {"nothing said about what was compared", [](json& j) { j["gates"][0]["compared"] = ""; },
       "/gates/0/compared is empty"},
      {"nothing said about what is excluded", [](json& j) { j["excluded"] = ""; }, "/excluded is empty"},
      {"no parameters", [](json& j) { j["parameters"] = json::object(); }, "/parameters holds no parameter"},
      {"a parameter without a value", [](json& j) { j["parameters"]["edges"] = ""; },
       "/parameters/edges is empty"},
      {"no seeds", [](json& j) { j["seeds"] = json::array(); }, "/seeds holds no seed"},
      {"no resamples", [](json& j) { j["ratios"][0]["resamples"] = 1; },
       "/ratios/0/resamples 1 resample (an interval needs at least 1000)"},
      {"changes without their hash",
       [](json& j) {
         j["build"]["dirty"] = true;
         j["build"]["diff_sha256"] = "";
       },
       "/build/diff_sha256 is empty"},
  };
  for (const Mutation& mutation : mutations) {
    json report = valid();
    mutation.change(report);
    expect_single_finding(audit(report), kInsufficient,
                          "INSUFFICIENT_EVIDENCE: " + folder_.path() + "/report.json: ", mutation);
  }
  BenchmarkReport few = valid_report();
  for (BenchmarkArm& arm : few.arms) arm.samples.resize(5);
  few.metrics.clear();
  expect_single_finding(
      audit(json::parse(benchmark_json(few))), kInsufficient, "INSUFFICIENT_EVIDENCE: ",
      {"an interval of five samples", {}, "5 samples of an arm (a 95 % interval of a median"});

  json claim = valid();
  claim["arms"][1].erase("samples");
  EXPECT_THAT(audit(claim).out, HasSubstr("/ratios/0/interval 'slow / fast' is claimed with an interval, but "
                                          "'fast' has no raw samples"));
}

// A kernel report as far as it was published: medians and their ratio, nothing else.
json published(const std::string& size, double full, double incremental, double ratio) {
  return {{"schema_version", 1},
          {"name", "crossings"},
          {"scope", "kernel"},
          {"work_unit", "proposal evaluated"},
          {"parameters", {{"vertices / edges", size}, {"proposals", "32"}}},
          {"sample_unit", "ms"},
          {"arms",
           {{{"name", "full"}, {"work_units", 32}, {"median", full}},
            {{"name", "incremental"}, {"work_units", 32}, {"median", incremental}}}},
          {"ratios",
           {{{"name", "full / incremental"},
             {"numerator", "full"},
             {"denominator", "incremental"},
             {"value", ratio}}}},
          {"device", {{"kind", "gpu"}, {"name", "NVIDIA GeForce RTX 4060 Laptop GPU"}}}};
}

TEST_F(Audit, PublishedKernelReportsAreRecomputedButLackTheirSamples) {
  const std::string small = write("small.json", published("48 / 96", 0.02473, 0.02243, 1.10));
  const std::string large = write("large.json", published("128 / 512", 0.25788, 0.13190, 1.96));
  const ProgramResult result = run_audit({"--end-to-end-share", "0.5", small, large});
  EXPECT_EQ(result.code, kInsufficient) << result.out;
  EXPECT_THAT(result.out, AllOf(HasSubstr("full / incremental: 1.10 (no interval)"),
                                HasSubstr("full / incremental: 1.96 (no interval)")));
  for (const std::string& file : {small, large})
    for (const char* lacking : {"/arms/0/samples raw samples are missing", "/arms/1/samples raw samples",
                                "/gates is missing", "/build is missing", "/input_sha256 is missing"})
      EXPECT_THAT(result.out, HasSubstr("INSUFFICIENT_EVIDENCE: " + file + ": " + lacking));
  EXPECT_THAT(result.out, AllOf(Not(HasSubstr("REJECT")), Not(HasSubstr("aggregate")),
                                Not(HasSubstr("ACCEPT")), Not(HasSubstr("as 50 %"))));

  const ProgramResult wrong = audit(published("128 / 512", 0.25788, 0.13190, 2.10));
  EXPECT_EQ(wrong.code, kRejected) << "two decimals were published, 2.10 is not a rounding of 1.955";
  EXPECT_THAT(wrong.out, HasSubstr("/ratios/0/value is 2.1, but the medians give 1.955"));
}

TEST_F(Audit, SummarisesReportsOfOneDeviceAndScope) {
  BenchmarkReport other = valid_report();
  other.arms[0].samples = noisy(12, 4);
  other.metrics.clear();
  const std::string one = write("one.json", valid()), two = write("two.json", benchmark_json(other));
  const ProgramResult result = run_audit({one, two});
  EXPECT_EQ(result.code, kAccepted) << result.out;
  EXPECT_EQ(lines_with(result.out, "ACCEPT"), 2);
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("aggregate of 2 reports: scope kernel, Some GPU"), HasSubstr("4.24")))
      << "the geometric mean of 3 and 6";
  EXPECT_EQ(result.out, run_audit({one, two}).out);

  const std::vector<Mutation> mutations = {
      {"device", [](json& j) { j["device"]["name"] = "Other GPU"; },
       "/device/name is 'Other GPU', but 'Some GPU'"},
      {"scope", [](json& j) { j["scope"] = "stage"; }, "/scope is 'stage', but 'kernel' in"},
      {"work unit", [](json& j) { j["work_unit"] = "round of 32 candidates"; },
       "/work_unit is 'round of 32 candidates'"},
      {"kind",
       [](json& j) {
         j["scope"] = "stage";
         j["device"] = {{"kind", "cpu"}, {"name", "Some GPU"}};
       },
       "/device/kind is 'cpu', but 'gpu'"},
      {"the same report", [](json& j) { j = valid(); }, ""},
  };
  for (const Mutation& mutation : mutations) {
    json report = json::parse(benchmark_json(other));
    mutation.change(report);
    json first = valid();
    if (std::string(mutation.what) == "kind") first["scope"] = "stage";
    if (std::string(mutation.what) == "the same report") report = first;
    const std::string a = write("a.json", first), b = write("b.json", report);
    const ProgramResult mixed = run_audit({a, b});
    EXPECT_EQ(mixed.code, kRejected) << mutation.what << mixed.out;
    EXPECT_EQ(lines_with(mixed.out, "REJECT " + b), 1) << mutation.what << mixed.out;
    EXPECT_THAT(mixed.out, AllOf(HasSubstr(mutation.words), Not(HasSubstr("aggregate of")))) << mutation.what;
    const ProgramResult apart = run_audit({"--separately", a, b});
    EXPECT_EQ(apart.code, kAccepted) << mutation.what << apart.out;
    EXPECT_THAT(apart.out, Not(HasSubstr("aggregate of")));
  }
}

TEST_F(Audit, OneBadReportStopsTheSummaryAndRejectionOutranksMissingEvidence) {
  json lacking = valid(), failed = valid();
  lacking["arms"][0].erase("samples");
  failed["gates"][0]["passed"] = false;
  const std::string good = write("good.json", valid()), six = write("six.json", lacking),
                    five = write("five.json", failed);
  const ProgramResult insufficient = run_audit({good, six});
  EXPECT_EQ(insufficient.code, kInsufficient);
  EXPECT_THAT(insufficient.out, AllOf(HasSubstr("ACCEPT " + good), Not(HasSubstr("aggregate of"))));
  EXPECT_EQ(run_audit({six, five, good}).code, kRejected);

  EXPECT_EQ(run_lcn("audit " + good).code, kAccepted) << "the program ends likewise";
  EXPECT_EQ(run_lcn("audit " + six).code, kInsufficient);
  EXPECT_EQ(run_lcn("audit " + five).code, kRejected);
}

TEST_F(Audit, WarnsOfDriftTwoGroupsClocksOrderAndBuild) {
  const auto warnings = [&](
                            const std::function<void(BenchmarkReport&)>& change,
                            const std::function<void(json&)>& edit = [](json&) {}) {
    BenchmarkReport report = valid_report();
    report.metrics.clear();
    change(report);
    json j = json::parse(benchmark_json(report));
    edit(j);
    const ProgramResult result = audit(j);
    EXPECT_EQ(result.code, kAccepted) << "warnings do not reject\n" << result.out;
    return result.out;
  };
  const auto clean = [](json& j) {
    j["build"]["dirty"] = false;
    j["build"]["commit"] = "abc";
    j["build"]["build_type"] = "Release";
    j["build"]["sanitizers"] = "";
  };
  EXPECT_THAT(warnings([](BenchmarkReport&) {}, clean), Not(HasSubstr("warning")));
  EXPECT_THAT(warnings([](BenchmarkReport& r) {
                for (std::size_t i = 0; i < r.arms[0].samples.size(); ++i)
                  r.arms[0].samples[i] *= 1 + 0.01 * double(i);
              }),
              HasSubstr("/arms/0/samples: 'slow' drifts: last third +7.9 %"));
  EXPECT_THAT(warnings([](BenchmarkReport& r) {
                for (std::size_t i = 0; i < r.arms[1].samples.size(); i += 3) r.arms[1].samples[i] *= 1.2;
              }),
              HasSubstr("/arms/1/samples: 'fast' is bimodal: 8 samples around"));
  EXPECT_THAT(
      warnings([](BenchmarkReport& r) { r.device.clock_mhz_after = 1500; }),
      AllOf(HasSubstr("went from 1980 to 1500 MHz"), HasSubstr("the clock was 1500 MHz, rated are 1980")));
  EXPECT_THAT(warnings([](BenchmarkReport& r) { r.order = "one arm after the other"; }),
              HasSubstr("/order: 'one arm after the other'"));
  EXPECT_THAT(warnings([](BenchmarkReport&) {},
                       [](json& j) {
                         j["build"]["dirty"] = true;
                         j["build"]["diff_sha256"] = kHash;
                         j["build"]["sanitizers"] = "address";
                       }),
              AllOf(HasSubstr("/build/dirty: true"), HasSubstr("times of a build with 'address'")));
}

TEST_F(Audit, SaysWhatARatioMeansForTheWhole) {
  BenchmarkReport report = valid_report();
  report.arms[0].samples = std::vector<double>(12, 6.0);
  report.arms[1].samples = std::vector<double>(12, 2.0);
  report.metrics.clear();
  const std::string path = write("report.json", benchmark_json(report));
  EXPECT_THAT(
      run_audit({"--end-to-end-share", "0.3", path}).out,
      HasSubstr("as 30 % of the end-to-end time: the whole is 1.250 times as fast [1.250, 1.250]; never "
                "more than 1.429"));
  EXPECT_THAT(run_audit({"--end-to-end-share", "1", path}).out,
              HasSubstr("the whole is 3.000 times as fast"));
  report.scope = BenchmarkScope::end_to_end;
  write("report.json", benchmark_json(report));
  EXPECT_THAT(run_audit({"--end-to-end-share", "0.3", path}).out,
              AllOf(Not(HasSubstr("as 30 %")), HasSubstr("need no --end-to-end-share")));
  EXPECT_EQ(run_audit({"--end-to-end-share", "1.5", path}).code, kUsage);
}

TEST_F(Audit, RefusesWhatItCannotRead) {
  EXPECT_EQ(run_audit({}).code, kUsage);
  const ProgramResult missing = run_lcn("audit " + folder_.path() + "/none.json");
  EXPECT_EQ(missing.code, kUsage);
  EXPECT_THAT(missing.err, HasSubstr("none.json: cannot be read"));
  json report = valid();
  report["device"]["name"] = "\x1b[31mred";
  EXPECT_THAT(audit(report).out, AllOf(HasSubstr("?[31mred"), Not(HasSubstr("\x1b"))))
      << "a report cannot send codes to the terminal";
}

TEST(CommittedReports, AreAllAccepted) {
  int reports = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(LCN_SOURCE_DIR "/benchmarks")) {
    if (entry.path().extension() != ".json") continue;
    if (entry.path().string().find("/studies/") != std::string::npos) continue;  // no benchmark reports
    const ProgramResult result = run_audit({entry.path().string()});
    EXPECT_EQ(result.code, kAccepted) << result.out << result.err;
    ++reports;
  }
  EXPECT_GT(reports, 0);
}

TEST(CommittedStudies, DecideFromTheReportBesideThem) {
  const auto text_of = [](const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  int studies = 0;
  for (const auto& folder : std::filesystem::directory_iterator(LCN_SOURCE_DIR "/benchmarks/studies")) {
    const std::string decision = text_of(folder.path() / "decision.json");
    EXPECT_NE(decision.find(sha256_hex(text_of(folder.path() / "report.json"))), std::string::npos)
        << folder.path();
    ++studies;
  }
  EXPECT_GT(studies, 0);
}

}  // namespace
}  // namespace lcn
