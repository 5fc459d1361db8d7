#include "search/driver.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "support/error.hpp"

namespace lcn {
namespace {

// A budget of steps is cut into this many rounds (between 20 and 5,000 steps each): a pure function of the
// budget.
constexpr std::int64_t kRoundsPerBudget = 600;
// A budget of seconds: rounds of about 1/600 of it, between 2 ms and 0.1 s, so that signals are seen in time.
constexpr double kShortestRound = 0.002, kLongestRound = 0.1;
// A round shall last this many times as long as the ranks' exchange after it, but leave so many rounds.
constexpr double kExchangesPerRound = 100, kFewestRounds = 100;
constexpr double kBestInterval = 1;  // seconds between two looks of all ranks at the best drawing
// A rate is unknown before the first part of the first round.
constexpr std::int64_t kFirstPart = 20;  // steps,
constexpr double kFirstWork = 3e8;       // of about so many tests of edges (0.2 s on one core) together

std::string drawing_bytes(const Drawing& drawing) {
  ByteWriter writer;
  writer.put(drawing);
  return writer.take();
}

// A pure function, so that ranks agree.
std::int64_t first_part(const Graph& graph, int replicas) {
  const double m = graph.m(), n = std::max(graph.n(), 1);
  const double step = 2 * m * (1 + 2 * m / n) * replicas;
  return static_cast<std::int64_t>(std::clamp(kFirstWork / std::max(step, 1.0), 1.0, 1.0 * kFirstPart));
}

}  // namespace

Driver::Driver(Population& population, const SolveOptions& options, const SolveInput& input,
               const SolveCallbacks& callbacks, const UnitClock& clock, SolveResult& result)
    : population_(population),
      options_(options),
      input_(input),
      callbacks_(callbacks),
      clock_(clock),
      result_(result),
      channel_(input.channel) {}

void Driver::begin() {
  meet(0);
  search_start_ = now();
  take_best();
  check_goal();
}

bool Driver::stop_wanted() const {
  return channel_ ? agreed_stop_ : callbacks_.stop && callbacks_.stop();
}

double Driver::budget_used() const {
  double used = 0;
  if (options_.steps > 0) used = static_cast<double>(step_) / static_cast<double>(options_.steps);
  if (options_.time_limited) {
    // The last two per cent are left for the result's own costs.
    const double span = std::max(options_.time * 0.98 - search_start_, 1e-3);
    used = std::max(used, (now() - search_start_) / span);
  }
  return used;
}

bool Driver::begin_stage(const std::string& name, double until) {
  if (ended_) return false;
  stage_name_ = name;
  stage_from_ = stage_ < 0 ? 0.0 : stage_until_;
  stage_until_ = until;
  ++stage_;
  if (stage_ <= newest_stage_) return false;
  newest_stage_ = stage_;
  result_.stages.push_back(name);
  return true;
}

bool Driver::next() {
  if (ended_ || stage_ < newest_stage_) return false;
  if (stop_wanted()) {
    end("interrupted");
    return false;
  }
  if (open_) {
    granted_ = open_->granted;
    progress_ = open_->progress;
    return true;
  }
  if (input_.replay) {
    if (replayed_ >= input_.replay->size()) {
      end("ok");
      return false;
    }
    const ScheduleRound& recorded = (*input_.replay)[replayed_];
    if (recorded.stage != stage_) return false;
    granted_ = recorded.steps;
    progress_ = 0;
    return true;
  }
  const double used = budget_used();
  if (used >= 1.0) {
    end("ok");
    return false;
  }
  if (used >= stage_until_) return false;
  progress_ = std::clamp((used - stage_from_) / std::max(stage_until_ - stage_from_, 1e-12), 0.0, 1.0);
  granted_ = 5000;
  if (options_.steps > 0)
    granted_ = std::min(std::clamp<std::int64_t>(options_.steps / kRoundsPerBudget, 20, 5000),
                        options_.steps - step_);
  if (options_.time_limited) {
    const double wished =
        std::clamp(std::max(options_.time / static_cast<double>(kRoundsPerBudget),
                            std::min(kExchangesPerRound * exchange_seconds_, options_.time / kFewestRounds)),
                   kShortestRound, kLongestRound);
    const double left = options_.time * 0.99 - now();
    const auto fitting =
        seconds_per_step_ > 0
            ? static_cast<std::int64_t>(std::max(0.0, std::min(wished, left)) / seconds_per_step_)
            : std::int64_t{4};
    granted_ =
        std::clamp<std::int64_t>(fitting, 1, std::min<std::int64_t>(granted_ * 1000, std::int64_t{1} << 24));
    if (options_.steps > 0) granted_ = std::min(granted_, options_.steps - step_);
  }
  return true;
}

void Driver::run(RoundPlan& plan, EnergyKind energy,
                 const std::function<std::vector<std::int64_t>(const RoundPlan&)>& temperatures,
                 const std::function<const std::vector<std::int64_t>&(const RoundPlan&)>& table) {
  if (input_.replay) {
    plan.temperature = (*input_.replay)[replayed_].temperature;
    plan.table_K = (*input_.replay)[replayed_].table_K;
    ++replayed_;
  }
  std::int64_t done = 0;
  if (open_) {
    plan = open_->plan;
    done = open_->done;
    open_.reset();
  }
  PopulationRound round;
  round.key = key(Purpose::chain);
  round.energy = energy;
  round.table = &table(plan);
  const std::vector<std::int64_t> slots = temperatures(plan);
  while (done < granted_) {
    const auto part = seconds_per_step_ > 0
                          ? static_cast<std::int64_t>(std::min(kLongestRound / seconds_per_step_, 1e12))
                          : first_part(input_.graph, population_.size());
    round.first_step = step_;
    round.steps = std::clamp<std::int64_t>(part, 1, granted_ - done);
    done += round.steps;
    round.ends = done == granted_;
    const double before = now(), start = clock_.seconds();
    population_.run(round, slots);
    step_ += round.steps;
    if (callbacks_.between_rounds) callbacks_.between_rounds();
    meet(clock_.seconds() - start);
    const auto smooth = [](double& value, double sample) {
      value = value > 0 ? 0.7 * value + 0.3 * sample : sample;
    };
    smooth(seconds_per_step_, computed_ / static_cast<double>(round.steps));
    if (channel_) smooth(exchange_seconds_, std::max(0.0, now() - before - computed_));
    if (!round.ends && stop_wanted()) {
      open_ = OpenRound{granted_, done, progress_, plan};
      take_best();
      end("interrupted");
      return;
    }
  }
  result_.schedule.push_back({stage_, granted_, plan.temperature, plan.table_K});
  ++round_;
  result_.replica_steps = step_ * population_.size();
  take_best();
  check_goal();
}

std::int64_t Driver::smallest_K() const {
  std::int64_t K = -1;
  for (int r = 0; r < population_.size(); ++r)
    if (population_.owns(r) && (K < 0 || population_.tuple(r).K < K)) K = population_.tuple(r).K;
  return K;
}

std::int64_t Driver::present_K() {
  if (channel_ && population_.decisions() == present_at_) return present_K_;  // nothing moved since
  std::int64_t K = smallest_K();
  if (channel_)
    for (const std::int64_t theirs : channel_->all_gather(std::span(&K, 1))) K = std::min(K, theirs);
  return K;
}

void Driver::meet(double computed) {
  computed_ = computed;
  bool any = false;
  for (int r = 0; r < population_.size(); ++r) {
    if (!population_.owns(r)) continue;
    const Tuple& tuple = population_.scalars(r).best;
    if (any && !(tuple < leader_)) continue;
    leader_ = tuple;
    leader_slot_ = r;
    any = true;
  }
  if (!channel_) return;
  constexpr std::size_t kWords = 10;
  const bool stop = callbacks_.stop && callbacks_.stop();
  const std::array<std::int64_t, kWords> mine{leader_.K,
                                              leader_.n_K,
                                              leader_.Phi,
                                              leader_.C,
                                              leader_slot_,
                                              stop ? 1 : 0,
                                              std::llround(clock_.seconds() * 1e9),
                                              population_.decisions(),
                                              std::llround(computed * 1e9),
                                              smallest_K()};
  const std::vector<std::int64_t> all = channel_->all_gather(mine);
  agreed_stop_ = false;
  agreed_seconds_ = static_cast<double>(all[6]) * 1e-9;
  present_K_ = all[9];
  present_at_ = population_.decisions();
  for (int rank = 0; rank < channel_->size(); ++rank) {
    const std::span row = std::span(all).subspan(static_cast<std::size_t>(rank) * kWords, kWords);
    const Tuple tuple{row[0], row[1], row[2], row[3]};
    if (rank == 0 || tuple < leader_) {
      leader_ = tuple;
      leader_slot_ = static_cast<int>(row[4]);
      leader_rank_ = rank;
    }
    agreed_stop_ = agreed_stop_ || row[5] != 0;
    present_K_ = std::min(present_K_, row[9]);
    computed_ = rank == 0 ? static_cast<double>(row[8]) * 1e-9
                          : std::max(computed_, static_cast<double>(row[8]) * 1e-9);
    if (row[7] != all[7])
      throw Error(ErrorKind::environment,
                  "rank " + std::to_string(rank) +
                      " decided differently from rank 0 (their mathematical libraries or processors round "
                      "differently) run on equal machines, or with --distribute units");
  }
}

void Driver::take_best() {
  const bool first = !has_best_;
  if (!first && !(leader_ < best_)) return;
  best_ = leader_;
  best_slot_ = leader_slot_;  // others may reach the same tuple before its drawing is fetched
  best_rank_ = leader_rank_;
  has_best_ = true;
  fetched_ = false;
  result_.trace.push_back({now(), step_, stage_name_, best_});
  result_.time_to_best = now();
  result_.best_stage = stage_name_.empty() ? "start" : stage_name_;
  if (!channel_ || first || now() - fetched_at_ >= kBestInterval) fetch_best();
}

void Driver::fetch_best() {
  if (fetched_) return;
  if (channel_) {
    population_.settle();
    const bool mine = channel_->rank() == best_rank_;
    const std::string bytes = channel_->broadcast(
        best_rank_, mine ? drawing_bytes(population_.best_drawing(best_slot_)) : std::string());
    ByteReader(bytes).get(best_drawing_);
  } else {
    best_drawing_ = population_.best_drawing(best_slot_);
  }
  fetched_ = true;
  fetched_at_ = now();
  if (callbacks_.improved) callbacks_.improved(best_, best_drawing_, result_.trace.back());
}

const Drawing& Driver::best_drawing() {
  fetch_best();
  return best_drawing_;
}

void Driver::check_goal() {
  if (options_.target_K && best_.K <= *options_.target_K && !result_.target_reached) {
    result_.target_reached = true;
    result_.time_to_target = now();
  }
  if (best_.K <= input_.bound.value)
    end("optimal");
  else if (result_.target_reached)
    end("target");
}

void Driver::end(const std::string& status) {
  if (ended_) return;
  fetch_best();
  ended_ = true;
  result_.status = status;
}

void Driver::save(ByteWriter& state) const {
  state.put(newest_stage_);
  state.put(round_);
  state.put(step_);
  state.put(search_start_);
  state.put(open_.has_value());
  state.put(open_.value_or(OpenRound{}));
  state.put(best_);
  state.put(best_drawing_);
  state.put(static_cast<std::uint64_t>(result_.stages.size()));
  for (const std::string& name : result_.stages) state.put(name);
  state.put(static_cast<std::uint64_t>(result_.trace.size()));
  for (const Improvement& i : result_.trace) {
    state.put(i.seconds);
    state.put(i.step);
    state.put(i.stage);
    state.put(i.tuple);
  }
  state.put(result_.schedule);
  state.put(result_.best_stage);
  state.put(result_.time_to_best);
  state.put(result_.replica_steps);
}

void Driver::restore(ByteReader& state) {
  state.get(newest_stage_);
  state.get(round_);
  state.get(step_);
  state.get(search_start_);
  const bool open = state.get<bool>();
  const auto open_round = state.get<OpenRound>();
  if (open) open_ = open_round;
  state.get(best_);
  state.get(best_drawing_);
  has_best_ = fetched_ = true;
  for (auto left = state.get<std::uint64_t>(); left > 0; --left)
    result_.stages.push_back(state.get<std::string>());
  for (auto left = state.get<std::uint64_t>(); left > 0; --left) {
    Improvement i;
    state.get(i.seconds);
    state.get(i.step);
    state.get(i.stage);
    state.get(i.tuple);
    result_.trace.push_back(std::move(i));
  }
  state.get(result_.schedule);
  state.get(result_.best_stage);
  state.get(result_.time_to_best);
  state.get(result_.replica_steps);
  meet(0);
}

}  // namespace lcn
