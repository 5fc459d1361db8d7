#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>

#include "io/contest_json.hpp"
#include "jobs/backends.hpp"
#include "jobs/bench.hpp"
#include "jobs/rank_job.hpp"
#include "jobs/report.hpp"
#include "jobs/runner.hpp"
#include "mpi/launch.hpp"
#include "mpi/nccl_channel.hpp"
#include "mpi/replica_mail.hpp"
#include "random/stream.hpp"
#include "search/backend.hpp"
#include "search/distributed_population.hpp"
#include "search/fixed_point.hpp"
#include "search/weight_table.hpp"
#include "support/error.hpp"
#include "support/plural.hpp"

// `lcn bench exchange`, under mpirun: what ranks that share a unit's replicas pay for each kind of exchange
// between rounds, through each channel, on replicas of a real instance.

namespace lcn {
namespace {

constexpr std::size_t kBoundaryWords = 10;  // what a search's boundary tells (search/driver.cpp)
constexpr std::int64_t kWarmUpSteps = 200;  // so that replicas differ

struct ExchangePlan {
  Instance instance;
  SeedPath seed;
  std::string device, channel;
  int replicas = 0, moves = 0;  // of each rank
};

// One channel with a population over all ranks.
class Side {
 public:
  Side(std::unique_ptr<ReplicaChannel> channel, const ExchangePlan& plan, const SolveBackend& backend,
       const Drawing& start)
      : channel_(std::move(channel)), replicas_(plan.replicas), moves_(plan.moves) {
    const Graph& graph = plan.instance.graph;
    const auto make = [&](int replicas) {
      return backend.population(graph, plan.instance.grid, replicas, 1);
    };
    population_ = make_distributed_population(*channel_, replicas_ * channel_->size(), make, traffic_);
    for (int slot = 0; slot < population_->size(); ++slot) population_->load(slot, start);
    table_ = linear_table(graph.m());
    PopulationRound round;
    round.key = derive_key(plan.seed, Purpose::benchmark, "exchange");
    round.energy = EnergyKind::table;
    round.table = &table_;
    round.steps = kWarmUpSteps;
    const std::vector<std::int64_t> hot(static_cast<std::size_t>(population_->size()), to_fixed(3.0));
    population_->run(round, hot);
  }

  const char* name() const { return channel_->name(); }
  ReplicaChannel& channel() { return *channel_; }
  std::int64_t state_bytes() const { return traffic_.state_bytes; }

  void boundary() {
    const std::array<std::int64_t, kBoundaryWords> mine{};
    channel_->all_gather(mine);
  }
  void energies() { population_->energies(table_); }
  // Each rank's first replicas change places with, or go to, as many of the next rank's: those behind its
  // own.
  void swaps() {
    for_each_move([&](int from, int to) { population_->swap(from, to); });
    population_->settle();
  }
  void copies() {
    for_each_move([&](int from, int to) { population_->copy(from, to); });
    population_->settle();
  }

  // Empty, or what was wrong on this rank.
  std::string check(std::int64_t& values) {
    const int ranks = channel_->size(), rank = channel_->rank();
    const auto word = [](int of, std::int64_t at) { return of * 1'000'003LL + at * at; };
    std::vector<std::int64_t> mine;
    for (std::int64_t at = 0; at < 1000; ++at) mine.push_back(word(rank, at));
    const std::vector<std::int64_t> all = channel_->all_gather(mine);
    for (int of = 0; of < ranks; ++of)
      for (std::int64_t at = 0; at < 1000; ++at)
        if (all[static_cast<std::size_t>(of * 1000 + at)] != word(of, at)) return "gathered words differ";
    values += static_cast<std::int64_t>(all.size());

    const std::vector<Tuple> before = population_->tuples();
    const std::vector<Sha256> hashes = population_->hashes();
    std::vector<Tuple> expected = before;
    for_each_move([&](int a, int b) {
      std::swap(expected[static_cast<std::size_t>(a)], expected[static_cast<std::size_t>(b)]);
    });
    swaps();
    if (population_->tuples() != expected) return "swapped replicas have other tuples";
    swaps();
    if (population_->hashes() != hashes) return "replicas swapped there and back differ";
    copies();
    expected = before;
    for_each_move(
        [&](int a, int b) { expected[static_cast<std::size_t>(b)] = before[static_cast<std::size_t>(a)]; });
    if (population_->tuples() != expected) return "copied replicas have other tuples";
    values += 4 * static_cast<std::int64_t>(before.size());
    return {};
  }

 private:
  template <class Move>
  void for_each_move(Move&& move) {
    for (int rank = 0; rank < channel_->size(); ++rank)
      for (int i = 0; i < moves_; ++i)
        move(rank * replicas_ + i, (rank + 1) % channel_->size() * replicas_ + moves_ + i);
  }

  std::unique_ptr<ReplicaChannel> channel_;
  int replicas_, moves_;
  ExchangeTraffic traffic_;
  std::unique_ptr<Population> population_;
  std::vector<std::int64_t> table_;
};

struct Operation {
  const char* name;
  std::string description;
  void (Side::*run)();
};

std::vector<Operation> operations(const ExchangePlan& plan) {
  return {
      {"boundary", fmt::format("all-gather of {} words a rank", kBoundaryWords), &Side::boundary},
      {"energies", fmt::format("energies of {} replicas a rank, and their all-gather", plan.replicas),
       &Side::energies},
      {"copies",
       fmt::format("{} from each rank to the next, packed and unpacked", plural(plan.moves, "state")),
       &Side::copies},
      {"swaps",
       fmt::format("{} between each rank and the next, both ways, packed and unpacked",
                   plural(plan.moves, "state")),
       &Side::swaps},
  };
}

// Rank 0 says which arm runs how often; a negative arm ends it. Through the mail, which all channels have.
struct Command {
  std::int64_t arm = -1, launches = 0;
};
Command agreed(ReplicaChannel& mail, const Command& mine) {
  const std::array words{mine.arm, mine.launches};
  const std::vector<std::int64_t> all = mail.all_gather(words);
  return {all[0], all[1]};
}

void repeat(Side& side, const Operation& operation, std::int64_t launches) {
  for (; launches > 0; --launches) (side.*operation.run)();
}

// On every rank; fills the report on rank 0.
void measure(const ExchangePlan& plan, const Rounds& rounds, const GpuBinding& binding,
             const std::shared_ptr<ReplicaMail>& mail, BenchmarkReport& report) {
  if (mail->size() < 2)
    throw usage_error("lcn bench exchange: one rank exchanges nothing start it with mpirun -n 2 or more");
  const double deadline = run_settings_from_environment().silence;
  mail->open(1);
  const std::unique_ptr<ReplicaChannel> control = make_mail_channel(mail, deadline);
  // Rank 0 decides for all.
  std::array<std::int64_t, 2> choice{};
  if (mail->rank() == 0) {
    const std::string device = resolve_device(plan.device, false, binding);
    const std::string channel = resolve_channel(plan.channel, device, binding);
    choice = {device == "gpu", channel == "nccl"};
  }
  const std::vector<std::int64_t> chosen = control->all_gather(choice);
  const bool gpu = chosen[0] != 0;
  if (gpu) use_gpu_of(binding);
  const SolveBackend& backend = backend_of(gpu ? "gpu" : "cpu");

  const Drawing start = bench_start_drawing(plan.instance, "snake", plan.seed);
  std::vector<std::unique_ptr<Side>> sides;
  if (chosen[1] != 0)
    sides.push_back(std::make_unique<Side>(make_nccl_channel(mail, deadline), plan, backend, start));
  if (chosen[1] == 0 || plan.channel == "auto")
    sides.push_back(std::make_unique<Side>(make_mail_channel(mail, deadline), plan, backend, start));

  for (const std::unique_ptr<Side>& side : sides) {
    std::int64_t values = 0;
    const std::string wrong = side->check(values);
    const std::array<std::int64_t, 1> mine{wrong.empty() ? 0 : 1};
    const std::vector<std::int64_t> all = control->all_gather(mine);
    const auto bad = std::count(all.begin(), all.end(), 1);
    report.gates.push_back(
        {fmt::format("exchange/{}", side->name()), bad == 0,
         fmt::format("on each of {} ranks: 1000 gathered words of every rank, tuples of all replicas after "
                     "swaps and after copies, sha256 of their whole states swapped there and back{}",
                     mail->size(), wrong.empty() ? "" : "; " + wrong),
         values});
    report.parameters.emplace_back(fmt::format("state_bytes/{}", side->name()),
                                   fmt::format("{}", side->state_bytes()));
  }

  const std::vector<Operation> all = operations(plan);
  const auto count = static_cast<std::int64_t>(all.size());
  const auto run = [&](std::int64_t arm, std::int64_t launches) {
    repeat(*sides[static_cast<std::size_t>(arm / count)], all[static_cast<std::size_t>(arm % count)],
           launches);
  };
  if (mail->rank() != 0) {
    for (Command command = agreed(*control, {}); command.arm >= 0; command = agreed(*control, {}))
      run(command.arm, command.launches);
    return;
  }
  if (gpu) report.device = describe_gpu();
  std::vector<TimedArm> arms;
  for (std::size_t s = 0; s < sides.size(); ++s)
    for (std::size_t o = 0; o < all.size(); ++o) {
      TimedArm timed;
      timed.arm.name = fmt::format("{}/{}", all[o].name, sides[s]->name());
      timed.arm.description = all[o].description;
      timed.arm.work_units = 1;
      timed.time_ms = [&, arm = static_cast<std::int64_t>(arms.size())](int launches) {
        agreed(*control, {arm, launches});
        const auto begin = std::chrono::steady_clock::now();
        run(arm, launches);
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count() /
               launches;
      };
      arms.push_back(std::move(timed));
    }
  run_rounds(arms, rounds, report);
  agreed(*control, {});
  if (gpu) report.device.clock_mhz_after = describe_gpu().clock_mhz_before;
}

}  // namespace

OptionTable bench_exchange_table() {
  OptionTable table("bench exchange",
                    "Times what ranks that share a unit's replicas pay between rounds: the all-gather of a "
                    "boundary, energies, and states that move. Under mpirun or srun, one GPU a rank.");
  table.positional("instance", "FILE", 1, 1, "contest JSON file");
  table.section("Replicas")
      .integer("replicas", "64", 2, 100'000, "replicas of each rank")
      .integer("moves", "16", 1, 50'000, "states that each rank sends to the next; at most half the replicas")
      .integer("seed", "1", 0, OptionTable::kAnyInteger, "root seed");
  table.section("Measurement")
      .choice("device", "auto", {"auto", "cpu", "gpu"}, "auto: GPUs when each rank has one")
      .choice("channel", "auto", {"auto", "nccl", "mpi"},
              "auto: NCCL where it can be used, and MPI beside it")
      .integer("samples", "20", 2, 100'000, "rounds of each arm, interleaved");
  table.section("Output").text("out", "FILE", "", "write the report (docs/benchmark-format.md) to FILE");
  return table;
}

namespace {

ExchangePlan read_plan(const Options& options) {
  ExchangePlan plan;
  plan.instance = read_instance(options.positional().front());
  if (plan.instance.graph.m() == 0)
    throw input_error(fmt::format("{}: no edges: nothing to exchange", options.positional().front()));
  plan.seed.root_seed = static_cast<std::uint64_t>(options.integer("seed"));
  plan.device = options.text("device");
  plan.channel = options.text("channel");
  plan.replicas = static_cast<int>(options.integer("replicas"));
  plan.moves = static_cast<int>(options.integer("moves"));
  if (2 * plan.moves > plan.replicas)
    throw usage_error(
        fmt::format("--moves {}: {} replicas a rank have room for {} that come and {} that go use more "
                    "--replicas",
                    plan.moves, plan.replicas, plan.replicas / 2, plan.replicas / 2));
  return plan;
}

int run_exchange(const Options& options, const ExchangePlan& plan, const std::vector<std::string>& args) {
  BenchmarkReport report;
  report.name = "exchange";
  report.scope = BenchmarkScope::stage;
  report.excluded = "start drawing, loading, 200 hot proposals per replica, and everything between rounds";
  report.work_unit = "exchange (one call on all ranks, as seen by rank 0)";
  report.input_sha256 = to_hex(plan.instance.hash);
  report.argv = {"lcn", "bench", "exchange"};
  report.argv.insert(report.argv.end(), args.begin(), args.end());
  report.seeds = {options.integer("seed")};
  Rounds rounds;
  rounds.samples = static_cast<int>(options.integer("samples"));
  int ranks = 1;
  const int code = run_with_mail([&](const GpuBinding& binding, const std::shared_ptr<ReplicaMail>& mail) {
    ranks = mail->size();
    if (mail->rank() == 0) check_output(options.text("out"));
    measure(plan, rounds, binding, mail, report);
  });
  if (!report.arms.empty()) {  // rank 0
    report.parameters.insert(report.parameters.begin(),
                             {{"ranks", fmt::format("{}", ranks)},
                              {"replicas", fmt::format("{} a rank", plan.replicas)},
                              {"moves", fmt::format("{} a rank", plan.moves)}});
    return finish_benchmark(report, options.text("out"));
  }
  return code;
}

}  // namespace

int bench_exchange(const std::vector<std::string>& args) {
  const auto environment = [](const char* name) { return std::getenv(name); };
  std::optional<Options> options;
  ExchangePlan plan;
  try {
    options = bench_exchange_table().parse(args);
    if (options->handled()) return 0;
    plan = read_plan(*options);
  } catch (const Error& error) {
    if (launch_place(environment).rank > 0) return exit_code(error.kind());  // rank 0 says why
    throw;
  }
  return run_exchange(*options, plan, args);
}

}  // namespace lcn
