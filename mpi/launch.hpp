#pragma once
#include <functional>
#include <string>

namespace lcn {

// Reads one environment variable; null when it is not set. Passed in so that tests can pretend.
using Environment = std::function<const char*(const char*)>;

// Whether mpirun, or srun with an MPI plugin, started this process.
bool launched_in_parallel(const Environment& environment);

// Without the right launcher every task of a Slurm step is silently rank 0 of 1: N copies of one job. Throws
// Error(environment) when Slurm announces more than one task (SLURM_NTASKS or SLURM_STEP_NUM_TASKS) and the
// world has a single rank.
void refuse_singletons(int world_size, const Environment& environment);

// Which of how many processes of a launcher this is, by the environment of Open MPI, PMI or a Slurm step;
// {0, 1} without a launcher. For commands that do not start MPI.
struct LaunchPlace {
  int rank = 0, size = 1;
};
LaunchPlace launch_place(const Environment& environment);

}  // namespace lcn
