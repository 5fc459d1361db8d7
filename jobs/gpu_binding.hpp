#pragma once
#include <optional>
#include <string>
#include <vector>

#include "mpi/communicator.hpp"
#include "mpi/gpu_assignment.hpp"
#include "support/error.hpp"

namespace lcn {

// Which GPU this rank has, agreed by all ranks from the UUIDs that each sees.
struct GpuBinding {
  int ordinal = -1;                   // -1: no GPU for this rank
  std::string uuid;                   // of that GPU
  std::optional<Error> refused;       // why not every rank has a GPU, or one of its own
  bool only_sharing_refused = false;  // --allow-gpu-sharing would help, and `ordinal` is what it gives
  std::vector<std::string>
      lines;  // one per rank, rank 0 only: host, rank, visible GPUs, ordinal and UUID or none
};

// Made by all ranks at the start, before any rank knows whether GPUs are wanted. Without CUDA in the build it
// costs one message per rank. Error(environment) when a rank does not answer within `seconds`.
GpuBinding bind_gpus(Communicator world, double seconds);

}  // namespace lcn
