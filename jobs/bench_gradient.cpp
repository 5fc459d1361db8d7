#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <thread>

#include "crossings/batch_evaluator.hpp"
#include "io/contest_json.hpp"
#include "jobs/bench.hpp"
#include "jobs/report.hpp"
#include "kernels/layout/gradient.hpp"
#include "layout/gradient.hpp"
#include "random/stream.hpp"
#include "support/error.hpp"
#include "support/plural.hpp"
#include "support/sha256.hpp"
#include "support/thread_pool.hpp"

// `lcn bench gradient`: what an epoch of the crossing gradient (gradient, Adam step, in the last part new
// weights, every eighth time a sort) costs for many layouts at once. The cost depends on the sharpness and on
// the drawing, so it is measured on the states that a real run has at several places of its schedule, and
// over the whole schedule.

namespace lcn {
namespace {

constexpr std::int64_t kGpuLayouts = 528, kCpuLayouts = 2;
constexpr int kStageEpochs = 16;  // of one sample: two periods of the sort
constexpr double kMaxRelativeError = 1e-4;

struct Workload {
  Graph graph;
  GradientModel model;
  std::vector<GradientStep> schedule;
  std::size_t layouts = 0;
  std::vector<float> initial;  // [layout][vertex][x, y], as every set of positions here

  std::size_t n() const { return static_cast<std::size_t>(graph.n()); }
  std::size_t m() const { return static_cast<std::size_t>(graph.m()); }
  std::span<const GradientStep> steps(int begin, int number) const {
    return std::span(schedule).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(number));
  }
};

// A place in the schedule, with the positions that all layouts have when the run arrives there.
struct Stage {
  const char* name;
  double share;  // of the epochs before it; the last stage ends with the schedule
  int begin = 0;
  std::vector<float> positions = {};
};

std::vector<Stage> stages_of(int epochs) {
  std::vector<Stage> stages = {{"start", 0}, {"early", 0.15}, {"middle", 0.3}, {"balanced", 0.6}, {"end", 1}};
  for (Stage& stage : stages)
    stage.begin = std::min(static_cast<int>(std::lround(stage.share * epochs)), epochs - kStageEpochs);
  return stages;
}

// Some epochs on positions of all layouts, in place.
using Minimise = std::function<void(std::span<const GradientStep>, std::span<float>)>;

// Shares the layouts out among the threads of the pool.
Minimise cpu_minimise(const Workload& workload, ThreadPool& pool) {
  return [&workload, &pool](std::span<const GradientStep> steps, std::span<float> positions) {
    pool.for_each(static_cast<int>(workload.layouts), [&](int layout) {
      const std::size_t n = workload.n();
      float* own = positions.data() + 2 * n * static_cast<std::size_t>(layout);
      std::vector<float> x(n), y(n);
      for (std::size_t v = 0; v < n; ++v) x[v] = own[2 * v], y[v] = own[2 * v + 1];
      minimise_soft_crossings(workload.graph, workload.model, steps, x, y);
      for (std::size_t v = 0; v < n; ++v) own[2 * v] = x[v], own[2 * v + 1] = y[v];
    });
  };
}

// Each stage anew from the first epoch on: a run in pieces would lose Adam's moments in between.
void reach_stages(const Workload& workload, const Minimise& minimise, std::vector<Stage>& stages) {
  for (Stage& stage : stages) {
    stage.positions = workload.initial;
    minimise(workload.steps(0, stage.begin), stage.positions);
  }
}

// ---- gates

// Gradient and soft counts of one layout.
struct Evaluation {
  std::vector<float> gradient;  // [vertex][x, y]
  std::vector<float> soft_counts;
};

Evaluation evaluate_on_cpu(const Workload& workload, std::span<const float> positions,
                           std::span<const float> weights, float sharpness) {
  const std::size_t n = workload.n();
  std::vector<float> x(n), y(n), gradient_x(n), gradient_y(n);
  for (std::size_t v = 0; v < n; ++v) x[v] = positions[2 * v], y[v] = positions[2 * v + 1];
  Evaluation result;
  result.soft_counts.resize(workload.m());
  GradientEvaluator(workload.graph, workload.model)
      .evaluate(x, y, weights, sharpness, gradient_x, gradient_y, result.soft_counts);
  for (std::size_t v = 0; v < n; ++v) {
    result.gradient.push_back(gradient_x[v]);
    result.gradient.push_back(gradient_y[v]);
  }
  return result;
}

// What balanced epochs tend to when the drawing rests: m softmax of the soft counts.
std::vector<float> resting_weights(const Workload& workload, std::span<const float> positions,
                                   float sharpness) {
  std::vector<float> weights(workload.m(), 1.0f);
  const std::vector<float> counts = evaluate_on_cpu(workload, positions, weights, sharpness).soft_counts;
  const float most = *std::max_element(counts.begin(), counts.end());
  if (!(most > 0)) return weights;
  double total = 0;
  for (std::size_t e = 0; e < counts.size(); ++e)
    total += weights[e] = std::exp(kSoftmaxSharpness * (counts[e] / most - 1));
  for (float& weight : weights) weight *= static_cast<float>(static_cast<double>(counts.size()) / total);
  return weights;
}

// ||g - g_ref|| / ||g_ref||, or infinity where g is not finite.
double relative_error(const Workload& workload, std::span<const float> positions,
                      std::span<const float> weights, float sharpness, std::span<const float> gradient) {
  std::vector<double> x, y;
  for (std::size_t v = 0; v < workload.n(); ++v) {
    x.push_back(positions[2 * v]);
    y.push_back(positions[2 * v + 1]);
  }
  const GradientValue reference = gradient_reference(
      workload.graph, workload.model, x, y, std::vector<double>(weights.begin(), weights.end()), sharpness);
  double error = 0, norm = 0;
  for (std::size_t v = 0; v < workload.n(); ++v) {
    const double gx = reference.gradient_x[v], gy = reference.gradient_y[v];
    error += std::pow(gradient[2 * v] - gx, 2) + std::pow(gradient[2 * v + 1] - gy, 2);
    norm += gx * gx + gy * gy;
  }
  const double relative = std::sqrt(norm > 0 ? error / norm : error);
  return std::isfinite(relative) ? relative : HUGE_VAL;
}

bool all_finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

// The first layouts of every stage against the float64 reference: the CPU's evaluator, and the GPU's batch
// where there is one; every number of the whole batch must be finite.
void add_gates(const Workload& workload, const std::vector<Stage>& stages, GradientBatch* batch,
               std::size_t checked, BenchmarkReport& report) {
  checked = std::min(checked, workload.layouts);
  const std::size_t vertex_values = 2 * workload.n(), m = workload.m();
  BenchmarkGate cpu{"cpu_gradient", true, "", 0}, gpu{"gpu_gradient", true, "", 0},
      finite{"finite", true, "", 0};
  double cpu_error = 0, gpu_error = 0;
  for (const Stage& stage : stages) {
    const GradientStep& step = workload.schedule[static_cast<std::size_t>(stage.begin)];
    const auto part = [&](std::span<const float> values, std::size_t layout, std::size_t size) {
      return values.subspan(layout * size, size);
    };
    std::vector<float> weights(workload.layouts * m, 1.0f);
    for (std::size_t b = 0; step.balanced && b < checked; ++b) {
      const std::vector<float> own =
          resting_weights(workload, part(stage.positions, b, vertex_values), step.sharpness);
      std::copy(own.begin(), own.end(), weights.begin() + static_cast<std::ptrdiff_t>(b * m));
    }
    finite.passed = finite.passed && all_finite(stage.positions);
    finite.values_compared += static_cast<std::int64_t>(stage.positions.size());
    std::vector<float> gradient(batch != nullptr ? stage.positions.size() : 0, NAN), counts(weights.size());
    if (batch != nullptr) {
      batch->evaluate(stage.positions, weights, step.sharpness, gradient, counts);
      finite.passed = finite.passed && all_finite(gradient) && all_finite(counts);
      finite.values_compared += static_cast<std::int64_t>(gradient.size() + counts.size());
    }
    for (std::size_t b = 0; b < checked; ++b) {
      const auto positions = part(stage.positions, b, vertex_values), own = part(weights, b, m);
      const auto error = [&](std::span<const float> g) {
        return relative_error(workload, positions, own, step.sharpness, g);
      };
      cpu_error =
          std::max(cpu_error, error(evaluate_on_cpu(workload, positions, own, step.sharpness).gradient));
      cpu.values_compared += static_cast<std::int64_t>(vertex_values);
      if (batch == nullptr) continue;
      gpu_error = std::max(gpu_error, error(part(gradient, b, vertex_values)));
      gpu.values_compared += static_cast<std::int64_t>(vertex_values);
    }
  }
  const auto finish = [&](BenchmarkGate& gate, double error, const char* what) {
    gate.passed = error < kMaxRelativeError;
    gate.compared = fmt::format(
        "{}: ||g - g_ref|| / ||g_ref|| < {} with the float64 reference, {} of {} at the states of {}, in "
        "balanced ones with softmax weights; the largest is {:.2g}",
        what, kMaxRelativeError, checked, plural(workload.layouts, "layout"), plural(stages.size(), "stage"),
        error);
    report.gates.push_back(gate);
  };
  if (batch != nullptr) {
    finish(gpu, gpu_error, "the GPU's batch");
    report.metrics.push_back({"relative_error_max/gpu", gpu_error});
  }
  finish(cpu, cpu_error, "the CPU's evaluator");
  report.metrics.push_back({"relative_error_max/cpu", cpu_error});
  finite.compared =
      fmt::format("positions{} of {} at {}", batch != nullptr ? ", gradients and soft counts" : "",
                  plural(workload.layouts, "layout"), plural(stages.size(), "stage"));
  report.gates.push_back(finite);
}

// ---- arms

// Milliseconds of one epoch.
using EpochTime = std::function<double(std::span<const GradientStep>, std::span<float>)>;

EpochTime wall_clock(const Minimise& minimise) {
  return [minimise](std::span<const GradientStep> steps, std::span<float> positions) {
    const auto start = std::chrono::steady_clock::now();
    minimise(steps, positions);
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() /
           static_cast<double>(steps.size());
  };
}

EpochTime device_clock(GradientBatch& batch) {
  return [&batch](std::span<const GradientStep> steps, std::span<float> positions) {
    batch.minimise(steps, positions);
    return batch.kernel_seconds() * 1e3 / static_cast<double>(steps.size());
  };
}

TimedArm arm_of(const Workload& workload, std::string name, std::string description, int begin, int epochs,
                const std::vector<float>& positions, const EpochTime& time) {
  TimedArm timed;
  timed.arm.name = std::move(name);
  timed.arm.description = std::move(description);
  timed.arm.work_units = static_cast<std::int64_t>(workload.layouts);
  timed.launches = epochs;
  timed.time_ms = [&workload, &positions, time, begin](int launches) {
    std::vector<float> moved = positions;
    return time(workload.steps(begin, launches), moved);
  };
  return timed;
}

void add_stage_arms(std::vector<TimedArm>& arms, const Workload& workload, const std::vector<Stage>& stages,
                    const std::string& device, const std::string& how, const EpochTime& time) {
  for (const Stage& stage : stages) {
    const GradientStep& step = workload.schedule[static_cast<std::size_t>(stage.begin)];
    arms.push_back(
        arm_of(workload, device + "_" + stage.name,
               fmt::format("one epoch of all layouts, {}; mean of epochs {} to {}, from T = {:.1f}, {}", how,
                           stage.begin, stage.begin + kStageEpochs - 1, step.sharpness,
                           step.balanced ? "with balanced weights" : "all weights 1"),
               stage.begin, kStageEpochs, stage.positions, time));
  }
}

struct Measurement {
  bool gpu = false, whole = true;  // whole: stage scope, else kernel
  int threads = 1;
  std::size_t checked = 2;
  Rounds rounds;
};

void measure(const Workload& workload, const Measurement& measurement, BenchmarkReport& report) {
  ThreadPool pool(measurement.threads);
  const Minimise on_cpu = cpu_minimise(workload, pool);
  std::optional<GradientBatch> batch;
  if (measurement.gpu) {
    report.device = describe_gpu();
    batch.emplace(workload.graph, workload.model, static_cast<int>(workload.layouts));
  }
  const Minimise on_gpu = [&](std::span<const GradientStep> steps, std::span<float> positions) {
    batch->minimise(steps, positions);
  };
  std::vector<Stage> stages = stages_of(static_cast<int>(workload.schedule.size()));
  reach_stages(workload, batch ? on_gpu : on_cpu, stages);
  add_gates(workload, stages, batch ? &*batch : nullptr, measurement.checked, report);

  std::vector<TimedArm> arms;
  if (measurement.whole) {
    report.scope = BenchmarkScope::stage;
    report.excluded = "making the graph, the initial positions and the states where the samples begin";
    if (batch)
      add_stage_arms(arms, workload, stages, "gpu", "with the copies of positions and weights",
                     wall_clock(on_gpu));
    add_stage_arms(arms, workload, stages, "cpu", plural(measurement.threads, "thread"), wall_clock(on_cpu));
    for (const Stage& stage : stages)
      if (batch)
        report.ratios.push_back({fmt::format("cpu / gpu, {}", stage.name), fmt::format("cpu_{}", stage.name),
                                 fmt::format("gpu_{}", stage.name)});
  } else {
    report.scope = BenchmarkScope::kernel;
    report.excluded = "making the states where the samples begin, copies of positions and weights";
    const EpochTime time = device_clock(*batch);
    add_stage_arms(arms, workload, stages, "gpu", "device events", time);
    const int epochs = static_cast<int>(workload.schedule.size());
    arms.push_back(arm_of(
        workload, "gpu_schedule",
        fmt::format("one epoch of all layouts, device events; mean of {} of a run", plural(epochs, "epoch")),
        0, epochs, workload.initial, time));
  }
  run_rounds(arms, measurement.rounds, report);
  if (batch) report.device.clock_mhz_after = describe_gpu().clock_mhz_before;
  for (const BenchmarkArm& arm : report.arms)
    report.metrics.push_back(
        {"layout_epochs_per_s/" + arm.name, static_cast<double>(arm.work_units) / median_ms(arm) * 1e3});
}

// ---- workload

void append(std::string& bytes, const void* data, std::size_t size) {
  bytes.append(static_cast<const char*>(data), size);
}

std::string workload_sha256(const Workload& workload) {
  std::string bytes;
  append(bytes, workload.graph.edges().data(), workload.m() * sizeof(Edge));
  append(bytes, workload.initial.data(), workload.initial.size() * sizeof(float));
  return sha256_hex(bytes);
}

Instance generated_instance(VertexId vertices, EdgeId edges, const SeedPath& seed) {
  const Grid grid{1'000'000, 1'000'000};
  Instance instance;
  instance.name = fmt::format("random-{}-{}", vertices, edges);
  instance.grid = grid;
  instance.graph =
      random_move_batch({vertices, edges, 1, 1}, grid, derive_key(seed, Purpose::benchmark, "gradient"))
          .workloads()
          .front()
          .graph;
  return instance;
}

Workload make_workload(const Instance& instance, const SeedPath& seed, const std::string& init, int epochs,
                       std::size_t layouts, int threads) {
  Workload workload;
  workload.graph = instance.graph;
  workload.model = GradientModel::for_vertices(instance.graph.n());
  workload.schedule = gradient_schedule(epochs);
  workload.layouts = layouts;
  const std::size_t n = workload.n();
  workload.initial.resize(layouts * 2 * n);
  const std::unique_ptr<StartProvider> provider = init == "random" ? nullptr : make_start_provider(init);
  ThreadPool pool(threads);
  pool.for_each(static_cast<int>(layouts), [&](int layout) {
    std::vector<float> x(n), y(n);
    const LayoutRequest request{instance.graph, instance.grid,
                                instance.drawing ? &*instance.drawing : nullptr, seed,
                                static_cast<std::uint32_t>(layout)};
    gradient_initial_positions(request, provider.get(), x, y);
    float* own = workload.initial.data() + 2 * n * static_cast<std::size_t>(layout);
    for (std::size_t v = 0; v < n; ++v) own[2 * v] = x[v], own[2 * v + 1] = y[v];
  });
  return workload;
}

}  // namespace

OptionTable bench_gradient_table() {
  OptionTable table(
      "bench gradient",
      "Times epochs of the crossing gradient for many layouts of one graph at once, at several places of a "
      "real run, with the gradients there proven against the float64 reference in the same run.");
  table.positional("input", "FILE", 0, 1, "contest JSON file; a random graph where none is given");
  table.section("Workload")
      .integer("vertices", "600", 1, 1'000'000, "vertices of the random graph")
      .integer("edges", "1804", 1, 10'000'000, "edges of the random graph")
      .integer("layouts", "", 1, 100'000,
               "layouts of the graph at once (default: 528 on a GPU, 2 on the CPU)")
      .integer("epochs", "700", 100, 100'000, "epochs of the whole schedule")
      .text("init", "NAME", "fmmm", "where the run begins: random, or another start provider")
      .integer("seed", "1", 0, OptionTable::kAnyInteger, "root seed of graph and initial positions");
  table.section("Measurement")
      .choice("device", "auto", {"auto", "cpu", "gpu"}, "auto: the GPU when there is one")
      .choice(
          "scope", "auto", {"auto", "kernel", "stage"},
          "kernel: device events, GPU only; stage: wall clock with copies, CPU and, where it is used, GPU; "
          "auto: kernel on a GPU")
      .integer("threads", "", 1, 1024, "CPU threads (default: all)")
      .integer("samples", "10", 2, 100'000, "samples of each arm, in interleaved rounds")
      .integer("check", "2", 1, 1'000'000, "layouts whose gradients are compared with the reference");
  table.section("Output").text("out", "FILE", "", "write the report (docs/benchmark-format.md) to FILE");
  return table;
}

int bench_gradient(const std::vector<std::string>& args) {
  const Options options = bench_gradient_table().parse(args);
  if (options.handled()) return 0;
  check_output(options.text("out"));
  Measurement measurement;
  measurement.gpu = use_gpu(options.text("device"));
  const std::string scope = options.text("scope");
  if (scope == "kernel" && !measurement.gpu)
    throw usage_error("--scope kernel: only a GPU has a device clock (use --scope stage or --device gpu)");
  measurement.whole = scope == "stage" || !measurement.gpu;
  measurement.threads = options.has("threads")
                            ? static_cast<int>(options.integer("threads"))
                            : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  measurement.checked = static_cast<std::size_t>(options.integer("check"));
  measurement.rounds.samples = static_cast<int>(options.integer("samples"));

  SeedPath seed;
  seed.root_seed = static_cast<std::uint64_t>(options.integer("seed"));
  const Instance instance = options.positional().empty()
                                ? generated_instance(static_cast<VertexId>(options.integer("vertices")),
                                                     static_cast<EdgeId>(options.integer("edges")), seed)
                                : read_instance(options.positional().front());
  if (instance.graph.m() == 0)
    throw input_error(fmt::format("{}: a graph without edges (nothing crosses) use another", instance.name));
  seed.instance = instance.hash;
  const int epochs = static_cast<int>(options.integer("epochs"));
  const auto layouts = static_cast<std::size_t>(
      options.has("layouts") ? options.integer("layouts") : (measurement.gpu ? kGpuLayouts : kCpuLayouts));
  const Workload workload =
      make_workload(instance, seed, options.text("init"), epochs, layouts, measurement.threads);

  BenchmarkReport report;
  report.name = "gradient";
  report.work_unit = "one epoch of one layout: gradient, Adam step, in balanced stages new weights";
  report.parameters = {{"instance", instance.name},
                       {"vertices", std::to_string(instance.graph.n())},
                       {"edges", std::to_string(instance.graph.m())},
                       {"layouts", std::to_string(layouts)},
                       {"epochs", std::to_string(epochs)},
                       {"init", options.text("init")},
                       {"threads", std::to_string(measurement.threads)}};
  report.input_sha256 = workload_sha256(workload);
  report.argv = {"lcn", "bench", "gradient"};
  report.argv.insert(report.argv.end(), args.begin(), args.end());
  report.seeds = {options.integer("seed")};
  measure(workload, measurement, report);
  return finish_benchmark(report, options.text("out"));
}

}  // namespace lcn
