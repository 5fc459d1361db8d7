#include "search/solve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "geometry/drawing_hash.hpp"
#include "layout/admission.hpp"
#include "layout/layout.hpp"
#include "search/backend.hpp"
#include "search/distributed_population.hpp"
#include "search/driver.hpp"
#include "search/population.hpp"
#include "search/search.hpp"
#include "search/starts.hpp"
#include "support/bytes.hpp"
#include "support/error.hpp"
#include "support/plural.hpp"

namespace lcn {

const SolveBackend& cpu_backend() {
  static const SolveBackend backend = [] {
    SolveBackend cpu;
    cpu.population = [](const Graph& graph, const Grid& grid, int replicas, int threads) {
      return make_cpu_population(graph, grid, replicas, threads);
    };
    return cpu;
  }();
  return backend;
}

SolveOptions resolve_options_on(const SolveBackend& backend, const Graph& graph, const Grid& grid,
                                const LowerBound& bound, SolveOptions options) {
  if (backend.choose) backend.choose(graph, grid, bound, options);
  if (options.start == "auto") options.start = default_start(graph, grid, bound);
  if (options.search == "auto") options.search = default_search(graph, grid);
  if (options.replicas <= 0)
    options.replicas = default_replicas(graph, grid, options) * (options.time_limited ? options.ranks : 1);
  return options;
}

SolveOptions resolve_options(const Graph& graph, const Grid& grid, const LowerBound& bound,
                             SolveOptions options) {
  return resolve_options_on(cpu_backend(), graph, grid, bound, std::move(options));
}

SolveResult solve(const SolveInput& input, const SolveOptions& options, const SolveCallbacks& callbacks) {
  return solve_on(cpu_backend(), input, options, callbacks);
}

namespace {

// Adds up the time that a rank spends in a channel.
class MeasuredChannel : public ReplicaChannel {
  template <class Call>
  auto measured(Call&& call) {
    struct Adding {
      double& seconds;
      UnitClock clock;
      ~Adding() { seconds += clock.seconds(); }
    } adding{seconds_, UnitClock()};
    return call();
  }

 public:
  MeasuredChannel(ReplicaChannel& channel, double& seconds) : channel_(channel), seconds_(seconds) {}
  const char* name() const override { return channel_.name(); }
  int rank() const override { return channel_.rank(); }
  int size() const override { return channel_.size(); }
  std::vector<std::int64_t> all_gather(std::span<const std::int64_t> mine) override {
    return measured([&] { return channel_.all_gather(mine); });
  }
  std::string broadcast(int root, std::string bytes) override {
    return measured([&] { return channel_.broadcast(root, std::move(bytes)); });
  }
  std::int64_t maximum(std::int64_t mine) override {
    return measured([&] { return channel_.maximum(mine); });
  }
  void alive() override { channel_.alive(); }
  std::vector<std::string> gather(std::string bytes) override {
    return measured([&] { return channel_.gather(std::move(bytes)); });
  }
  void transfer(std::span<const Transfer> transfers, std::size_t bytes) override {
    measured([&] { channel_.transfer(transfers, bytes); });
  }
  bool device_memory() const override { return channel_.device_memory(); }
  std::shared_ptr<void> allocate(std::size_t bytes) override { return channel_.allocate(bytes); }
  void fail(const Error& error) noexcept override { channel_.fail(error); }

 private:
  ReplicaChannel& channel_;
  double& seconds_;
};

// Of all ranks together, or of rank 0 for all: real-valued layouts may differ from host to host. None when
// `stop` came before there was any.
Starts agreed_starts(const SolveBackend& backend, const SolveInput& input, const SolveOptions& options,
                     const UnitClock& clock, const SolveCallbacks& callbacks) {
  const auto make = [&] {
    try {
      return make_starts(backend, input, options, options.replicas, clock, callbacks.stop);
    } catch (const Stopped&) {
      Starts none;
      none.cut = true;
      return none;
    }
  };
  if (!input.channel) return make();
  try {
    if (std::optional<Starts> shared =
            share_starts(backend, input, options, options.replicas, clock, callbacks.stop))
      return *std::move(shared);
  } catch (const Stopped&) {
    Starts none;
    none.cut = true;
    return none;
  }
  Starts starts;
  ByteWriter writer;
  if (input.channel->rank() == 0) {
    starts = make();
    writer.put(starts.provider);
    writer.put(starts.cut);
    writer.put(starts.quick);
    writer.put(static_cast<std::uint64_t>(starts.drawings.size()));
    for (const Drawing& drawing : starts.drawings) writer.put(drawing);
  }
  const std::string bytes = input.channel->broadcast(0, writer.take());
  if (input.channel->rank() == 0) return starts;
  ByteReader reader(bytes);
  reader.get(starts.provider);
  reader.get(starts.cut);
  reader.get(starts.quick);
  starts.drawings.resize(reader.get<std::uint64_t>());
  for (Drawing& drawing : starts.drawings) reader.get(drawing);
  return starts;
}

// One unit from its start drawings, or from a checkpoint, to its result.
class Unit {
 public:
  Unit(const SolveBackend& backend, const SolveInput& input, const SolveOptions& options,
       const SolveCallbacks& callbacks, const double& channel_seconds)
      : backend_(backend),
        input_(input),
        options_(options),
        callbacks_(callbacks),
        channel_seconds_(channel_seconds),
        checkpoint_(input.checkpoint),
        clock_(read_header()),
        search_(make_search(options.search)) {}

  SolveResult run() {
    if (input_.checkpoint.empty())
      begin();
    else
      resume();
    if (!driver_) return std::move(result_);  // interrupted before its search began
    if (input_.graph.m() > 0) search_->run(*driver_, result_);
    if (result_.status.empty()) result_.status = "ok";
    finish();
    return std::move(result_);
  }

 private:
  // Seconds that were used before.
  double read_header() {
    if (input_.checkpoint.empty()) return 0;
    if (checkpoint_.get<std::int32_t>() != kCheckpointVersion)
      throw input_error("checkpoint of another version of this program");
    return checkpoint_.get<double>();
  }

  void make_population() {
    if (input_.replay) {  // what the start stage has to know of it is known now
      for (const ScheduleRound& round : *input_.replay)
        if (round.stage >= 0) recorded_.push_back(round);
      input_.replay = &recorded_;
    }
    const auto make = [&](int replicas) {
      return backend_.population(input_.graph, input_.grid, replicas, options_.threads);
    };
    population_ = input_.channel
                      ? make_distributed_population(*input_.channel, options_.replicas, make, result_.traffic)
                      : make(options_.replicas);
    result_.backend = population_->backend();
    driver_.emplace(*population_, options_, input_, callbacks_, clock_, result_);
    driver_->set_algorithm(options_.search);
  }

  void begin() {
    Starts starts = agreed_starts(backend_, input_, options_, clock_, callbacks_);
    if (starts.drawings.empty()) {
      result_.status = "interrupted";
      return;
    }
    make_population();
    if (!load_starts(starts.drawings)) {
      give_up();
      return;
    }
    begun_ = !starts.cut;
    result_.start_provider = starts.provider;
    result_.start_sha256 = drawing_sha256(starts.drawings);
    result_.schedule.push_back(
        {-1, starts.quick ? 0 : static_cast<std::int64_t>(starts.drawings.size()), 0, 0});
    driver_->begin();
    result_.start = driver_->best_drawing();
    result_.initial = driver_->best();
  }

  // Puts drawings[r % size] into slot r. False when a stop came. Counting large drawings takes long: in time
  // mode those that are not counted when the time is over are left out, as if they had not been made.
  // Error(unit) when not even the first is counted until latest_first_drawing().
  bool load_starts(std::vector<Drawing>& drawings) {
    const bool timed = options_.time_limited && !input_.replay;
    bool complete = drawings.size() == 1;  // nothing can be left out
    for (int from = 0;;) {
      const double latest = latest_first_drawing(options_, clock_);
      bool counted = from > 0;  // something in this rank's slots
      const auto over = [&] {
        if (!timed || (counted && complete)) return false;
        return clock_.seconds() > (counted ? options_.time : latest);
      };
      int slot = from;
      const LoadState state =
          load_until([&] { return stop_wanted() || over(); },
                     [&](const StopFunction& stop) {
                       for (; slot < population_->size(); ++slot) {
                         if (counted) check_stop(stop);
                         population_->load(slot, drawings[static_cast<std::size_t>(slot) % drawings.size()]);
                         counted = counted || population_->owns(slot);
                       }
                     });
      const std::int64_t worst = agreed(state);
      if (worst == stopped) return false;
      if (worst == loaded) return true;
      if (state == late && !counted)
        throw Error(ErrorKind::unit, "start drawing: its crossings were not counted until " +
                                         std::to_string(std::llround(latest)) + " s (" +
                                         std::to_string(input_.graph.m()) +
                                         " edges are many for --time) use more --time");
      complete = true;
      if (!input_.channel) {
        drawings.resize(std::min(drawings.size(), static_cast<std::size_t>(slot)));
        from = slot;
        continue;
      }
      drawings.resize(1);  // what all ranks can have counted
      driver_.reset();
      population_.reset();
      make_population();
    }
  }

  enum LoadState : std::int64_t { loaded, late, stopped };

  // Runs `load` with a population, and a function for itself, that ask `give_up` meanwhile.
  LoadState load_until(const StopFunction& give_up, const std::function<void(const StopFunction&)>& load) {
    population_->watch(give_up);
    LoadState state = loaded;
    try {
      load(give_up);
    } catch (const Stopped&) {
      state = stop_wanted() ? stopped : late;
    }
    population_->watch({});
    return state;
  }

  bool stop_wanted() const { return callbacks_.stop && callbacks_.stop(); }

  // The worst of all ranks; one may count for much longer than others.
  std::int64_t agreed(LoadState state) { return input_.channel ? input_.channel->maximum(state) : state; }

  // Interrupted without a state: nothing to write.
  void give_up() {
    driver_.reset();
    result_.status = "interrupted";
  }

  void resume() {
    checkpoint_.get(result_.start_provider);
    checkpoint_.get(result_.start_sha256);
    checkpoint_.get(result_.start);
    checkpoint_.get(result_.initial);
    const auto counters = checkpoint_.get<std::array<std::int64_t, 4>>();
    const auto seconds = checkpoint_.get<double>();
    if (!input_.channel || input_.channel->rank() == 0) {  // ranks add up
      ExchangeTraffic& traffic = result_.traffic;
      traffic.state_bytes = counters[0];
      traffic.bytes = counters[1];
      traffic.exchanges = counters[2];
      traffic.migrations = counters[3];
      traffic.seconds = seconds;
    }
    make_population();
    search_->restore(checkpoint_);
    const auto replicas = checkpoint_.get<std::int64_t>();
    if (replicas != population_->size())
      throw input_error("checkpoint of " + plural(replicas, "replica") + " instead of " +
                        std::to_string(population_->size()));
    if (!restore_slots()) {
      give_up();
      return;
    }
    driver_->restore(checkpoint_);
    if (!checkpoint_.at_end()) throw input_error("checkpoint is longer than its contents");
  }

  // All loads, then all restarts: a GPU does them in batches. False when a stop came: the checkpoint stays.
  bool restore_slots() {
    const int replicas = population_->size();
    std::vector<Drawing> bests(static_cast<std::size_t>(replicas)), drawings(bests.size());
    std::vector<ChainScalars> scalars(static_cast<std::size_t>(replicas));
    for (int r = 0; r < replicas; ++r) {
      const auto at = static_cast<std::size_t>(r);
      auto best = checkpoint_.get<Drawing>();
      drawings[at] = checkpoint_.get<Drawing>();
      scalars[at] = checkpoint_.get<ChainScalars>();
      if (best.size() != static_cast<std::size_t>(input_.graph.n()) || drawings[at].size() != best.size())
        throw input_error("checkpoint of another graph");
      bests[at] = std::move(best);
    }
    const LoadState state = load_until([this] { return stop_wanted(); },
                                       [&](const StopFunction& stop) {
                                         for (int r = 0; r < replicas; ++r) {
                                           check_stop(stop);
                                           population_->load(r, bests[static_cast<std::size_t>(r)]);
                                         }
                                         for (int r = 0; r < replicas; ++r) {
                                           check_stop(stop);
                                           population_->restart(r, drawings[static_cast<std::size_t>(r)]);
                                         }
                                       });
    if (agreed(state) != loaded) return false;
    for (int r = 0; r < replicas; ++r)
      if (population_->owns(r)) population_->scalars(r) = scalars[static_cast<std::size_t>(r)];
    return true;
  }

  void finish() {
    result_.best = driver_->best_drawing();
    result_.claimed = driver_->best();
    const ProposalTotals totals = population_->totals();
    result_.proposals_attempted = totals.attempted;
    result_.proposals_evaluated = totals.evaluated;
    result_.proposals_valid = totals.valid;
    result_.proposals_accepted = totals.accepted;
    result_.state_sha256 = population_sha256(*population_);
    if (input_.channel) add_up(result_.traffic);
    if (result_.status == "interrupted" && begun_ && !input_.replay) save();
    result_.wall_time = clock_.seconds();
  }

  void add_up(ExchangeTraffic& traffic) {
    const std::array mine{traffic.bytes, traffic.exchanges, traffic.migrations, traffic.state_bytes};
    const std::vector<std::int64_t> all = input_.channel->all_gather(mine);
    traffic.bytes = traffic.exchanges = traffic.migrations = 0;
    for (std::size_t at = 0; at < all.size(); at += mine.size()) {
      traffic.bytes += all[at];
      traffic.exchanges += all[at + 1];
      traffic.migrations += all[at + 2];
      traffic.state_bytes = std::max(traffic.state_bytes, all[at + 3]);
    }
  }

  // In order of reading. The slots of each rank follow those of the rank before.
  void save() {
    ByteWriter head, slots, tail;
    head.put(kCheckpointVersion);
    head.put(clock_.seconds());
    head.put(result_.start_provider);
    head.put(result_.start_sha256);
    head.put(result_.start);
    head.put(result_.initial);
    const ExchangeTraffic& traffic = result_.traffic;
    head.put(std::array{traffic.state_bytes, traffic.bytes, traffic.exchanges, traffic.migrations});
    head.put(traffic.seconds + channel_seconds_);
    search_->save(head);
    head.put(static_cast<std::int64_t>(population_->size()));
    for (int r = 0; r < population_->size(); ++r) {
      if (!population_->owns(r)) continue;
      slots.put(population_->best_drawing(r));
      slots.put(population_->drawing(r));
      slots.put(population_->scalars(r));
    }
    driver_->save(tail);
    std::vector<std::string> parts;
    if (input_.channel)
      parts = input_.channel->gather(slots.take());
    else
      parts.push_back(slots.take());
    if (parts.empty()) return;  // not rank 0
    result_.checkpoint = head.take();
    for (const std::string& part : parts) result_.checkpoint += part;
    result_.checkpoint += tail.take();
  }

  static constexpr std::int32_t kCheckpointVersion = 2;
  const SolveBackend& backend_;
  SolveInput input_;
  const SolveOptions& options_;
  const SolveCallbacks& callbacks_;
  const double& channel_seconds_;
  ByteReader checkpoint_;
  UnitClock clock_;
  std::unique_ptr<Search> search_;
  bool begun_ = true;  // all start drawings are there: worth a checkpoint
  std::vector<ScheduleRound> recorded_;
  SolveResult result_;
  std::unique_ptr<Population> population_;
  std::optional<Driver> driver_;
};

}  // namespace

SolveResult solve_on(const SolveBackend& backend, const SolveInput& input, const SolveOptions& given,
                     const SolveCallbacks& given_callbacks) {
  SolveCallbacks callbacks = given_callbacks;
  SolveInput task = input;
  double seconds = 0;
  std::optional<MeasuredChannel> channel;
  if (input.channel) {
    task.channel = &channel.emplace(*input.channel, seconds);
    // a rank that is asked does not hang
    callbacks.stop = [&] {
      task.channel->alive();
      return given_callbacks.stop && given_callbacks.stop();
    };
  }
  try {
    const SolveOptions options = resolve_options_on(backend, input.graph, input.grid, input.bound, given);
    if (!options.time_limited && options.steps <= 0)
      throw usage_error("a unit without a time limit needs a number of steps (--steps)");
    SolveResult result = Unit(backend, task, options, callbacks, seconds).run();
    result.traffic.seconds += seconds;
    return result;
  } catch (const Error& error) {
    if (task.channel) task.channel->fail(error);
    throw;
  } catch (const std::bad_alloc&) {
    if (task.channel)
      task.channel->fail(
          Error(ErrorKind::unit, "out of memory on rank " + std::to_string(task.channel->rank())));
    throw;
  } catch (const std::exception& error) {
    if (task.channel) task.channel->fail(Error(ErrorKind::internal, error.what()));
    throw;
  }
}

}  // namespace lcn
