#include "jobs/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "jobs/commands.hpp"
#include "jobs/values.hpp"
#include "kernels/device/device_state.hpp"
#include "kernels/device/devices.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

const std::vector<Benchmark>& benchmarks() {
  static const std::vector<Benchmark> table = {
      {"crossings", bench_crossings, bench_crossings_table},
      {"search", bench_search, bench_search_table},
      {"gradient", bench_gradient, bench_gradient_table},
      {"exchange", bench_exchange, bench_exchange_table},
  };
  return table;
}

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const Benchmark& benchmark : benchmarks()) result.push_back(benchmark.name);
  return result;
}

int batch_size(const Rounds& rounds, double launch_ms) {
  return static_cast<int>(
      std::clamp(std::ceil(rounds.least_ms / launch_ms), 1.0, double(rounds.most_launches)));
}

}  // namespace

std::vector<OptionTable> bench_options() {
  std::vector<OptionTable> tables;
  for (const Benchmark& benchmark : benchmarks()) tables.push_back(benchmark.table());
  return tables;
}

int bench_command(const std::vector<std::string>& args) {
  if (args.empty())
    throw usage_error(fmt::format("lcn bench: which benchmark? (one of: {}) see lcn bench --help",
                                  fmt::join(names(), ", ")));
  if (args[0] == "--help" || args[0] == "-h") {
    for (const OptionTable& table : bench_options()) fmt::print("{}\n", table.help());
    return 0;
  }
  for (const Benchmark& benchmark : benchmarks())
    if (args[0] == benchmark.name) return benchmark.run({args.begin() + 1, args.end()});
  const std::string near = nearest_word(args[0], names());
  throw usage_error(fmt::format("lcn bench: unknown benchmark {} ({})", args[0],
                                near.empty() ? fmt::format("one of: {}", fmt::join(names(), ", "))
                                             : fmt::format("did you mean {}?", near)));
}

bool use_gpu(const std::string& device) {
  if (device == "cpu") return false;
  if (!list_devices().empty()) return true;
  if (device == "gpu")
    throw Error(ErrorKind::environment,
                fmt::format("--device gpu: no GPU can be used ({}) use --device cpu", no_device_reason()));
  return false;
}

void run_rounds(std::vector<TimedArm>& arms, const Rounds& rounds, BenchmarkReport& report) {
  for (TimedArm& timed : arms) {
    timed.time_ms(1);  // module load and first touch stay out of the estimate
    const double launch_ms = timed.time_ms(std::max(1, rounds.warm_ups - 1));
    timed.arm.launches_per_sample = timed.launches > 0 ? timed.launches : batch_size(rounds, launch_ms);
  }
  for (int round = 0; round < rounds.samples; ++round)
    for (std::size_t i = 0; i < arms.size(); ++i) {
      TimedArm& timed = arms[(i + static_cast<std::size_t>(round)) % arms.size()];
      timed.arm.samples.push_back(timed.time_ms(static_cast<int>(timed.arm.launches_per_sample)));
    }
  report.order =
      "interleaved: a round takes one sample of every arm and starts one arm later than the round before";
  report.warm_ups = 1 + std::max(1, rounds.warm_ups - 1);
  for (TimedArm& timed : arms) report.arms.push_back(timed.arm);
}

BenchmarkDevice describe_gpu() {
  const DeviceInfo info = list_devices().front();
  const DeviceState state = device_state();
  BenchmarkDevice device;
  device.kind = "gpu";
  device.name = info.name;
  device.driver = state.driver;
  device.cuda = state.cuda_runtime;
  device.multiprocessors = info.multiprocessors;
  device.rated_clock_mhz = state.rated_clock_mhz;
  device.clock_mhz_before = measured_clock_mhz();
  return device;
}

int finish_benchmark(const BenchmarkReport& report, const std::string& out) {
  fmt::print("{}", benchmark_table(report));
  if (!out.empty()) {
    write_benchmark_report(out, report);
    fmt::print("wrote {}\n", out);
  }
  for (const BenchmarkGate& gate : report.gates)
    if (!gate.passed)
      throw Error(ErrorKind::rejected, fmt::format("gate {} failed: {} (the times above are worth nothing)",
                                                   gate.name, gate.compared));
  return 0;
}

}  // namespace lcn
