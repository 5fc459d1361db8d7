#include "mpi/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "support/error.hpp"

namespace lcn {

bool launched_in_parallel(const Environment& environment) {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
    if (environment(name) != nullptr) return true;
  return false;
}

void refuse_singletons(int world_size, const Environment& environment) {
  if (world_size != 1) return;
  for (const char* name : {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"}) {
    const char* value = environment(name);
    const long tasks = value ? std::strtol(value, nullptr, 10) : 0;
    if (tasks > 1)
      throw Error(
          ErrorKind::environment,
          fmt::format(
              "launch: {} is {} but MPI sees a single rank (each task would run the whole job by itself, "
              "{} times) start with 'srun --mpi=pmix lcn ...' or 'mpirun lcn ...', or with "
              "'srun --ntasks=1' or {}=1 for one rank on purpose",
              name, tasks, tasks, name));
  }
}

LaunchPlace launch_place(const Environment& environment) {
  // SLURM_NTASKS would not do: it is set for the batch script as well, which is one process
  static const char* const kPairs[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                          {"PMI_RANK", "PMI_SIZE"},
                                          {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
  for (const auto& [rank_name, size_name] : kPairs) {
    const char* rank = environment(rank_name);
    const char* size = environment(size_name);
    if (rank && size) return {std::atoi(rank), std::max(1, std::atoi(size))};
  }
  return {};
}

}  // namespace lcn
