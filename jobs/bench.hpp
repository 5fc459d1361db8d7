#pragma once
#include <functional>
#include <string>
#include <vector>

#include "io/contest_json.hpp"
#include "io/report.hpp"
#include "jobs/options.hpp"
#include "random/stream.hpp"

namespace lcn {

// One sub-benchmark of `lcn bench`: jobs/bench_NAME.cpp has run and table, the row is in jobs/bench.cpp.
struct Benchmark {
  const char* name;
  int (*run)(const std::vector<std::string>& args);  // the arguments after the sub-benchmark's name
  OptionTable (*table)();
};

int bench_crossings(const std::vector<std::string>& args);
OptionTable bench_crossings_table();
int bench_search(const std::vector<std::string>& args);
OptionTable bench_search_table();
int bench_gradient(const std::vector<std::string>& args);
OptionTable bench_gradient_table();
int bench_exchange(const std::vector<std::string>& args);  // the one that runs on several ranks
OptionTable bench_exchange_table();

// ---- what sub-benchmarks share

// The admitted drawing of one start provider. Error(input) when there is none.
Drawing bench_start_drawing(const Instance& instance, const std::string& spec, const SeedPath& seed);

// The GPU to measure on, or none: `device` is auto, cpu or gpu. Error(environment) for gpu without one.
bool use_gpu(const std::string& device);

// An arm and how to time it: milliseconds of one launch, the mean of a batch of `launches`.
struct TimedArm {
  BenchmarkArm arm;
  std::function<double(int launches)> time_ms;
  int launches = 0;  // of every sample; 0: as many as Rounds says
};

struct Rounds {
  int samples = 30;  // of each arm
  int warm_ups = 3;  // launches of each arm before the first sample
  double least_ms =
      5;  // a batch holds as many launches as last this long, by the warm-up's time, at most most_launches
  int most_launches = 200;
};

// Warms up, then takes one sample of every arm a round, each round starting with another arm, so that drift
// and neighbours hit all arms alike. Fills arms, order and warm_ups of the report.
void run_rounds(std::vector<TimedArm>& arms, const Rounds& rounds, BenchmarkReport& report);

// Device facts of the current GPU with its clock as measured now (clock_mhz_before), for report.device.
BenchmarkDevice describe_gpu();

// Prints the table, writes the report when `out` is not empty, and returns 0; Error(rejected) when a gate
// failed.
int finish_benchmark(const BenchmarkReport& report, const std::string& out);

}  // namespace lcn
