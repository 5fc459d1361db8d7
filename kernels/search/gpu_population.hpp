#pragma once
#include <memory>
#include <string>

#include "geometry/point.hpp"
#include "graph/graph.hpp"
#include "search/population.hpp"

namespace lcn {

// How replicas are put on the device. No choice changes a result; zeros and false let graph and device
// decide.
struct GpuPopulationOptions {
  int lanes = 0;               // threads of a replica's team: 0, or a multiple of 32 from 32 to 512
  bool global_memory = false;  // keep replicas in global memory even if they fit into shared memory
  int group = 0;  // teams that test a replica's next steps at the same time (search/group.hpp), in shared
                  // memory only: 1 to 15, lanes * group <= 512. 0: 1 where lanes or global_memory are set
};

// Error(usage) for lanes or a group not allowed.
void check_gpu_population_options(const GpuPopulationOptions& options);

// What was chosen for a graph on the current device.
struct GpuPopulationShape {
  int lanes = 0;                     // threads of a team
  int group = 1;                     // teams of a replica
  bool compact = false;              // 16-bit indices, drawing and counts in shared memory
  bool exact = false;                // float32 is exact on this grid
  int shared_bytes = 0;              // dynamic shared memory of a replica
  int teams_per_multiprocessor = 0;  // replicas that are resident at once
  int multiprocessors = 0;
  int registers = 0;         // of a thread, as compiled
  int local_bytes = 0;       // stack and spills of a thread
  std::string text() const;  // one line for logs and reports
};

// Replicas that live on the current GPU: Population (search/population.hpp) with one team or group a replica;
// options without lanes and group stand for options_for(graph, grid, replicas). run() is
// one launch of `steps` proposals of every replica; scalars and tuples are mirrored on the host after it.
// Loads, restarts and copies are collected and executed together before the next call that needs them. The
// contents after any sequence of calls equal those of make_cpu_population bit for bit, for every team size
// and number of replicas.
//
// Device memory of a replica: 16 n + 2 m bytes (compact), 16 n + 8 m otherwise, and about 400 of scalars. Not
// thread-safe; the graph must outlive it; calls must come while the device of construction is current.
// replicas >= 1. Errors: Error(environment, "CUDA") from the runtime; Error(unit) for more replicas than the
// device's memory could hold, Error(environment) when too little of it is free or the program was built
// without CUDA; Error(input) for a grid above kMaxGridSide; Error(usage) for lanes or a group not allowed.
std::unique_ptr<Population> make_gpu_population(const Graph& graph, const Grid& grid, int replicas,
                                                const GpuPopulationOptions& options = {});

// Shape on the current device; options without lanes and group: for as many replicas as possible. Errors as
// above.
GpuPopulationShape gpu_population_shape(const Graph& graph, const Grid& grid,
                                        const GpuPopulationOptions& options = {});

// The widest plain team with which `replicas` are resident at once: it makes the most steps a second each, by
// measurement (docs/performance.md; groups of teams pay in no case that was measured). Teams chosen by the
// graph where none is wide enough. Errors as above.
GpuPopulationOptions options_for(const Graph& graph, const Grid& grid, int replicas);

// As many replicas as the current device runs at once, at most what half its free memory holds; at least 1.
int default_gpu_replicas(const Graph& graph, const Grid& grid);

}  // namespace lcn
