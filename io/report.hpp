#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stats/kaplan_meier.hpp"

namespace lcn {

// The one writer of benchmark reports. docs/benchmark-format.md says what each key of the JSON means.

// kernel: device events around launches; stage: device work with its copies; end_to_end: what a user waits
// for.
enum class BenchmarkScope { kernel, stage, end_to_end };
const char* to_string(BenchmarkScope scope);

// One side of a comparison. Samples are in the order in which they were taken.
struct BenchmarkArm {
  std::string name;
  std::string description;
  std::vector<double> samples;           // milliseconds of one launch: a timed batch divided by its launches
  std::int64_t work_units = 0;           // of one launch, in the report's work_unit
  std::int64_t launches_per_sample = 1;  // launches in a timed batch
  std::string launch_shape;              // "4000 blocks of 256 threads", empty on the CPU
};

struct BenchmarkGate {
  std::string name;
  bool passed = false;
  std::string compared;              // what was compared with what, and how much of it
  std::int64_t values_compared = 0;  // integers or floats that were looked at
};

// median(numerator's samples) / median(denominator's samples), both names of arms with equal work units.
struct BenchmarkRatio {
  std::string name, numerator, denominator;
};

struct BenchmarkMetric {
  std::string name;  // as in the archive, with _per_s where it is a rate
  double value = 0;
};

struct BenchmarkDevice {
  std::string kind = "cpu";  // cpu | gpu
  std::string name;          // empty for the CPU: its model name is then read
  std::string driver;        // GPU only, as the next four
  std::string cuda;          // runtime
  int multiprocessors = 0;
  double rated_clock_mhz = 0;
  double clock_mhz_before = 0, clock_mhz_after = 0;  // measured on the device, around the samples
  std::string power;  // state and limit; empty: what the system tells of the CPU, "not readable" of a GPU
};

// One whole search towards a target K. A result is a claim here: gates and archives verify, benchmarks time.
struct BenchmarkSearch {
  std::string arm;
  std::int64_t seed = 0;
  bool reached = false;     // the target, within the budget
  double seconds = 0;       // until then; else the budget (censored)
  double wall_seconds = 0;  // of the search
  std::int64_t K = 0;       // at its end
  std::int64_t proposals_attempted = 0, proposals_valid = 0, proposals_accepted = 0;
  std::int64_t chain_steps = 0;    // steps of one replica, each of which needs the one before
  std::int64_t replica_steps = 0;  // steps of all replicas
  std::int64_t exchanges_attempted = 0, round_trips = 0;
};

struct BenchmarkSearches {
  std::int64_t target_K = 0;
  double budget_s = 0;
  std::string start, search;
  std::vector<BenchmarkSearch> runs;  // in the order in which they ran
};

// The searches of one arm together.
struct SearchesOfArm {
  std::string name;
  std::int64_t runs = 0, reached = 0;
  MedianTime time;      // to the target: Kaplan-Meier, 95 %
  double seconds = 0;   // wall clock of all runs
  BenchmarkSearch sum;  // of their counts
};
std::vector<SearchesOfArm> searches_by_arm(
    const BenchmarkSearches& searches);  // in order of first appearance

struct BenchmarkReport {
  std::string name;  // "crossings"
  BenchmarkScope scope = BenchmarkScope::kernel;
  std::string excluded;   // what the times do not hold
  std::string work_unit;  // "attempted proposal"
  std::vector<std::pair<std::string, std::string>> parameters;
  std::vector<BenchmarkArm> arms;
  std::string order = "interleaved";  // how samples of the arms alternate
  int warm_ups = 0;                   // launches of each arm before its first sample
  std::vector<BenchmarkGate> gates;
  std::vector<BenchmarkRatio> ratios;
  std::vector<BenchmarkMetric> metrics;
  std::optional<BenchmarkSearches> searches;
  BenchmarkDevice device;
  std::string input_sha256;
  std::vector<std::string> argv;
  std::vector<std::int64_t> seeds;
};

double median_ms(const BenchmarkArm& arm);  // Error(internal) without samples

// All gates passed, and there is at least one.
bool gates_passed(const BenchmarkReport& report);

// Pretty-printed JSON, schema_version 1, with medians, ratios and their bootstrap intervals (deterministic in
// the samples), build facts, sha256 of this program, and the present time. Error(internal) for a report that
// an audit would have to reject for its form: no arm, an arm without samples or a sample that is not positive
// and finite, two arms of one name, a ratio of unknown arms or of unequal work, no gate, nothing said about
// what is excluded or the work unit, no parameter or no seed.
std::string benchmark_json(const BenchmarkReport& report);

// Writes it atomically. A report with a failed gate is written too: it is evidence.
void write_benchmark_report(const std::string& path, const BenchmarkReport& report);

// Sides, medians and ratios for a person, one line each.
std::string benchmark_table(const BenchmarkReport& report);

}  // namespace lcn
