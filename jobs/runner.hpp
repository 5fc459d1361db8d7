#pragma once
#include <cstddef>
#include <functional>
#include <memory>

#include "jobs/claim.hpp"
#include "jobs/progress.hpp"
#include "jobs/unit_task.hpp"
#include "jobs/unit_thread.hpp"
#include "jobs/verifier.hpp"
#include "mpi/communicator.hpp"

namespace lcn {

// Intervals and deadlines in seconds, each with the environment variable that overrides it.
struct RunSettings {
  double best_interval = 30;  // LCN_BEST_INTERVAL: how often the best drawing of a running unit is stored
  double heartbeat = 60;      // LCN_HEARTBEAT: how often a log hears that the job lives
  double silence = 30;  // LCN_SILENCE: a rank that was not heard of for so long is lost, and the job with it
  // LCN_STOP_DEADLINE: after a failure, for all ranks to stop; then the job is aborted. After a signal or a
  // failure, for results to be verified; then they are given up.
  double stop_deadline = 5;
};
RunSettings run_settings_from_environment();  // Error(usage) for a value that is not a positive number

// What rank 0 hands out, by index in order.
struct Job {
  std::size_t units = 0;
  std::function<UnitTask(std::size_t)> task;
  std::function<std::shared_ptr<const Instance>(std::size_t)> instance;
  std::function<Claim(std::size_t)> claim;  // asked before a unit is handed out; empty: all are taken
  bool shared = false;  // all ranks compute each unit together (UnitTask::shared), one unit after another
};

// What a rank computes with.
struct Machinery {
  SolveFunction solve;
  ChannelFunction join;  // for units that ranks share
};

struct RunSummary {
  std::size_t done = 0;         // verified and stored
  std::size_t failed = 0;       // stored as failed or rejected
  std::size_t interrupted = 0;  // stopped early
  bool stopped = false;         // a signal ended the run before its last unit
};

// Rank 0: hands out the units one by one to all ranks, itself included, collects, verifies and stores the
// results. Computing and verifying run in threads of their own: handing out and collecting wait for neither.
// When stop_requested() turns true, here or on any rank, running units are interrupted at their next round
// boundary. A unit that another job has in work is asked for again every second while ranks are at work, and
// once more before the end; the run does not wait for it. Throws Error(environment) naming rank, host and
// reason when something outside the units fails anywhere; all ranks have stopped then. A rank that does not
// stop, or is lost, ends in an abort with exit code 4.
RunSummary run_units(Communicator world, const Job& job, ResultStore& store, Progress& progress,
                     const Machinery& machinery, const RunSettings& settings,
                     const std::function<bool()>& stop_requested);

// The other ranks: compute what rank 0 hands out until it dismisses them. Returns the exit code given there.
int serve_units(Communicator world, const Machinery& machinery, const RunSettings& settings,
                const std::function<bool()>& stop_requested);

// Rank 0, at the very end: lets the others go with this exit code.
void dismiss_ranks(Communicator world, int exit_code);

}  // namespace lcn
