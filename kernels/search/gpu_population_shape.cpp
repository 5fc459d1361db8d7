#include <algorithm>
#include <string>

#include "kernels/search/gpu_population.hpp"
#include "kernels/search/limits.hpp"
#include "support/error.hpp"

namespace lcn {

void check_gpu_population_options(const GpuPopulationOptions& options) {
  if (options.lanes % kWarpLanes != 0 || options.lanes < 0 || options.lanes > kMaxTeamLanes)
    throw usage_error("GPU: a team has a multiple of 32 lanes up to " + std::to_string(kMaxTeamLanes) +
                      ", not " + std::to_string(options.lanes) + " (the unit of the hardware is a warp)");
  if (options.group < 0 || options.group > kMaxGroupMembers ||
      (options.group > 1 && options.group * std::max(options.lanes, kWarpLanes) > kMaxTeamLanes))
    throw usage_error("GPU: a group has 1 to " + std::to_string(kMaxGroupMembers) +
                      " teams of together at most " + std::to_string(kMaxTeamLanes) + " lanes, not " +
                      std::to_string(options.group) + " (the barriers and registers of a block)");
}

std::string GpuPopulationShape::text() const {
  return std::to_string(lanes) + " lanes a team, " + std::to_string(group) +
         (group == 1 ? " team a replica, " : " teams a replica, ") +
         (compact ? "in shared memory" : "in global memory") +
         (exact ? ", float32 exact" : ", float32 with exact recounts") + ", " + std::to_string(shared_bytes) +
         " bytes of shared memory, " + std::to_string(registers) + " registers, " +
         std::to_string(local_bytes) + " local bytes, " + std::to_string(teams_per_multiprocessor) +
         " resident on each of " + std::to_string(multiprocessors) + " multiprocessors";
}

}  // namespace lcn
