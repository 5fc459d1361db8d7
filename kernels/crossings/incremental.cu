#include <algorithm>

#include "kernels/crossings/batch_view.cuh"
#include "kernels/crossings/exact_side.cuh"
#include "kernels/crossings/warp.cuh"
#include "kernels/device/check.hpp"

// Incremental evaluation: a block owns a proposal and tests every edge f that does not end in the moved
// vertex v against the edges of v, at v's old and its new place. With c_base given,
//   c(f) = c_base(f) - (old edges of v that cross f) + (new edges of v that cross f),
//   c(e) = (edges f that the new e crosses) for the edges e of v,
// since edges of v never cross each other. The sides of f on which the old and the new place lie are computed
// once for all edges of v; an edge of v costs six further sides, for old and new together. Edges of v are
// taken 32 at a time, so that a hub of any degree works; a lane holds two f and, as in the full recount, one
// bit for each test, and transposed masks give the counts of the edges of v.

namespace lcn {
namespace {

constexpr int kEdgesPerLane = 2;
constexpr int kMaxThreads = 512;

// An edge of the moved vertex: its fixed end and the constants of its old and its new line.
template <class Exact>
struct alignas(16) MovedEdge {
  typename Exact::Scalar x, y;
  typename Exact::Value old_constant, new_constant;
};

template <class Exact>
__global__ void __launch_bounds__(kMaxThreads) incremental_kernel(BatchView view, ResultView result) {
  using Scalar = typename Exact::Scalar;
  using Value = typename Exact::Value;
  using Line = typename Exact::Line;
  __shared__ MovedEdge<Exact> moved[kWarp];
  __shared__ int moved_counts[kWarp];
  __shared__ TupleSum sums[kMaxThreads / kWarp];

  const unsigned evaluation = blockIdx.x;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kWarp, warp = thread / kWarp;
  const int warps = static_cast<int>(blockDim.x) / kWarp;
  const int2* positions = of_workload(view.positions, view, evaluation, view.n);
  const int2* edges = of_workload(view.edges, view, evaluation, view.m);
  const int2* incidences = of_workload(view.incidences, view, evaluation, 2 * view.m);
  const int* base_counts = of_workload(view.base_counts, view, evaluation, view.m);
  int* counts = result.counts + static_cast<std::size_t>(evaluation) * view.m;

  const int4 move = view.moves[evaluation];
  const int v = move.x;
  const int* offsets = of_workload(view.offsets, view, evaluation, view.n + 1);
  const int begin = offsets[v], degree = offsets[v + 1] - begin;
  const int2 old_place = positions[v];
  const Scalar old_x = Exact::scalar(old_place.x), old_y = Exact::scalar(old_place.y);
  const Scalar new_x = Exact::scalar(move.y), new_y = Exact::scalar(move.z);

  TupleSum sum{};
  int chunk = 0;
  do {  // at least once: a vertex without edges changes nothing, and the base is the answer
    const int chunk_size = min(kWarp, degree - chunk);
    const bool last_chunk = chunk + kWarp >= degree;
    int moved_edge = -1;
    __syncthreads();  // the previous chunk has been read
    if (thread < kWarp) moved_counts[thread] = 0;
    if (thread < chunk_size) {
      const int2 incidence = incidences[begin + chunk + thread];
      moved_edge = incidence.y;
      const int2 fixed = positions[incidence.x];
      const Scalar x = Exact::scalar(fixed.x), y = Exact::scalar(fixed.y);
      moved[chunk_size - 1 - thread] = {x, y, Exact::constant(x, y, old_x, old_y),
                                        Exact::constant(x, y, new_x, new_y)};
    }
    __syncthreads();

    int lane_count = 0;  // crossings of edge `chunk + lane` of v with this warp's f
    for (int first = warp * kWarp * kEdgesPerLane; first < view.m; first += warps * kWarp * kEdgesPerLane) {
      Segment<Scalar> f[kEdgesPerLane];
      Line line[kEdgesPerLane];
      Value old_side[kEdgesPerLane], new_side[kEdgesPerLane];
      unsigned old_mask[kEdgesPerLane] = {}, new_mask[kEdgesPerLane] = {};
      bool mine[kEdgesPerLane];
#pragma unroll
      for (int r = 0; r < kEdgesPerLane; ++r) {
        const int e = first + r * kWarp + lane;
        f[r] = {};  // crosses nothing
        mine[r] = false;
        if (e < view.m) {
          const int2 edge = edges[e];
          mine[r] = edge.x != v && edge.y != v;
          if (mine[r]) f[r] = segment<Exact>(positions[edge.x], positions[edge.y]);
        }
        line[r] = line_of<Exact>(f[r]);
        old_side[r] = Exact::side(line[r], old_x, old_y);
        new_side[r] = Exact::side(line[r], new_x, new_y);
      }
      for (int j = 0; j < chunk_size; ++j) {
        const MovedEdge<Exact> e = moved[j];
        const Line old_line = line_through<Exact>(e.x, e.y, old_x, old_y, e.old_constant);
        const Line new_line = line_through<Exact>(e.x, e.y, new_x, new_y, e.new_constant);
#pragma unroll
        for (int r = 0; r < kEdgesPerLane; ++r) {
          const Value fixed_side = Exact::side(line[r], e.x, e.y);
          const int old_crossing =
              Exact::both_opposite(Exact::side(old_line, f[r].ax, f[r].ay),
                                   Exact::side(old_line, f[r].bx, f[r].by), fixed_side, old_side[r]);
          const int new_crossing =
              Exact::both_opposite(Exact::side(new_line, f[r].ax, f[r].ay),
                                   Exact::side(new_line, f[r].bx, f[r].by), fixed_side, new_side[r]);
          old_mask[r] = __funnelshift_l(static_cast<unsigned>(old_crossing), old_mask[r], 1);
          new_mask[r] = __funnelshift_l(static_cast<unsigned>(new_crossing), new_mask[r], 1);
        }
      }
#pragma unroll
      for (int r = 0; r < kEdgesPerLane; ++r) {
        // `moved` is in reverse and each test shifts the masks up: bit i stands for edge `chunk + i` of v.
        lane_count += __popc(transpose_bits(new_mask[r], lane));
        if (mine[r]) {
          const int e = first + r * kWarp + lane;  // this thread's own in every chunk
          const int before = chunk == 0 ? base_counts[e] : counts[e];
          const int count = before + __popc(new_mask[r]) - __popc(old_mask[r]);
          counts[e] = count;
          if (last_chunk) sum.add(count);
        }
      }
    }
    if (lane_count > 0) atomicAdd(&moved_counts[lane], lane_count);
    __syncthreads();
    if (moved_edge >= 0) {
      counts[moved_edge] = moved_counts[thread];
      sum.add(moved_counts[thread]);
    }
    chunk += kWarp;
  } while (chunk < degree);
  reduce_tuple(sum, sums, result.tuples[evaluation]);
}

}  // namespace

// Blocks of two warps when there are proposals enough to fill the device with them, larger ones otherwise,
// but none with warps that would have no edge.
LaunchShape incremental_shape(const BatchView& view, int multiprocessors) {
  const unsigned wanted_warps = static_cast<unsigned>(multiprocessors) * 32;
  unsigned threads = 2 * kWarp;
  while (threads < kMaxThreads &&
         static_cast<long long>(view.evaluations()) * (threads / kWarp) < wanted_warps &&
         static_cast<int>(threads) * kEdgesPerLane < view.m)
    threads *= 2;
  return {view.evaluations(), threads};
}

void launch_incremental(const BatchView& view, const ResultView& result, Arithmetic arithmetic,
                        int multiprocessors, cudaStream_t stream) {
  const LaunchShape shape = incremental_shape(view, multiprocessors);
  with_exact(arithmetic, [&](auto exact) {
    incremental_kernel<decltype(exact)><<<shape.blocks, shape.threads, 0, stream>>>(view, result);
  });
  LCN_CUDA_CHECK(cudaGetLastError());
}

}  // namespace lcn
