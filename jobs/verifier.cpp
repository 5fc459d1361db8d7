#include "jobs/verifier.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "crossings/oracle.hpp"
#include "crossings/validator.hpp"
#include "jobs/inject.hpp"
#include "support/error.hpp"
#include "support/plural.hpp"

namespace lcn {
namespace {

// Why a drawing is not a valid one of this instance; empty when it is.
std::string invalidity(const Instance& instance, const Drawing& drawing, const char* what,
                       const StopFunction& stop) {
  if (drawing.size() != static_cast<std::size_t>(instance.graph.n()))
    return fmt::format("{} has {} for {}", what, plural(drawing.size(), "point"),
                       plural(instance.graph.n(), "vertex", "vertices"));
  const Validation validation = validate(instance.graph, instance.grid, drawing, 100, stop);
  if (validation.valid()) return {};
  return fmt::format("{} violates {}", what, fmt::join(validation.codes(), ", "));
}

// Why the verified values contradict what was claimed; empty when they do not.
std::string contradiction(const UnitRecord& record, const Tuple& claimed_initial) {
  if (record.final != record.claimed)
    return fmt::format("claimed {} but verified {}", to_string(record.claimed), to_string(record.final));
  if (record.initial != claimed_initial)
    return fmt::format("start: claimed {} but verified {}", to_string(claimed_initial),
                       to_string(record.initial));
  if (record.final > record.initial)
    return fmt::format("result {} is worse than its start {}", to_string(record.final),
                       to_string(record.initial));
  if (record.final.K < record.lower_bound)
    return fmt::format("K = {} is below the certified bound {}", record.final.K, record.lower_bound);
  if (record.status == "optimal" && record.final.K != record.lower_bound)
    return fmt::format("claimed optimal but K = {} and the bound is {}", record.final.K, record.lower_bound);
  if (record.target_reached && record.final.K > record.target_K)
    return fmt::format("claimed target {} but K = {}", record.target_K, record.final.K);
  return {};
}

}  // namespace

bool verify_outcome(const Instance& instance, UnitOutcome& outcome, const StopFunction& stop) {
  UnitRecord& record = outcome.record;
  const Tuple claimed_initial = record.initial;
  record.final = record.initial = kNoTuple;
  record.optimal = false;
  if (record.status == "failed") {
    record.claimed = kNoTuple;
    return false;
  }
  if (record.status == "interrupted" && record.drawing.empty() && instance.graph.n() > 0) {
    record.claimed = kNoTuple;
    record.error = "before its search began";
    return false;
  }
  std::string reason = invalidity(instance, record.drawing, "drawing", stop);
  if (reason.empty()) reason = invalidity(instance, outcome.start, "start drawing", stop);
  if (!reason.empty()) {
    record.status = "rejected";
    record.error = "rejected: " + reason;
    return false;
  }
  record.final = oracle_tuple(instance.graph, record.drawing, stop);
  record.initial =
      outcome.start == record.drawing ? record.final : oracle_tuple(instance.graph, outcome.start, stop);
  reason = contradiction(record, claimed_initial);
  if (!reason.empty()) {
    record.status = "failed";
    record.error = "rejected: " + reason;
    record.final = record.initial = kNoTuple;
    return false;
  }
  record.optimal = record.final.K == record.lower_bound;
  return true;
}

Verifier::Verifier(ResultStore& store) : store_(store), thread_([this] { run(); }) {}

Verifier::~Verifier() {
  give_up();
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Verifier::add_outcome(std::shared_ptr<const Instance> instance, UnitOutcome outcome) {
  {
    const std::lock_guard lock(mutex_);
    // the result makes older drawings of this unit worthless
    std::erase_if(bests_, [&](const Item& item) { return item.outcome.record.unit == outcome.record.unit; });
    outcomes_.push_back({std::move(instance), std::move(outcome)});
  }
  changed_.notify_all();
}

void Verifier::add_best(std::shared_ptr<const Instance> instance, UnitRecord unit, Drawing drawing) {
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(bests_, [&](const Item& item) { return item.outcome.record.unit == unit.unit; });
    unit.drawing = std::move(drawing);
    bests_.push_back({std::move(instance), {std::move(unit), {}}});
  }
  changed_.notify_all();
}

std::optional<UnitRecord> Verifier::take_verified() {
  const std::lock_guard lock(mutex_);
  if (!verified_.empty()) {
    UnitRecord record = std::move(verified_.front());
    verified_.pop_front();
    return record;
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  return std::nullopt;
}

bool Verifier::idle() {
  const std::lock_guard lock(mutex_);
  // a failure that nobody has taken yet must not end the run as if all were stored
  return !failure_ && (quit_ || (outcomes_.empty() && bests_.empty() && verified_.empty() && !working_));
}

void Verifier::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return quit_ || !outcomes_.empty() || !bests_.empty(); });
    if (quit_) return;
    const bool is_outcome = !outcomes_.empty();
    auto& queue = is_outcome ? outcomes_ : bests_;
    Item item = std::move(queue.front());
    queue.pop_front();
    working_ = true;
    lock.unlock();
    std::exception_ptr failure;
    try {
      if (is_outcome)
        handle_outcome(std::move(item));
      else
        handle_best(item);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    working_ = false;
    if (failure) {  // nothing more can be stored
      failure_ = failure;
      quit_ = true;
      return;
    }
  }
}

void Verifier::handle_outcome(Item item) {
  UnitRecord& record = item.outcome.record;
  bool publish = false, unverified = false;
  try {
    publish = verify_outcome(*item.instance, item.outcome, give_up_wanted());
  } catch (const Stopped&) {
    unverified = true;
    record.status = "interrupted";
    record.error = "the job ended before its result was verified";
    record.claimed = record.final = record.initial = kNoTuple;
    record.drawing.clear();
  }
  inject_failure("write", 0);
  if (publish) {
    store_.store_best(record, *item.instance, record.drawing, record.final);
  } else if (!record.drawing.empty()) {
    store_.store_diagnostic(record, *item.instance, record.drawing);
    record.drawing.clear();
  }
  // an interrupted unit is not done: the same command computes it again
  if (record.status != "interrupted")
    store_.store_unit(record, *item.instance);
  else if ((publish || unverified) && !item.outcome.checkpoint.empty())
    store_.store_checkpoint(record, item.outcome.checkpoint);
  record.trace.clear();
  record.schedule.clear();
  const std::lock_guard lock(mutex_);
  verified_.push_back(std::move(record));
}

void Verifier::handle_best(const Item& item) {
  const Drawing& drawing = item.outcome.record.drawing;
  Tuple tuple;
  try {
    const StopFunction stop = give_up_wanted();
    if (!invalidity(*item.instance, drawing, "drawing", stop).empty()) return;  // the unit's result will tell
    tuple = oracle_tuple(item.instance->graph, drawing, stop);
  } catch (const Stopped&) {
    return;
  }
  store_.store_best(item.outcome.record, *item.instance, drawing, tuple);
}

}  // namespace lcn
