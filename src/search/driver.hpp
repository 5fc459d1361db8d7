#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "search/population.hpp"
#include "search/solve.hpp"

namespace lcn {

// Seconds since the unit's start.
class UnitClock {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// What a search decides for one round, given the progress of its budget.
struct RoundPlan {
  std::int64_t temperature = 0;  // recorded; of the cold end for a ladder
  std::int64_t table_K = 0;      // recorded; 0: the linear table
};

// Runs rounds of a population within the unit's budget, keeps the best drawing, the trace and the schedule,
// and knows when to stop. A search asks next() whether another round of its stage may run and with how many
// steps, then calls run(). With `replay` the recorded rounds decide stage, steps, temperature and table
// instead of the clock.
class Driver {
 public:
  Driver(Population& population, const std::vector<Drawing>& starts, const SolveOptions& options,
         const SolveInput& input, const SolveCallbacks& callbacks, const UnitClock& clock,
         SolveResult& result);

  Population& population() { return population_; }
  const SolveInput& input() const { return input_; }
  const std::vector<Drawing>& starts() const { return starts_; }
  StreamKey key(Purpose purpose) const { return derive_key(input_.seed, purpose, algorithm_); }
  void set_algorithm(const std::string& name) { algorithm_ = name; }

  // Opens a stage that lasts until `until` of the search's budget (0..1, increasing over stages).
  void begin_stage(const std::string& name, double until);
  // False: the stage's share is used up, or the unit ends. Otherwise progress() is the stage's progress in
  // [0, 1).
  bool next();
  double progress() const { return progress_; }
  std::int64_t round_index() const { return round_; }
  // Runs the round that next() granted. `plan` proposes temperature and table; in a replay the recorded
  // values are used and written back. temperatures(plan) gives one temperature per slot.
  void run(RoundPlan& plan, EnergyKind energy,
           const std::function<std::vector<std::int64_t>(const RoundPlan&)>& temperatures,
           const std::function<const std::vector<std::int64_t>&(const RoundPlan&)>& table);
  bool ended() const { return ended_; }
  // Smallest K among the present drawings, for the weight table.
  std::int64_t present_K() const;
  const Tuple& best() const { return best_; }
  const Drawing& best_drawing() const { return best_drawing_; }
  // Looks at every slot's best; records improvements; decides whether the unit ends.
  void take_best();

 private:
  double budget_used() const;  // of the search's budget, 0..1
  void end(const std::string& status);

  Population& population_;
  const std::vector<Drawing>& starts_;
  const SolveOptions& options_;
  const SolveInput& input_;
  const SolveCallbacks& callbacks_;
  const UnitClock& clock_;
  SolveResult& result_;
  std::string algorithm_;
  std::string stage_name_;
  std::int64_t stage_ = -1, round_ = 0, step_ = 0, granted_ = 0;
  std::size_t replayed_ = 0;
  double stage_from_ = 0, stage_until_ = 1, progress_ = 0;
  double search_start_ = 0;
  double seconds_per_step_ = 0;
  bool ended_ = false;
  bool has_best_ = false;
  Tuple best_;
  Drawing best_drawing_;
};

}  // namespace lcn
