#pragma once
#include <cstddef>

#include "crossings/tuple.hpp"
#include "geometry/predicates.hpp"

namespace lcn {

// A batch in device memory. Workload w of `workloads`, evaluation w * proposals + p.
struct BatchView {
  int n, m, proposals, workloads;
  const int2* positions;   // [workload][n]
  const int2* edges;       // [workload][m]: end vertices
  const int* offsets;      // [workload][n + 1]
  const int2* incidences;  // [workload][2 m]: (neighbour, edge)
  const int4* moves;       // [workload][proposals]: (vertex, x, y, 0)
  const int* base_counts;  // [workload][m]

  __host__ __device__ unsigned evaluations() const {
    return static_cast<unsigned>(workloads) * static_cast<unsigned>(proposals);
  }
};

struct ResultView {
  int* counts;    // [evaluation][m]
  Tuple* tuples;  // [evaluation]
};

struct LaunchShape {
  unsigned blocks, threads;
};

// Each function enqueues everything that fills `result` on `stream`, for a launch of at least one evaluation,
// and throws Error(environment) when a launch is refused. `multiprocessors` only shapes the launch.
void launch_full(const BatchView& view, const ResultView& result, Arithmetic arithmetic, int multiprocessors,
                 cudaStream_t stream);
void launch_incremental(const BatchView& view, const ResultView& result, Arithmetic arithmetic,
                        int multiprocessors, cudaStream_t stream);
void launch_naive_full(const BatchView& view, const ResultView& result, Arithmetic arithmetic,
                       cudaStream_t stream);
void launch_naive_incremental(const BatchView& view, const ResultView& result, Arithmetic arithmetic,
                              cudaStream_t stream);
void launch_tuples(const BatchView& view, const ResultView& result,
                   cudaStream_t stream);  // of counts in place

LaunchShape full_shape(const BatchView& view, int multiprocessors);
LaunchShape incremental_shape(const BatchView& view, int multiprocessors);
LaunchShape naive_shape(const BatchView& view);

// The drawing of one evaluation: the base, with one vertex elsewhere.
struct MovedDrawing {
  const int2* positions;
  int vertex;
  int2 to;

  __device__ MovedDrawing(const BatchView& view, unsigned evaluation) {
    const unsigned workload = evaluation / static_cast<unsigned>(view.proposals);
    positions = view.positions + static_cast<std::size_t>(workload) * view.n;
    const int4 move = view.moves[evaluation];
    vertex = move.x;
    to = make_int2(move.y, move.z);
  }
  __device__ int2 at(int v) const { return v == vertex ? to : positions[v]; }
};

// The first entry of one workload's part of an array with `stride` entries per workload.
template <class T>
__device__ const T* of_workload(const T* array, const BatchView& view, unsigned evaluation, int stride) {
  return array + static_cast<std::size_t>(evaluation / static_cast<unsigned>(view.proposals)) * stride;
}

}  // namespace lcn
