#pragma once
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "jobs/unit_task.hpp"
#include "mpi/replica_mail.hpp"

namespace lcn {

// Joins this rank, by its mail, to the others that compute a unit together. All ranks call it in their
// computing threads.
using ChannelFunction =
    std::function<std::unique_ptr<ReplicaChannel>(std::shared_ptr<ReplicaMail>, const UnitTask&)>;

// Computes units in a thread of its own, one at a time, so that the rank's main thread stays free for
// messages. A channel is kept from unit to unit until one fails.
class UnitThread {
 public:
  UnitThread(SolveFunction solve, ChannelFunction join, std::shared_ptr<ReplicaMail> mail, std::string host);
  // A unit that runs is told to stop and waited for.
  ~UnitThread();
  UnitThread(const UnitThread&) = delete;
  UnitThread& operator=(const UnitThread&) = delete;

  bool busy() const { return thread_.joinable(); }
  // Only when not busy.
  void start(UnitTask task, std::shared_ptr<const Instance> instance);
  const UnitTask& task() const { return task_; }
  const std::shared_ptr<const Instance>& instance() const { return instance_; }

  // The result of the unit once it is done; the thread is then free. Rethrows what ends the job.
  std::optional<UnitOutcome> take_outcome();
  // The best drawing since the last call, if it improved.
  std::optional<Drawing> take_best();
  // Gives the channel up; only when not busy, and on all ranks at about the same time.
  void leave() { channel_.reset(); }
  void stop() { stop_ = true; }  // at the next round boundary; holds for later units too

 private:
  void run();
  UnitOutcome compute();
  SolveFunction solve_;
  ChannelFunction join_;
  std::shared_ptr<ReplicaMail> mail_;
  std::unique_ptr<ReplicaChannel> channel_;
  std::string host_;
  UnitTask task_;
  std::shared_ptr<const Instance> instance_;
  std::thread thread_;
  std::atomic<bool> stop_{false}, done_{false};
  std::mutex mutex_;  // guards best_
  std::optional<Drawing> best_;
  std::optional<UnitOutcome> outcome_;  // read after done_
  std::exception_ptr failure_;
};

}  // namespace lcn
