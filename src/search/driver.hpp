#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/population.hpp"
#include "search/replica_channel.hpp"
#include "search/solve.hpp"
#include "support/bytes.hpp"

namespace lcn {

// Seconds since the unit's start, those before an interruption included.
class UnitClock {
 public:
  explicit UnitClock(double before = 0) : before_(before) {}
  double seconds() const {
    return before_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  double before_;
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
// instead of the clock. Long rounds are run in parts of about 0.1 s, after each of which a stop is noticed;
// parts are not visible in a trajectory.
//
// With a channel the same search runs on every rank that shares the replicas. Time and stop are those of the
// last boundary: rank 0's clock, and a stop on any rank. So all ranks decide the same.
class Driver {
 public:
  Driver(Population& population, const SolveOptions& options, const SolveInput& input,
         const SolveCallbacks& callbacks, const UnitClock& clock, SolveResult& result);

  Population& population() { return population_; }
  const SolveInput& input() const { return input_; }
  StreamKey key(Purpose purpose) const { return derive_key(input_.seed, purpose, algorithm_); }
  void set_algorithm(const std::string& name) { algorithm_ = name; }

  // The best start drawing is the first improvement.
  void begin();
  // Instead of begin(): goes on where save() was called.
  void restore(ByteReader& state);
  void save(ByteWriter& state) const;

  // Opens a stage that lasts until `until` of the search's budget (0..1, increasing over stages). False when
  // a restored search had opened it already, so that what a stage begins with has been done, or when the unit
  // has ended.
  bool begin_stage(const std::string& name, double until);
  // False: the stage's share is used up, or the unit ends. Otherwise progress() is the stage's progress in
  // [0, 1).
  bool next();
  double progress() const { return progress_; }
  std::int64_t round_index() const { return round_; }
  // Runs the round that next() granted. `plan` proposes temperature and table; in a replay the recorded
  // values are used and written back. temperatures(plan) gives one temperature per slot. When ended() holds
  // afterwards, nothing may follow the round: it may have been left in its middle.
  void run(RoundPlan& plan, EnergyKind energy,
           const std::function<std::vector<std::int64_t>(const RoundPlan&)>& temperatures,
           const std::function<const std::vector<std::int64_t>&(const RoundPlan&)>& table);
  bool ended() const { return ended_; }
  // Smallest K among the present drawings, for the weight table.
  std::int64_t present_K();
  const Tuple& best() const { return best_; }
  const Drawing& best_drawing();  // on all ranks, or on none

 private:
  struct OpenRound {
    std::int64_t granted = 0, done = 0;
    double progress = 0;
    RoundPlan plan;
  };
  double now() const { return channel_ ? agreed_seconds_ : clock_.seconds(); }
  bool stop_wanted() const;
  double budget_used() const;       // of the search's budget, 0..1
  std::int64_t smallest_K() const;  // of this rank's slots
  void meet(double computed);       // what the ranks tell each other at a boundary, after so many seconds
  void take_best();
  void fetch_best();
  void check_goal();
  void end(const std::string& status);

  Population& population_;
  const SolveOptions& options_;
  const SolveInput& input_;
  const SolveCallbacks& callbacks_;
  const UnitClock& clock_;
  SolveResult& result_;
  ReplicaChannel* channel_;
  std::string algorithm_;
  std::string stage_name_;
  std::int64_t stage_ = -1, newest_stage_ = -1, round_ = 0, step_ = 0, granted_ = 0;
  std::size_t replayed_ = 0;
  double stage_from_ = 0, stage_until_ = 1, progress_ = 0;
  double search_start_ = 0;
  double seconds_per_step_ = 0;    // of computing
  double exchange_seconds_ = 0;    // between two parts
  std::optional<OpenRound> open_;  // restored, or left by an interruption
  bool ended_ = false;
  bool has_best_ = false;
  Tuple best_;
  int best_slot_ = 0, best_rank_ = 0;
  Drawing best_drawing_;
  // Ranks send each other the best drawing when it is wanted, and about once a second.
  bool fetched_ = true;
  double fetched_at_ = 0;
  // Of the last boundary.
  double agreed_seconds_ = 0;
  double computed_ = 0;  // of the slowest rank
  bool agreed_stop_ = false;
  std::int64_t present_K_ = 0, present_at_ = 0;  // smallest K; the population's decisions up to there
  Tuple leader_;                                 // best of all slots since their load
  int leader_slot_ = 0;                          // of this rank's slots, or on
  int leader_rank_ = 0;
};

}  // namespace lcn
