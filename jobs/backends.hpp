#pragma once
#include <string>

#include "search/backend.hpp"

namespace lcn {

// The backend of a resolved device name: "cpu", or "gpu" on the GPU that this process has bound.
const SolveBackend& backend_of(const std::string& device);

// What one layout of a GradientBatch may take at most, so that a batch fits beside the replicas: layouts per
// batch.
int gradient_batch_size(const Graph& graph, int wished);

}  // namespace lcn
