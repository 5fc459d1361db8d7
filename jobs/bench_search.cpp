#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "crossings/oracle.hpp"
#include "crossings/validator.hpp"
#include "io/contest_json.hpp"
#include "jobs/bench.hpp"
#include "jobs/bench_target.hpp"
#include "jobs/report.hpp"
#include "kernels/search/gpu_population.hpp"
#include "layout/admission.hpp"
#include "layout/layout.hpp"
#include "random/stream.hpp"
#include "search/fixed_point.hpp"
#include "search/population.hpp"
#include "search/weight_table.hpp"
#include "support/error.hpp"
#include "support/plural.hpp"

// `lcn bench search`: proposals per second of all replicas together, in the state and at the temperature of a
// real run, with proof that GPU and CPU walk the same trajectory.

namespace lcn {
namespace {

constexpr double kLowerHot = 3.0, kLowerCold = 0.3, kBalanceHot = 2.0, kSlope = 0.01;
constexpr double kLowerShare = 0.3;  // of the warm-up; the rest balances
constexpr int kWarmRounds = 100;

struct ChainPlan {
  std::int64_t warm_up = 0;  // proposals per replica before the first sample
  double temperature = 0;    // of the samples
  double round_ms = 0;       // a sample is one round that lasts about this long
  int samples = 0;
  StreamKey key;
};

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// One population on one instance: what one arm measures.
class Chains {
 public:
  Chains(const Graph& graph, const Drawing& start, std::unique_ptr<Population> population,
         const ChainPlan& plan)
      : graph_(graph), population_(std::move(population)), plan_(plan), linear_(linear_table(graph.m())) {
    for (int r = 0; r < population_->size(); ++r) population_->load(r, start);
  }

  // Anneals to the measuring temperature: first the number of crossings, then the weight table around the
  // best K.
  void warm_up() {
    const std::int64_t steps = std::max<std::int64_t>(1, plan_.warm_up / kWarmRounds);
    const int lower = static_cast<int>(kLowerShare * kWarmRounds);
    for (int i = 0; i < kWarmRounds; ++i) {
      const bool lowers = i < lower;
      const double progress =
          lowers ? double(i) / lower : double(i - lower + 1) / double(kWarmRounds - lower);
      const double hot = lowers ? kLowerHot : kBalanceHot, cold = lowers ? kLowerCold : plan_.temperature;
      if (!lowers) rebuild_table();
      round(steps, hot * std::pow(cold / hot, progress), lowers ? linear_ : table_);
    }
  }

  // Milliseconds of one round at the measuring temperature.
  double sample(std::int64_t steps) { return round(steps, plan_.temperature, table_); }

  Population& population() { return *population_; }
  std::int64_t total(std::int64_t ChainScalars::*tally) const {
    std::int64_t sum = 0;
    for (int r = 0; r < population_->size(); ++r) sum += std::as_const(*population_).scalars(r).*tally;
    return sum;
  }
  std::int64_t best_K() const {
    std::int64_t K = population_->tuple(0).K;
    for (int r = 1; r < population_->size(); ++r) K = std::min(K, population_->tuple(r).K);
    return K;
  }
  double mean_C() const {
    double sum = 0;
    for (int r = 0; r < population_->size(); ++r) sum += double(population_->tuple(r).C);
    return sum / population_->size();
  }

 private:
  void rebuild_table() {
    const std::int64_t K = std::max<std::int64_t>(1, best_K());
    if (K == table_K_) return;
    table_K_ = K;
    table_ = power_table(graph_.m(), K, double(K) + 4, kSlope);
  }

  double round(std::int64_t steps, double temperature, const std::vector<std::int64_t>& table) {
    PopulationRound round;
    round.key = plan_.key;
    round.first_step = step_;
    round.steps = steps;
    round.table = &table;
    const std::vector<std::int64_t> temperatures(static_cast<std::size_t>(population_->size()),
                                                 to_fixed(temperature));
    const auto start = std::chrono::steady_clock::now();
    population_->run(round, temperatures);
    step_ += steps;
    return milliseconds_since(start);
  }

  const Graph& graph_;
  std::unique_ptr<Population> population_;
  ChainPlan plan_;
  std::vector<std::int64_t> linear_, table_;
  std::int64_t table_K_ = 0, step_ = 0;
};

BenchmarkGate oracle_gate(const Instance& instance, Chains& chains, const std::string& arm) {
  BenchmarkGate gate;
  gate.name = "oracle/" + arm;
  gate.passed = true;
  const int last = chains.population().size() - 1;
  for (const int r : {0, last / 2, last}) {
    const Drawing drawing = chains.population().drawing(r);
    const std::vector<std::int64_t> expected = oracle_counts(instance.graph, drawing);
    const std::vector<std::int32_t> got = chains.population().counts(r);
    gate.passed = gate.passed && std::equal(expected.begin(), expected.end(), got.begin(), got.end()) &&
                  chains.population().tuple(r) == tuple_of_counts<std::int64_t>(expected) &&
                  validate(instance.graph, instance.grid, drawing, 1).valid();
    gate.values_compared += static_cast<std::int64_t>(expected.size());
  }
  gate.compared =
      "after the last sample, of the first, middle and last replica: counts of every edge and the tuple "
      "against the oracle, the drawing against the validator";
  return gate;
}

// A short run of few replicas on both: equal hashes, equal trajectories.
BenchmarkGate trajectory_gate(const Instance& instance, const Drawing& start, ChainPlan plan) {
  constexpr int kReplicas = 4;
  plan.warm_up = 2 * kWarmRounds;
  BenchmarkGate gate;
  gate.name = "trajectory/" + instance.name;
  Chains cpu(instance.graph, start, make_cpu_population(instance.graph, instance.grid, kReplicas, 1), plan);
  Chains gpu(instance.graph, start, make_gpu_population(instance.graph, instance.grid, kReplicas), plan);
  cpu.warm_up();
  gpu.warm_up();
  gate.passed = population_sha256(cpu.population()) == population_sha256(gpu.population());
  gate.values_compared = kReplicas * (instance.graph.m() + 4 * std::int64_t{instance.graph.n()});
  gate.compared = fmt::format(
      "sha256 of drawings, counts, tuples, bandits and tallies of {} replicas after {} rounds of 2 "
      "proposals, "
      "GPU against CPU",
      kReplicas, kWarmRounds);
  return gate;
}

struct SearchArm {
  BenchmarkArm arm;
  const Instance* instance;
  std::unique_ptr<Chains> chains;
  std::int64_t steps = 0;
  std::int64_t valid_before = 0, accepted_before = 0;
};

// Steps of a round that lasts plan.round_ms, by two rounds at the measuring temperature.
std::int64_t calibrate(Chains& chains, const ChainPlan& plan) {
  std::int64_t steps = 4;
  for (;;) {
    const double ms = chains.sample(steps);
    if (ms > plan.round_ms / 4 || steps >= (std::int64_t{1} << 24))
      return std::max<std::int64_t>(1, std::llround(double(steps) * plan.round_ms / ms));
    steps *= 2;
  }
}

// Honest units side by side: a drawn proposal may not move, a valid one may not be accepted, and only steps
// of one replica depend on each other.
std::string rates_table(const BenchmarkReport& report) {
  const auto metric = [&](const std::string& name) {
    for (const BenchmarkMetric& m : report.metrics)
      if (m.name == name) return m.value;
    return 0.0;
  };
  std::string text = fmt::format("  {:<24} {:>12} {:>12} {:>12} {:>20} {:>9}\n", "arm, per second",
                                 "attempted", "valid", "accepted", "dependent chain steps", "replicas");
  for (const BenchmarkArm& arm : report.arms)
    text += fmt::format("  {:<24} {:>12.4g} {:>12.4g} {:>12.4g} {:>21.4g} {:>9}\n", arm.name,
                        metric("proposals_attempted_per_s/" + arm.name),
                        metric("proposals_valid_per_s/" + arm.name),
                        metric("proposals_accepted_per_s/" + arm.name),
                        metric("steps_per_replica_per_s/" + arm.name), metric("replicas/" + arm.name));
  return text;
}

}  // namespace

Drawing bench_start_drawing(const Instance& instance, const std::string& spec, const SeedPath& seed) {
  const LayoutRequest request{instance.graph, instance.grid, instance.drawing ? &*instance.drawing : nullptr,
                              seed, 0};
  try {
    return admit(instance.graph, instance.grid, make_start_provider(spec)->layout(request),
                 derive_key(seed, Purpose::admission))
        .drawing;
  } catch (const Error& error) {  // there is no unit that could fail alone
    if (error.kind() != ErrorKind::unit) throw;
    throw input_error(fmt::format("{}: {}", instance.name, error.what()));
  }
}

OptionTable bench_search_table() {
  OptionTable table(
      "bench search",
      "Times resident chains: proposals per second of all replicas together, after annealing them from one "
      "start drawing to the temperature that is measured. GPU and CPU are proven to walk the same "
      "trajectory.");
  table.positional("instances", "FILE", 1, 1000, "contest JSON files or folders");
  table.section("Chains")
      .integer("replicas", "0", 0, 10'000'000, "replicas on the GPU (0: as many as it runs at once)")
      .integer("lanes", "0", 0, 512,
               "threads of a team on the GPU (0: by graph, and by the number of replicas if that is given)")
      .integer("group", "0", 0, 15,
               "teams that test a replica's next steps at the same time (0: 1, but chosen with --lanes where "
               "only --replicas is given)")
      .integer("cpu-replicas", "8", 1, 1'000'000, "replicas on the CPU")
      .integer("threads", "1", 1, 4096, "CPU threads")
      .text("start", "SPEC", "snake", "start provider")
      .integer("warm-up", "50000", 100, OptionTable::kAnyInteger,
               "proposals per replica before the first sample: 30 % lower the crossings, T 3 to 0.3, the "
               "rest balance with the weight table, T 2 to the measuring temperature")
      .real("temperature", "0.1", 1e-6, 1000,
            "measuring temperature, in crossings on an edge at level K of the weight table")
      .integer("seed", "1", 0, OptionTable::kAnyInteger, "root seed");
  table.section("Measurement")
      .choice("device", "auto", {"auto", "cpu", "gpu"}, "auto: the GPU when there is one")
      .flag("both", "measure the CPU beside the GPU")
      .integer("samples", "20", 2, 100'000, "rounds of each arm, interleaved")
      .real("round", "100", 0.1, 60'000, "milliseconds that a round lasts about");
  table.section("Time to target")
      .integer("target", "", 0, OptionTable::kAnyInteger,
               "also run whole searches that end when K is at most this: faster steps can be worse search")
      .duration("budget", "10s", 0.1, 86400, "wall clock of each search; then it counts as not reached")
      .integer("runs", "5", 1, 10'000, "searches of each instance and arm, with seeds 1, 2, ...")
      .text("search", "SPEC", "auto", "search of these runs, as in lcn solve");
  table.section("Output").text("out", "FILE", "", "write the report (docs/benchmark-format.md) to FILE");
  return table;
}

int bench_search(const std::vector<std::string>& args) {
  const Options options = bench_search_table().parse(args);
  if (options.handled()) return 0;
  check_output(options.text("out"));
  const bool gpu = use_gpu(options.text("device")), cpu = !gpu || options.flag("both");
  SeedPath seed;
  seed.root_seed = static_cast<std::uint64_t>(options.integer("seed"));
  ChainPlan plan;
  plan.warm_up = options.integer("warm-up");
  plan.temperature = options.real("temperature");
  plan.round_ms = options.real("round");
  plan.samples = static_cast<int>(options.integer("samples"));
  plan.key = derive_key(seed, Purpose::benchmark, "search");

  std::vector<Instance> instances;
  std::string hashes;
  std::map<std::string, std::string> paths;  // by instance name
  for (const std::string& path : find_instance_files(options.positional())) {
    instances.push_back(read_instance(path));
    if (const auto [same, is_new] = paths.emplace(instances.back().name, path); !is_new)
      throw input_error(
          fmt::format("{}: has the name of {} (arms are told apart by name)", path, same->second));
    hashes += to_hex(instances.back().hash);
    if (instances.back().graph.m() == 0)
      throw input_error(fmt::format("{}: no edges: nothing to search", path));
  }

  std::optional<TargetPlan> target;
  std::vector<LowerBound> bounds;
  if (options.has("target")) {
    target.emplace();
    target->target_K = options.integer("target");
    target->budget = options.seconds("budget");
    target->runs = static_cast<int>(options.integer("runs"));
    target->start = options.text("start");
    target->search = options.text("search");
    target->root_seed = seed.root_seed;
    target->threads = static_cast<int>(options.integer("threads"));
    target->cpu_replicas = static_cast<int>(options.integer("cpu-replicas"));
    target->gpu_replicas = static_cast<int>(options.integer("replicas"));
    bounds = check_target(instances, *target);
  }

  BenchmarkReport report;
  report.name = "search";
  report.scope = BenchmarkScope::stage;
  report.excluded =
      "start drawing, loading, annealing to the measuring temperature, and everything between rounds";
  report.work_unit =
      "proposal attempted (drawn; the metrics count those that are valid and those accepted too)";
  report.input_sha256 = sha256_hex(hashes);
  report.argv = {"lcn", "bench", "search"};
  report.argv.insert(report.argv.end(), args.begin(), args.end());
  report.seeds = {options.integer("seed")};
  report.parameters = {
      {"start", options.text("start")},
      {"warm_up",
       fmt::format("{} proposals per replica: {} % of them on the number of crossings, T {} to {}; "
                   "then the weight table with K of the best replica, power K + 4, slope {}, T {} "
                   "to {}",
                   plan.warm_up, 100 * kLowerShare, kLowerHot, kLowerCold, kSlope, kBalanceHot,
                   plan.temperature)},
      {"temperature", fmt::format("{}", plan.temperature)},
      {"energy", "weight table of the warm-up's last round"},
      {"start_state", "all replicas begin from one start drawing and differ by their random streams"}};
  if (gpu) report.device = describe_gpu();

  std::vector<SearchArm> arms;
  for (const Instance& instance : instances) {
    const Drawing start = bench_start_drawing(instance, options.text("start"), seed);
    if (gpu) {
      report.gates.push_back(trajectory_gate(instance, start, plan));
      GpuPopulationOptions shape_options;
      shape_options.lanes = static_cast<int>(options.integer("lanes"));
      shape_options.group = static_cast<int>(options.integer("group"));
      if (shape_options.lanes == 0 && shape_options.group == 0) {
        shape_options.group = 1;
        if (options.integer("replicas") > 0)
          shape_options =
              options_for(instance.graph, instance.grid, static_cast<int>(options.integer("replicas")));
      }
      const GpuPopulationShape shape = gpu_population_shape(instance.graph, instance.grid, shape_options);
      const int replicas = options.integer("replicas") > 0
                               ? static_cast<int>(options.integer("replicas"))
                               : shape.teams_per_multiprocessor * shape.multiprocessors;
      SearchArm arm;
      arm.instance = &instance;
      arm.arm.name = "gpu/" + instance.name;
      arm.arm.description = shape.text();
      arm.arm.launch_shape = plural(replicas, "replica");
      arm.chains = std::make_unique<Chains>(
          instance.graph, start, make_gpu_population(instance.graph, instance.grid, replicas, shape_options),
          plan);
      arms.push_back(std::move(arm));
    }
    if (cpu) {
      SearchArm arm;
      arm.instance = &instance;
      const int replicas = static_cast<int>(options.integer("cpu-replicas")),
                threads = static_cast<int>(options.integer("threads"));
      arm.arm.name = "cpu/" + instance.name;
      arm.arm.description = fmt::format("{} on {}", plural(replicas, "replica"), plural(threads, "thread"));
      arm.chains = std::make_unique<Chains>(
          instance.graph, start, make_cpu_population(instance.graph, instance.grid, replicas, threads), plan);
      arms.push_back(std::move(arm));
    }
  }
  for (SearchArm& arm : arms) {
    arm.chains->warm_up();
    arm.steps = calibrate(*arm.chains, plan);
    arm.arm.work_units = arm.steps * arm.chains->population().size();
    arm.valid_before = arm.chains->total(&ChainScalars::valid);
    arm.accepted_before = arm.chains->total(&ChainScalars::accepted);
  }
  report.order =
      "interleaved: a round takes one sample of every arm and starts one arm later than the round before";
  report.warm_ups = kWarmRounds;
  for (int sample = 0; sample < plan.samples; ++sample)
    for (std::size_t i = 0; i < arms.size(); ++i) {
      SearchArm& arm = arms[(i + static_cast<std::size_t>(sample)) % arms.size()];
      arm.arm.samples.push_back(arm.chains->sample(arm.steps));
    }
  if (gpu) report.device.clock_mhz_after = describe_gpu().clock_mhz_before;

  for (SearchArm& arm : arms) {
    const double attempted = double(arm.arm.work_units) * plan.samples;
    const double rate = double(arm.arm.work_units) / median_ms(arm.arm) * 1e3;
    const double valid = double(arm.chains->total(&ChainScalars::valid) - arm.valid_before) / attempted;
    const double accepted =
        double(arm.chains->total(&ChainScalars::accepted) - arm.accepted_before) / attempted;
    const auto metric = [&](const std::string& name, double value) {
      report.metrics.push_back({name + "/" + arm.arm.name, value});
    };
    metric("proposals_attempted_per_s", rate);
    metric("proposals_valid_per_s", rate * valid);
    metric("proposals_accepted_per_s", rate * accepted);
    metric("replicas", arm.chains->population().size());
    metric("steps_per_replica_per_s", rate / arm.chains->population().size());
    metric("steps_per_round", double(arm.steps));
    metric("K", double(arm.chains->best_K()));
    metric("mean_C", arm.chains->mean_C());
    report.gates.push_back(oracle_gate(*arm.instance, *arm.chains, arm.arm.name));
    report.arms.push_back(arm.arm);
  }
  fmt::print("{}", rates_table(report));
  if (target) search_to_target(instances, bounds, gpu, cpu, *target, report);
  return finish_benchmark(report, options.text("out"));
}

}  // namespace lcn
