#pragma once
#include <string>

#include "search/backend.hpp"

namespace lcn {

// The backend of a resolved device name: "cpu", or "gpu" on the GPU that this process has bound.
const SolveBackend& backend_of(const std::string& device);
// The same for a unit, with its wishes for the GPU (gpu_team, gpu_group).
SolveBackend backend_for(const SolveOptions& options);

// How many gradient layouts of that many epochs fit into `seconds`, by measured rates: 2.5e11 pairs of edges
// an epoch and second on 132 multiprocessors, and 0.25 ms a vertex and host thread for the force layout that
// each begins from. 0: not one.
int gradient_layouts_within(const Graph& graph, int epochs, double seconds, int multiprocessors,
                            int host_threads);

// What one layout of a GradientBatch may take at most, so that a batch fits beside the replicas: layouts per
// batch.
int gradient_batch_size(const Graph& graph, int wished);

}  // namespace lcn
