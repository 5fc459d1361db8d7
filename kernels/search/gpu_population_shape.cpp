#include <string>

#include "kernels/search/gpu_population.hpp"

namespace lcn {

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
