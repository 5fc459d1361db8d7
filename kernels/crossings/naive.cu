#include <cstdint>

#include "kernels/crossings/batch_view.cuh"
#include "kernels/crossings/warp.cuh"
#include "kernels/device/check.hpp"

// The benchmark's baseline, as in a teaching example: one thread for each edge of each evaluation, a loop
// over the other edges, coordinates from device memory, the predicate of predicates.hpp. Not tuned, on
// purpose, but correct, and it writes the same results.

namespace lcn {
namespace {

constexpr unsigned kThreads = 128;

template <class T>
__device__ bool cross(int2 a, int2 b, int2 c, int2 d) {
  return segments_cross<T>(T(a.x), T(a.y), T(b.x), T(b.y), T(c.x), T(c.y), T(d.x), T(d.y));
}

// The crossings of edge e when the drawing is `drawing`.
template <class T>
__device__ int count_edge(const MovedDrawing& drawing, const int2* edges, int m, int e) {
  const int2 a = drawing.at(edges[e].x), b = drawing.at(edges[e].y);
  int count = 0;
  for (int f = 0; f < m; ++f) count += cross<T>(a, b, drawing.at(edges[f].x), drawing.at(edges[f].y));
  return count;
}

template <class T>
__global__ void naive_full_kernel(BatchView view, ResultView result) {
  const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::size_t m = static_cast<std::size_t>(view.m);
  if (thread >= view.evaluations() * m) return;
  const auto evaluation = static_cast<unsigned>(thread / m);
  const MovedDrawing drawing(view, evaluation);
  const int2* edges = of_workload(view.edges, view, evaluation, view.m);
  result.counts[thread] = count_edge<T>(drawing, edges, view.m, static_cast<int>(thread % m));
}

template <class T>
__global__ void naive_incremental_kernel(BatchView view, ResultView result) {
  const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::size_t m = static_cast<std::size_t>(view.m);
  if (thread >= view.evaluations() * m) return;
  const auto evaluation = static_cast<unsigned>(thread / m);
  const int e = static_cast<int>(thread % m);
  const MovedDrawing drawing(view, evaluation);
  const int2* edges = of_workload(view.edges, view, evaluation, view.m);
  const int v = drawing.vertex;
  if (edges[e].x == v || edges[e].y == v) {
    result.counts[thread] = count_edge<T>(drawing, edges, view.m, e);
    return;
  }
  const int* offsets = of_workload(view.offsets, view, evaluation, view.n + 1);
  const int2* incidences = of_workload(view.incidences, view, evaluation, 2 * view.m);
  const int2 a = drawing.positions[edges[e].x], b = drawing.positions[edges[e].y];
  int count = of_workload(view.base_counts, view, evaluation, view.m)[e];
  for (int i = offsets[v]; i < offsets[v + 1]; ++i) {
    const int2 fixed = drawing.positions[incidences[i].x];
    count -= cross<T>(a, b, fixed, drawing.positions[v]);
    count += cross<T>(a, b, fixed, drawing.to);
  }
  result.counts[thread] = count;
}

__global__ void tuple_kernel(BatchView view, ResultView result) {
  __shared__ TupleSum sums[kThreads / kWarp];
  const int* counts = result.counts + static_cast<std::size_t>(blockIdx.x) * view.m;
  TupleSum sum{};
  for (int e = static_cast<int>(threadIdx.x); e < view.m; e += kThreads) sum.add(counts[e]);
  reduce_tuple(sum, sums, result.tuples[blockIdx.x]);
}

template <class Function>
void with_scalar(Arithmetic arithmetic, Function function) {
  switch (arithmetic) {
    case Arithmetic::int32:
      function(std::int32_t{});
      break;
    case Arithmetic::fp64:
      function(double{});
      break;
    case Arithmetic::int64:
      function(std::int64_t{});
      break;
  }
}

}  // namespace

LaunchShape naive_shape(const BatchView& view) {
  const unsigned long long threads = static_cast<unsigned long long>(view.evaluations()) * view.m;
  return {static_cast<unsigned>((threads + kThreads - 1) / kThreads), kThreads};
}

void launch_naive_full(const BatchView& view, const ResultView& result, Arithmetic arithmetic,
                       cudaStream_t stream) {
  const LaunchShape shape = naive_shape(view);
  if (shape.blocks > 0)
    with_scalar(arithmetic, [&](auto zero) {
      naive_full_kernel<decltype(zero)><<<shape.blocks, shape.threads, 0, stream>>>(view, result);
    });
  LCN_CUDA_CHECK(cudaGetLastError());
  launch_tuples(view, result, stream);
}

void launch_naive_incremental(const BatchView& view, const ResultView& result, Arithmetic arithmetic,
                              cudaStream_t stream) {
  const LaunchShape shape = naive_shape(view);
  if (shape.blocks > 0)
    with_scalar(arithmetic, [&](auto zero) {
      naive_incremental_kernel<decltype(zero)><<<shape.blocks, shape.threads, 0, stream>>>(view, result);
    });
  LCN_CUDA_CHECK(cudaGetLastError());
  launch_tuples(view, result, stream);
}

void launch_tuples(const BatchView& view, const ResultView& result, cudaStream_t stream) {
  tuple_kernel<<<view.evaluations(), kThreads, 0, stream>>>(view, result);
  LCN_CUDA_CHECK(cudaGetLastError());
}

}  // namespace lcn
