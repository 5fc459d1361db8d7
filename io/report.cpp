#include "io/report.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "build_info.hpp"
#include "io/files.hpp"
#include "io/provenance.hpp"
#include "random/stream.hpp"
#include "stats/median_ratio.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

Error malformed(const std::string& what) {
  return Error(ErrorKind::internal, "benchmark report: " + what);
}

const BenchmarkArm& arm_named(const BenchmarkReport& report, const std::string& name) {
  for (const BenchmarkArm& arm : report.arms)
    if (arm.name == name) return arm;
  throw malformed("a ratio names the arm '" + name + "', which does not exist");
}

void check_arm(const BenchmarkArm& arm) {
  if (arm.samples.empty()) throw malformed("arm '" + arm.name + "' has no samples");
  for (double sample : arm.samples)
    if (!std::isfinite(sample) || sample <= 0)
      throw malformed(
          fmt::format("arm '{}' has a sample of {} ms (times are positive and finite)", arm.name, sample));
  if (arm.work_units <= 0 || arm.launches_per_sample <= 0)
    throw malformed("arm '" + arm.name + "' says no work units or launches");
}

void check(const BenchmarkReport& report) {
  if (report.name.empty() || report.excluded.empty() || report.work_unit.empty())
    throw malformed("name, excluded and work_unit must be said");
  if (report.parameters.empty() || report.seeds.empty())
    throw malformed("no parameter or no seed (the workload cannot be made again)");
  if (report.arms.empty()) throw malformed("no arm");
  if (report.gates.empty()) throw malformed("no gate (a time without a proof of correctness is no result)");
  std::set<std::string> names;
  for (const BenchmarkArm& arm : report.arms) {
    check_arm(arm);
    if (!names.insert(arm.name).second) throw malformed("two arms are named '" + arm.name + "'");
  }
  for (const BenchmarkRatio& ratio : report.ratios)
    if (arm_named(report, ratio.numerator).work_units != arm_named(report, ratio.denominator).work_units)
      throw malformed("ratio '" + ratio.name + "' compares arms with unequal work");
}

RatioEstimate estimate(const BenchmarkReport& report, const BenchmarkRatio& ratio) {
  return median_ratio(arm_named(report, ratio.numerator).samples,
                      arm_named(report, ratio.denominator).samples,
                      derive_key({}, Purpose::bootstrap, report.name + "/" + ratio.name));
}

Json arm_json(const BenchmarkArm& arm) {
  const auto [least, most] = std::minmax_element(arm.samples.begin(), arm.samples.end());
  Json json{{"name", arm.name},
            {"description", arm.description},
            {"work_units", arm.work_units},
            {"launches_per_sample", arm.launches_per_sample}};
  if (!arm.launch_shape.empty()) json["launch_shape"] = arm.launch_shape;
  json["median"] = median(arm.samples);
  json["min"] = *least;
  json["max"] = *most;
  json["samples"] = arm.samples;
  return json;
}

Json ratio_json(const BenchmarkReport& report, const BenchmarkRatio& ratio) {
  const RatioEstimate e = estimate(report, ratio);
  return {{"name", ratio.name},
          {"numerator", ratio.numerator},
          {"denominator", ratio.denominator},
          {"value", e.value},
          {"interval", {e.low, e.high}},
          {"confidence", 0.95},
          {"method", e.paired ? "percentile bootstrap over rounds" : "percentile bootstrap over samples"},
          {"resamples", e.resamples}};
}

// The frequency governor, where the system has one: virtual machines have none.
std::string cpu_power() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  std::string governor;
  return std::getline(file, governor) && !governor.empty() ? "governor " + governor : "not readable";
}

Json searches_json(const BenchmarkSearches& searches) {
  Json runs = Json::array();
  for (const BenchmarkSearch& s : searches.runs)
    runs.push_back({{"arm", s.arm},
                    {"seed", s.seed},
                    {"reached", s.reached},
                    {"seconds", s.seconds},
                    {"wall_seconds", s.wall_seconds},
                    {"K", s.K},
                    {"proposals_attempted", s.proposals_attempted},
                    {"proposals_valid", s.proposals_valid},
                    {"proposals_accepted", s.proposals_accepted},
                    {"chain_steps", s.chain_steps},
                    {"replica_steps", s.replica_steps},
                    {"exchanges_attempted", s.exchanges_attempted},
                    {"round_trips", s.round_trips}});
  return {{"target_K", searches.target_K},
          {"budget_s", searches.budget_s},
          {"start", searches.start},
          {"search", searches.search},
          {"runs", std::move(runs)}};
}

std::string searches_table(const BenchmarkSearches& searches) {
  std::string text =
      fmt::format("  searches to K <= {} within {} s, start {}, search {}; counts of all runs\n",
                  searches.target_K, searches.budget_s, searches.start, searches.search);
  text += fmt::format("  {:<24} {:>8} {:>28} {:>10} {:>10} {:>10} {:>11} {:>13} {:>10} {:>11}\n", "arm",
                      "reached", "median time, s [95 %]", "attempt/s", "valid/s", "accept/s", "chain steps",
                      "replica steps", "exchanges", "round trips");
  const auto seconds = [](const std::optional<double>& time) {
    return time ? fmt::format("{:.3g}", *time) : std::string("not reached");
  };
  for (const SearchesOfArm& arm : searches_by_arm(searches)) {
    const auto rate = [&](std::int64_t count) { return static_cast<double>(count) / arm.seconds; };
    text += fmt::format(
        "  {:<24} {:>8} {:>28} {:>10.4g} {:>10.4g} {:>10.4g} {:>11} {:>13} {:>10} {:>11}\n", arm.name,
        fmt::format("{}/{}", arm.reached, arm.runs),
        fmt::format("{} [{}, {}]", seconds(arm.time.median), seconds(arm.time.low), seconds(arm.time.high)),
        rate(arm.sum.proposals_attempted), rate(arm.sum.proposals_valid), rate(arm.sum.proposals_accepted),
        arm.sum.chain_steps, arm.sum.replica_steps, arm.sum.exchanges_attempted, arm.sum.round_trips);
  }
  return text;
}

Json device_json(const BenchmarkDevice& device) {
  Json json{{"kind", device.kind}, {"name", device.name.empty() ? cpu_model() : device.name}};
  json["power"] = !device.power.empty() ? device.power : device.kind == "cpu" ? cpu_power() : "not readable";
  if (device.kind != "gpu") return json;
  json["driver"] = device.driver;
  json["cuda"] = device.cuda;
  json["multiprocessors"] = device.multiprocessors;
  json["rated_clock_mhz"] = device.rated_clock_mhz;
  json["clock_mhz_before"] = device.clock_mhz_before;
  json["clock_mhz_after"] = device.clock_mhz_after;
  return json;
}

// null where the build did not know (no git).
Json dirty_flag() {
  const std::string flag = LCN_GIT_DIRTY;
  return flag == "true" ? Json(true) : flag == "false" ? Json(false) : Json(nullptr);
}

Json measured_build_json() {
  return {{"version", LCN_VERSION},
          {"commit", LCN_GIT_COMMIT},
          {"dirty", dirty_flag()},
          {"diff_sha256", LCN_GIT_DIFF_SHA256},
          {"compiler", LCN_COMPILER},
          {"flags", LCN_COMPILER_FLAGS},
          {"build_type", LCN_BUILD_TYPE},
          {"sanitizers", LCN_SANITIZERS},
          {"cuda_compiler", LCN_CUDA_COMPILER},
          {"cuda_architectures", LCN_CUDA_ARCHITECTURES}};
}

std::string now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace

const char* to_string(BenchmarkScope scope) {
  switch (scope) {
    case BenchmarkScope::kernel:
      return "kernel";
    case BenchmarkScope::stage:
      return "stage";
    case BenchmarkScope::end_to_end:
      return "end_to_end";
  }
  return "end_to_end";
}

std::vector<SearchesOfArm> searches_by_arm(const BenchmarkSearches& searches) {
  std::vector<SearchesOfArm> arms;
  for (const BenchmarkSearch& first : searches.runs) {
    if (std::any_of(arms.begin(), arms.end(), [&](const SearchesOfArm& a) { return a.name == first.arm; }))
      continue;
    SearchesOfArm arm;
    arm.name = first.arm;
    std::vector<TimeToEvent> times;
    for (const BenchmarkSearch& run : searches.runs) {
      if (run.arm != arm.name) continue;
      ++arm.runs;
      arm.reached += run.reached;
      arm.seconds += run.wall_seconds;
      times.push_back({run.seconds, run.reached});
      for (const auto count : {&BenchmarkSearch::proposals_attempted, &BenchmarkSearch::proposals_valid,
                               &BenchmarkSearch::proposals_accepted, &BenchmarkSearch::chain_steps,
                               &BenchmarkSearch::replica_steps, &BenchmarkSearch::exchanges_attempted,
                               &BenchmarkSearch::round_trips})
        arm.sum.*count += run.*count;
    }
    arm.time = median_time(times, 0.95);
    arms.push_back(std::move(arm));
  }
  return arms;
}

double median_ms(const BenchmarkArm& arm) {
  return median(arm.samples);
}

bool gates_passed(const BenchmarkReport& report) {
  return !report.gates.empty() && std::all_of(report.gates.begin(), report.gates.end(),
                                              [](const BenchmarkGate& gate) { return gate.passed; });
}

std::string benchmark_json(const BenchmarkReport& report) {
  check(report);
  Json json{{"schema_version", kSchemaVersion},
            {"name", report.name},
            {"scope", to_string(report.scope)},
            {"excluded", report.excluded},
            {"work_unit", report.work_unit},
            {"parameters", Json::object()},
            {"order", report.order},
            {"warm_ups", report.warm_ups},
            {"sample_unit", "ms"},
            {"arms", Json::array()},
            {"ratios", Json::array()},
            {"gates", Json::array()},
            {"metrics", Json::object()}};
  for (const auto& [name, value] : report.parameters) json["parameters"][name] = value;
  for (const BenchmarkArm& arm : report.arms) json["arms"].push_back(arm_json(arm));
  for (const BenchmarkRatio& ratio : report.ratios) json["ratios"].push_back(ratio_json(report, ratio));
  for (const BenchmarkGate& gate : report.gates)
    json["gates"].push_back({{"name", gate.name},
                             {"passed", gate.passed},
                             {"compared", gate.compared},
                             {"values_compared", gate.values_compared}});
  for (const BenchmarkMetric& metric : report.metrics) json["metrics"][metric.name] = metric.value;
  if (report.searches) json["searches"] = searches_json(*report.searches);
  json["device"] = device_json(report.device);
  json["build"] = measured_build_json();
  json["binary_sha256"] = to_hex(sha256_file("/proc/self/exe"));
  json["input_sha256"] = report.input_sha256;
  json["argv"] = report.argv;
  json["seeds"] = report.seeds;
  json["timestamp"] = now();
  return json.dump(2) + "\n";
}

void write_benchmark_report(const std::string& path, const BenchmarkReport& report) {
  write_file_atomically(path, benchmark_json(report));
}

std::string benchmark_table(const BenchmarkReport& report) {
  check(report);
  std::string text =
      fmt::format("{} ({}; without {})\n", report.name, to_string(report.scope), report.excluded);
  text +=
      fmt::format("  {:<24} {:>12} {:>12} {:>12} {:>16}\n", "arm", "median ms", "min", "max", "work units/s");
  for (const BenchmarkArm& arm : report.arms) {
    const auto [least, most] = std::minmax_element(arm.samples.begin(), arm.samples.end());
    const double middle = median(arm.samples);
    text += fmt::format("  {:<24} {:>12.5f} {:>12.5f} {:>12.5f} {:>16.4g}\n", arm.name, middle, *least, *most,
                        static_cast<double>(arm.work_units) / middle * 1e3);
  }
  for (const BenchmarkRatio& ratio : report.ratios) {
    const RatioEstimate e = estimate(report, ratio);
    text += fmt::format("  {}: {:.3f} [{:.3f}, {:.3f}]\n", ratio.name, e.value, e.low, e.high);
  }
  if (report.searches) text += searches_table(*report.searches);
  for (const BenchmarkGate& gate : report.gates)
    text += fmt::format("  gate {}: {} ({})\n", gate.name, gate.passed ? "passed" : "FAILED", gate.compared);
  return text;
}

}  // namespace lcn
