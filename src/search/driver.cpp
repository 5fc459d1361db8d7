#include "search/driver.hpp"

#include <algorithm>
#include <cmath>

namespace lcn {
namespace {

// A budget of steps is cut into this many rounds (between 20 and 5,000 steps each): a pure function of the
// budget.
constexpr std::int64_t kRoundsPerBudget = 600;
// A budget of seconds: rounds of about 1/600 of it, between 2 ms and 0.1 s, so that signals are seen in time.
constexpr double kShortestRound = 0.002, kLongestRound = 0.1;

}  // namespace

Driver::Driver(Population& population, const std::vector<Drawing>& starts, const SolveOptions& options,
               const SolveInput& input, const SolveCallbacks& callbacks, const UnitClock& clock,
               SolveResult& result)
    : population_(population),
      starts_(starts),
      options_(options),
      input_(input),
      callbacks_(callbacks),
      clock_(clock),
      result_(result),
      search_start_(clock.seconds()) {
  take_best();
}

double Driver::budget_used() const {
  double used = 0;
  if (options_.steps > 0) used = static_cast<double>(step_) / static_cast<double>(options_.steps);
  if (options_.time_limited) {
    // The last two per cent are left for the result's own costs.
    const double span = std::max(options_.time * 0.98 - search_start_, 1e-3);
    used = std::max(used, (clock_.seconds() - search_start_) / span);
  }
  return used;
}

void Driver::begin_stage(const std::string& name, double until) {
  stage_name_ = name;
  stage_from_ = stage_ < 0 ? 0.0 : stage_until_;
  stage_until_ = until;
  ++stage_;
  result_.stages.push_back(name);
}

bool Driver::next() {
  if (ended_) return false;
  if (callbacks_.stop && callbacks_.stop()) {
    end("interrupted");
    return false;
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
        std::clamp(options_.time / static_cast<double>(kRoundsPerBudget), kShortestRound, kLongestRound);
    const double left = options_.time * 0.99 - clock_.seconds();
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
  PopulationRound round;
  round.key = key(Purpose::chain);
  round.first_step = step_;
  round.steps = granted_;
  round.energy = energy;
  round.table = &table(plan);
  const double before = clock_.seconds();
  population_.run(round, temperatures(plan));
  const double rate = (clock_.seconds() - before) / static_cast<double>(granted_);
  seconds_per_step_ = seconds_per_step_ > 0 ? 0.7 * seconds_per_step_ + 0.3 * rate : rate;
  result_.schedule.push_back({stage_, granted_, plan.temperature, plan.table_K});
  step_ += granted_;
  ++round_;
  result_.replica_steps = step_ * population_.size();
  take_best();
}

std::int64_t Driver::present_K() const {
  std::int64_t K = population_.tuple(0).K;
  for (int r = 1; r < population_.size(); ++r) K = std::min(K, population_.tuple(r).K);
  return K;
}

void Driver::take_best() {
  int best_slot = -1;
  for (int r = 0; r < population_.size(); ++r) {
    const Tuple& tuple = population_.scalars(r).best;
    if (!has_best_ || tuple < best_) {
      best_ = tuple;
      best_slot = r;
      has_best_ = true;
    }
  }
  if (best_slot >= 0) {
    best_drawing_ = population_.best_drawing(best_slot);
    const Improvement improvement{clock_.seconds(), step_, stage_name_, best_};
    result_.trace.push_back(improvement);
    result_.time_to_best = improvement.seconds;
    result_.best_stage = stage_name_.empty() ? "start" : stage_name_;
    if (callbacks_.improved) callbacks_.improved(best_, best_drawing_, improvement);
  }
  if (options_.target_K && best_.K <= *options_.target_K && !result_.target_reached) {
    result_.target_reached = true;
    result_.time_to_target = clock_.seconds();
  }
  if (best_.K <= input_.bound.value)
    end("optimal");
  else if (result_.target_reached)
    end("target");
}

void Driver::end(const std::string& status) {
  if (ended_) return;
  ended_ = true;
  result_.status = status;
}

}  // namespace lcn
