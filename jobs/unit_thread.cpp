#include "jobs/unit_thread.hpp"

#include "jobs/inject.hpp"

namespace lcn {

UnitThread::UnitThread(SolveFunction solve, int rank, std::string host)
    : solve_(std::move(solve)), rank_(rank), host_(std::move(host)) {}

UnitThread::~UnitThread() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void UnitThread::start(UnitTask task, std::shared_ptr<const Instance> instance) {
  task_ = std::move(task);
  instance_ = std::move(instance);
  best_.reset();
  outcome_.reset();
  failure_ = nullptr;
  done_ = false;
  thread_ = std::thread([this] { run(); });
}

void UnitThread::run() {
  try {
    inject_failure("compute", rank_);
    SolveCallbacks callbacks;
    callbacks.stop = [this] { return stop_.load(); };
    callbacks.improved = [this](const Tuple&, const Drawing& drawing, const Improvement&) {
      const std::lock_guard lock(mutex_);
      best_ = drawing;
    };
    outcome_ = run_unit(task_, *instance_, solve_, callbacks);
    outcome_->record.rank = rank_;
    outcome_->record.host = host_;
  } catch (...) {
    failure_ = std::current_exception();
  }
  done_ = true;
}

std::optional<UnitOutcome> UnitThread::take_outcome() {
  if (!thread_.joinable() || !done_) return std::nullopt;
  thread_.join();
  if (failure_) std::rethrow_exception(failure_);
  return std::move(outcome_);
}

std::optional<Drawing> UnitThread::take_best() {
  const std::lock_guard lock(mutex_);
  return std::exchange(best_, std::nullopt);
}

}  // namespace lcn
