#include "jobs/unit_thread.hpp"

#include "jobs/inject.hpp"

namespace lcn {

UnitThread::UnitThread(SolveFunction solve, ChannelFunction join, std::shared_ptr<ReplicaMail> mail,
                       std::string host)
    : solve_(std::move(solve)), join_(std::move(join)), mail_(std::move(mail)), host_(std::move(host)) {}

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
    outcome_ = compute();
    outcome_->record.rank = mail_->rank();
    outcome_->record.host = host_;
    if (outcome_->record.status == "failed") channel_.reset();
  } catch (...) {
    channel_.reset();
    failure_ = std::current_exception();
  }
  done_ = true;
}

UnitOutcome UnitThread::compute() {
  const int rank = mail_->rank();
  SolveCallbacks callbacks;
  callbacks.stop = [this] { return stop_.load(); };
  callbacks.between_rounds = [rank] { inject_failure("round", rank); };
  if (!task_.shared || rank == 0)
    callbacks.improved = [this](const Tuple&, const Drawing& drawing, const Improvement&) {
      const std::lock_guard lock(mutex_);
      best_ = drawing;
    };
  if (!task_.shared) {
    inject_failure("compute", rank);
    return run_unit(task_, *instance_, solve_, callbacks);
  }
  mail_->open(task_.number);
  try {
    inject_failure("compute", rank);
    if (!channel_) channel_ = join_(mail_, task_);
    inject_failure("join", rank);
  } catch (const Error& error) {
    mail_->fail(error);
    throw;
  }
  return run_unit(task_, *instance_, solve_, callbacks, channel_.get());
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
