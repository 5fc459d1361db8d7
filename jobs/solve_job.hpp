#pragma once
#include <string>
#include <vector>

#include "jobs/plan.hpp"
#include "jobs/runner.hpp"
#include "mpi/communicator.hpp"

namespace lcn {

// What `lcn solve` was asked for, with defaults filled in.
struct SolveRequest {
  std::vector<std::string> inputs;  // files and folders
  std::vector<std::int64_t> seeds;  // repetitions
  Configuration configuration;      // configuration.start as typed, for warm starts too
  std::string channel = "mpi";      // of ranks that share units: mpi or nccl
  int threads = 1;
  int gpu_team = 0, gpu_group = 0;  // SolveOptions
  std::string out;                  // empty: a fresh folder below runs/
  bool dry_run = false, rerun_failed = false;
  std::string replay;             // unit id or file
  std::vector<std::string> argv;  // for provenance
};

// The options of a unit with this configuration, before `auto` is resolved.
SolveOptions solve_options_of(const Configuration& configuration, int threads);

// Rank 0's part of the main job: read instances, bound, plan, hand out, verify, store, merge. Returns the
// exit code: 0 done, 3 some units or instances failed, 75 stopped early. Throws Error for what ends the job.
int run_solve_job(const Communicator& world, const SolveRequest& request, const Machinery& machinery);

// --replay: repeats a stored unit and compares final tuple, drawing and hashes. Returns 0 when equal;
// Error(rejected) names what differs. Writes nothing.
int replay_unit(const SolveRequest& request, const SolveFunction& solve);

}  // namespace lcn
