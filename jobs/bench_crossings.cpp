#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "crossings/batch_evaluator.hpp"
#include "crossings/oracle.hpp"
#include "jobs/bench.hpp"
#include "jobs/report.hpp"
#include "kernels/crossings/move_evaluator.hpp"
#include "random/stream.hpp"
#include "support/error.hpp"
#include "support/plural.hpp"
#include "support/sha256.hpp"

// `lcn bench crossings`: what a full recount of a proposal costs, what an incremental evaluation costs, and
// proof that they agree. Times are of kernels (GPU, device events) or of the plain CPU reference.

namespace lcn {
namespace {

constexpr std::int64_t kGpuWorkloads = 1000, kCpuWorkloads = 2;

void append(std::string& bytes, std::int64_t value) {
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
}

std::string batch_sha256(const MoveBatch& batch) {
  std::string bytes;
  for (const MoveWorkload& workload : batch.workloads()) {
    for (const Edge& edge : workload.graph.edges()) append(bytes, (std::int64_t{edge.a} << 32) | edge.b);
    for (const Point& p : workload.base) append(bytes, (p.x << 32) | p.y);
    for (const MoveProposal& move : workload.proposals) {
      append(bytes, move.vertex);
      append(bytes, (move.to.x << 32) | move.to.y);
    }
  }
  return sha256_hex(bytes);
}

std::optional<Arithmetic> chosen_arithmetic(const std::string& text) {
  for (Arithmetic a : {Arithmetic::int32, Arithmetic::fp64, Arithmetic::int64})
    if (text == to_string(a)) return a;
  return std::nullopt;
}

// Workloads 0 .. size-1 that the CPU recounts: `number` of them, evenly spread.
std::vector<std::size_t> spread(std::size_t size, std::size_t number) {
  std::vector<std::size_t> result;
  number = std::min(size, number);
  for (std::size_t i = 0; i < number; ++i) result.push_back(i * size / number);
  return result;
}

bool same_workload(const MoveBatch& batch, std::size_t workload, const MoveCounts& all,
                   const MoveCounts& one) {
  const std::size_t proposals = batch.proposals_per_workload(),
                    values = proposals * static_cast<std::size_t>(batch.m());
  return std::equal(one.counts.begin(), one.counts.end(),
                    all.counts.begin() + std::ptrdiff_t(workload * values)) &&
         std::equal(one.tuples.begin(), one.tuples.end(),
                    all.tuples.begin() + std::ptrdiff_t(workload * proposals));
}

// CPU full = CPU incremental = `results` on the sampled workloads, and the oracle = `results` on the first
// proposal of each.
BenchmarkGate cpu_gate(const MoveBatch& batch, const MoveCounts& results,
                       const std::vector<std::size_t>& sample) {
  BenchmarkGate gate;
  gate.name = "cpu_parity";
  gate.passed = !sample.empty();
  for (std::size_t w : sample) {
    const MoveWorkload& workload = batch.workloads()[w];
    const MoveCounts full = evaluate_full(batch, w, 1, batch.arithmetic());
    const MoveCounts incremental = evaluate_incremental(batch, w, 1, batch.arithmetic());
    Drawing drawing = workload.base;
    drawing[static_cast<std::size_t>(workload.proposals.front().vertex)] = workload.proposals.front().to;
    const std::vector<std::int64_t> oracle = oracle_counts(workload.graph, drawing);
    const auto first = results.of(w * batch.proposals_per_workload());
    gate.passed = gate.passed && same_workload(batch, w, results, full) &&
                  same_workload(batch, w, results, incremental) &&
                  std::equal(oracle.begin(), oracle.end(), first.begin());
    gate.values_compared += static_cast<std::int64_t>(2 * full.counts.size() + oracle.size());
  }
  gate.compared = fmt::format(
      "counts of every edge and tuples: CPU full and CPU incremental against the results, {} "
      "of {} of {} (evenly spread); the oracle likewise on the first proposal of each",
      plural(batch.proposals_per_workload(), "proposal"), sample.size(), plural(batch.size(), "workload"));
  return gate;
}

// Every method against `expected`, on every edge of every proposal of every workload.
BenchmarkGate gpu_gate(const std::string& name, const MoveBatch& batch, DeviceMoveEvaluator& device,
                       const MoveCounts& expected) {
  BenchmarkGate gate;
  gate.name = name;
  gate.passed = true;
  for (MoveMethod method : kMoveMethods) {
    device.poison();
    device.evaluate(method);
    const MoveCounts got = device.fetch();
    gate.passed = gate.passed && got.counts == expected.counts && got.tuples == expected.tuples;
    gate.values_compared += static_cast<std::int64_t>(got.counts.size());
  }
  gate.compared = fmt::format(
      "counts of every edge and tuples of every proposal of {}: naive_full, naive_incremental, full, "
      "incremental and incremental_with_base against one another",
      plural(batch.size(), "workload"));
  return gate;
}

MoveCounts counts_of(DeviceMoveEvaluator& device) {
  device.poison();
  device.evaluate(MoveMethod::full);
  return device.fetch();
}

const char* describe(MoveMethod method) {
  switch (method) {
    case MoveMethod::full:
      return "every pair of edges, for every proposal";
    case MoveMethod::incremental:
      return "pairs of the moved vertex only; base counts of each workload are given";
    case MoveMethod::incremental_with_base:
      return "base counts of each workload counted in the same launch, then incremental";
    case MoveMethod::naive_full:
      return "baseline: one thread an edge, a loop over all edges";
    case MoveMethod::naive_incremental:
      return "baseline: one thread an edge, a loop over the moved edges; base counts of each workload are "
             "given";
  }
  return "";
}

void add_arms(std::vector<TimedArm>& arms, DeviceMoveEvaluator& device, const MoveBatch& batch,
              std::vector<MoveMethod> methods, const std::string& suffix, const std::string& note) {
  for (MoveMethod method : methods) {
    BenchmarkArm arm;
    arm.name = to_string(method) + suffix;
    arm.description = describe(method) + note;
    arm.work_units = static_cast<std::int64_t>(batch.evaluations());
    arm.launch_shape = device.launch_shape(method);
    arms.push_back({arm, [&device, method](int launches) { return device.time_ms(method, launches); }});
  }
}

void add_ratio(BenchmarkReport& report, const std::string& numerator, const std::string& denominator) {
  report.ratios.push_back({numerator + " / " + denominator, numerator, denominator});
}

void measure_gpu(const MoveBatch& batch, Arithmetic arithmetic, const Rounds& rounds, std::size_t check,
                 BenchmarkReport& report) {
  report.scope = BenchmarkScope::kernel;
  report.excluded =
      "making and uploading the workloads, reading back the results; base counts in the arms that say they "
      "are given";
  report.device = describe_gpu();
  DeviceMoveEvaluator device(batch, arithmetic);
  std::optional<MoveBatch> first;  // the first workload alone
  std::optional<DeviceMoveEvaluator> single;
  if (batch.size() > 1) {
    first.emplace(batch.grid(), std::vector<MoveWorkload>{batch.workloads().front()});
    single.emplace(*first, arithmetic);
  }
  {
    const MoveCounts results = counts_of(device);
    report.gates.push_back(gpu_gate("gpu_parity", batch, device, results));
    report.gates.push_back(cpu_gate(batch, results, spread(batch.size(), check)));
    if (single) {
      const MoveCounts alone = counts_of(*single);
      BenchmarkGate gate = gpu_gate("gpu_parity_single", *first, *single, alone);
      gate.passed = gate.passed && same_workload(batch, 0, results, alone);
      report.gates.push_back(gate);
    }
  }
  std::vector<TimedArm> arms;
  add_arms(arms, device, batch, {std::begin(kMoveMethods), std::end(kMoveMethods)}, "", "");
  if (single)
    add_arms(arms, *single, *first, {MoveMethod::full, MoveMethod::incremental}, "_single",
             "; one workload a launch, which fits in the caches");
  run_rounds(arms, rounds, report);
  report.device.clock_mhz_after = describe_gpu().clock_mhz_before;
  add_ratio(report, "full", "incremental");
  add_ratio(report, "full", "incremental_with_base");
  if (single) add_ratio(report, "full_single", "incremental_single");
  add_ratio(report, "naive_full", "full");
  add_ratio(report, "naive_incremental", "incremental");
  add_ratio(report, "naive_full", "naive_incremental");
}

template <class Function>
double milliseconds(int launches, Function function) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < launches; ++i) function();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() /
         launches;
}

void measure_cpu(const MoveBatch& batch, Arithmetic arithmetic, const Rounds& rounds, std::size_t check,
                 BenchmarkReport& report) {
  report.scope = BenchmarkScope::stage;
  report.excluded = "making the workloads";
  report.gates.push_back(
      cpu_gate(batch, evaluate_full(batch, 0, batch.size(), arithmetic), spread(batch.size(), check)));
  const auto units = static_cast<std::int64_t>(batch.evaluations());
  std::vector<TimedArm> arms;
  arms.push_back(
      {{"full", "every pair of edges, for every proposal; one thread", {}, units, 1, ""}, [&](int launches) {
         return milliseconds(launches, [&] { evaluate_full(batch, 0, batch.size(), arithmetic); });
       }});
  arms.push_back({{"incremental_with_base",
                   "base counts once a workload, then pairs of the moved vertex only; one thread",
                   {},
                   units,
                   1,
                   ""},
                  [&](int launches) {
                    return milliseconds(launches,
                                        [&] { evaluate_incremental(batch, 0, batch.size(), arithmetic); });
                  }});
  run_rounds(arms, rounds, report);
  add_ratio(report, "full", "incremental_with_base");
}

}  // namespace

OptionTable bench_crossings_table() {
  OptionTable table(
      "bench crossings",
      "Times full against incremental evaluation of moves on random graphs and drawings, on every edge of "
      "every proposal proven equal in the same run. Without a GPU it times the CPU reference.");
  table.section("Workloads")
      .integer("vertices", "128", 1, 1'000'000, "vertices of each graph")
      .integer("edges", "512", 1, 10'000'000, "edges of each graph")
      .integer("proposals", "32", 1, 1'000'000, "moves judged against each base drawing")
      .integer("workloads", "", 1, 1'000'000,
               "independent workloads a launch (default: 1000 on a GPU, 2 on the CPU)")
      .size("grid", "1000000x1000000", "grid; its size decides the arithmetic")
      .choice("arithmetic", "auto", {"auto", "int32", "fp64", "int64"}, "wider than needed is allowed")
      .integer("seed", "1", 0, OptionTable::kAnyInteger, "root seed of the workloads");
  table.section("Measurement")
      .choice("device", "auto", {"auto", "cpu", "gpu"}, "auto: the GPU when there is one")
      .integer("samples", "30", 2, 100'000, "samples of each arm, in interleaved rounds")
      .integer("warm-ups", "3", 2, 1000, "launches of each arm before its first sample")
      .real("batch", "5", 0, 10'000, "milliseconds that a sample's batch of launches lasts at least")
      .integer("check", "8", 1, 1'000'000, "workloads that the CPU recounts as well");
  table.section("Output").text("out", "FILE", "", "write the report (docs/benchmark-format.md) to FILE");
  return table;
}

int bench_crossings(const std::vector<std::string>& args) {
  const Options options = bench_crossings_table().parse(args);
  if (options.handled()) return 0;
  check_output(options.text("out"));
  const bool gpu = use_gpu(options.text("device"));
  RandomBatchShape shape;
  shape.vertices = static_cast<VertexId>(options.integer("vertices"));
  shape.edges = static_cast<EdgeId>(options.integer("edges"));
  shape.proposals = static_cast<std::size_t>(options.integer("proposals"));
  shape.workloads = static_cast<std::size_t>(
      options.has("workloads") ? options.integer("workloads") : (gpu ? kGpuWorkloads : kCpuWorkloads));
  SeedPath seed;
  seed.root_seed = static_cast<std::uint64_t>(options.integer("seed"));
  const MoveBatch batch =
      random_move_batch(shape, options.size("grid"), derive_key(seed, Purpose::benchmark, "crossings"));
  const std::optional<Arithmetic> chosen = chosen_arithmetic(options.text("arithmetic"));
  const Arithmetic arithmetic =
      chosen ? *chosen : (gpu ? choose_device_arithmetic(batch.grid()) : batch.arithmetic());
  if (arithmetic < batch.arithmetic())
    throw usage_error(fmt::format("--arithmetic {} is not exact on a grid of {} x {} (it needs {}) use auto",
                                  to_string(arithmetic), batch.grid().width, batch.grid().height,
                                  to_string(batch.arithmetic())));

  BenchmarkReport report;
  report.name = "crossings";
  report.work_unit = "proposal evaluated: crossings on every edge after the move, and their tuple";
  report.parameters = {
      {"vertices", std::to_string(shape.vertices)},
      {"edges", std::to_string(shape.edges)},
      {"proposals", std::to_string(shape.proposals)},
      {"workloads", std::to_string(shape.workloads)},
      {"grid", fmt::format("{}x{}", batch.grid().width, batch.grid().height)},
      {"arithmetic", to_string(arithmetic)},
      {"drawings", "uniform random points, moves to uniform random points"},
      {"result_bytes_per_launch", std::to_string(batch.evaluations() * (4 * std::size_t(shape.edges) + 32))}};
  report.input_sha256 = batch_sha256(batch);
  report.argv = {"lcn", "bench", "crossings"};
  report.argv.insert(report.argv.end(), args.begin(), args.end());
  report.seeds = {options.integer("seed")};
  Rounds rounds;
  rounds.samples = static_cast<int>(options.integer("samples"));
  rounds.warm_ups = static_cast<int>(options.integer("warm-ups"));
  rounds.least_ms = options.real("batch");
  const auto check = static_cast<std::size_t>(options.integer("check"));
  if (gpu)
    measure_gpu(batch, arithmetic, rounds, check, report);
  else
    measure_cpu(batch, arithmetic, rounds, check, report);
  for (const BenchmarkArm& arm : report.arms)
    report.metrics.push_back({"proposals_evaluated_per_s/" + arm.name,
                              static_cast<double>(arm.work_units) / median_ms(arm) * 1e3});
  return finish_benchmark(report, options.text("out"));
}

}  // namespace lcn
