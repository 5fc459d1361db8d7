#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "jobs/unit_task.hpp"
#include "support/stop.hpp"

namespace lcn {

// Tuple of a record that has no verified drawing.
inline constexpr Tuple kNoTuple{-1, -1, -1, -1};

// Where verified results go. Called from the verifier's thread only; throws Error(environment) when it cannot
// write.
class ResultStore {
 public:
  virtual ~ResultStore() = default;
  virtual void store_unit(const UnitRecord& record, const Instance& instance) = 0;
  // A verified drawing of a unit that still runs, was interrupted, or is done.
  virtual void store_best(const UnitRecord& unit, const Instance& instance, const Drawing& drawing,
                          const Tuple& tuple) = 0;
  // What an interrupted unit needs to go on.
  virtual void store_checkpoint(const UnitRecord& unit, const std::string& state) = 0;
  // A drawing that was refused, with the reason in record.error.
  virtual void store_diagnostic(const UnitRecord& record, const Instance& instance,
                                const Drawing& drawing) = 0;
};

// Recounts the drawings of an outcome with the oracle and the validator and fills `final`, `initial` and
// `optimal`. A claim that differs from what is verified makes the unit `failed`, an invalid drawing makes it
// `rejected`; `error` then says why. Returns whether the drawing may be published. O(m^2). Stopped when
// `stop` turned true.
bool verify_outcome(const Instance& instance, UnitOutcome& outcome, const StopFunction& stop = {});

// Verifies and stores in a thread of its own, since recounting takes seconds for large graphs. Results come
// before drawings of running units, of which only the latest is kept.
class Verifier {
 public:
  explicit Verifier(ResultStore& store);
  ~Verifier();  // drops what is still waiting
  Verifier(const Verifier&) = delete;
  Verifier& operator=(const Verifier&) = delete;

  void add_outcome(std::shared_ptr<const Instance> instance, UnitOutcome outcome);
  // `unit` tells whose drawing it is (record_of).
  void add_best(std::shared_ptr<const Instance> instance, UnitRecord unit, Drawing drawing);

  // The job ends and has no time: what is not verified now is given up, a result as an interrupted unit.
  void give_up() { give_up_ = true; }

  // The next unit that has been verified and stored. Rethrows what stopped the thread.
  std::optional<UnitRecord> take_verified();
  bool idle();  // nothing waits, nothing is in work

 private:
  struct Item {
    std::shared_ptr<const Instance> instance;
    UnitOutcome outcome;
  };
  void run();
  StopFunction give_up_wanted() const {
    return [this] { return give_up_.load(); };
  }
  void handle_outcome(Item item);
  void handle_best(const Item& item);

  ResultStore& store_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> outcomes_, bests_;
  std::deque<UnitRecord> verified_;
  std::exception_ptr failure_;
  std::atomic<bool> give_up_{false};
  bool working_ = false, quit_ = false;
  std::thread thread_;
};

}  // namespace lcn
