#include <algorithm>

#include "kernels/crossings/batch_view.cuh"
#include "kernels/crossings/exact_side.cuh"
#include "kernels/crossings/warp.cuh"
#include "kernels/device/check.hpp"

// Full recount: every unordered pair of edges once. A warp compares a group of 128 "row" edges (four a lane,
// in registers) with a tile of 32 "column" edges (in shared memory, read by broadcast). Each test leaves one
// bit, so that a lane holds the crossings of its rows with the tile as masks: their population counts are the
// rows' counts, and the population counts of the transposed masks are the columns'. That costs less than one
// instruction a test, half of testing every ordered pair.
//
// Few evaluations are split over several blocks each, which then add to the counts in device memory;
// otherwise a block owns an evaluation and its counts stay in shared memory.

namespace lcn {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kWarp;
constexpr int kRows = 4;                   // row edges a lane: broadcasts are read once for four tests
constexpr int kMaxSharedEdges = 8 * 1024;  // counts of one evaluation that a block keeps in shared memory
constexpr int kBlocksPerMultiprocessor = 2;
constexpr int kLeastItems = 4;  // (group, tile) items that are worth a warp of their own

constexpr int tiles_of(int m) {
  return (m + kWarp - 1) / kWarp;
}

// Group g of four tiles meets tiles 4 g, 4 g + 1, ..., tiles - 1.
constexpr long long items_before(int group, int tiles) {
  return static_cast<long long>(group) * tiles - 2LL * group * (group - 1);
}

long long items_of(int m) {
  const int tiles = tiles_of(m);
  return items_before((tiles + kRows - 1) / kRows, tiles);
}

// Pairs of one warp's share of an evaluation's items [first, last), in order of groups.
template <class Exact>
class WarpOfPairs {
 public:
  using Scalar = typename Exact::Scalar;

  struct Tile {
    Segment<Scalar> segments[kWarp];
    typename Exact::Value constants[kWarp];
  };

  __device__ WarpOfPairs(const BatchView& view, unsigned evaluation, Tile& tile)
      : edges_(of_workload(view.edges, view, evaluation, view.m)),
        drawing_(view, evaluation),
        m_(view.m),
        lane_(static_cast<int>(threadIdx.x) % kWarp),
        tile_(tile) {}

  // Adds the crossings of the items to counts[0..m), in shared or device memory, by integer atomics.
  __device__ void run(long long first, long long last, int* counts) {
    if (first >= last) return;
    const int tiles = tiles_of(m_);
    int group = 0;
    while (items_before(group + 1, tiles) <= first) ++group;
    int column = group * kRows + static_cast<int>(first - items_before(group, tiles));
    load_rows(group);
    Segment<Scalar> next = load(column);
    for (long long item = first; item < last; ++item) {
      __syncwarp();  // the previous tile has been read by all lanes
      tile_.segments[kWarp - 1 - lane_] = next;
      tile_.constants[kWarp - 1 - lane_] = Exact::constant(next.ax, next.ay, next.bx, next.by);
      __syncwarp();
      const int tile = column++;
      const bool last_of_group = column == tiles;
      if (last_of_group) column = (group + 1) * kRows;
      if (item + 1 < last) next = load(column);  // in flight during the tests
      count_tile(group, tile, counts);
      if (last_of_group || item + 1 == last) {
        flush_rows(group, counts);
        ++group;
        if (item + 1 < last) load_rows(group);
      }
    }
  }

 private:
  __device__ Segment<Scalar> load(int tile) const {
    const int e = tile * kWarp + lane_;
    if (e >= m_) return {};
    const int2 edge = edges_[e];
    return segment<Exact>(drawing_.at(edge.x), drawing_.at(edge.y));
  }

  __device__ void load_rows(int group) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      rows_[r] = load(group * kRows + r);
      lines_[r] = line_of<Exact>(rows_[r]);
      row_counts_[r] = 0;
    }
  }

  __device__ void flush_rows(int group, int* counts) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const int e = (group * kRows + r) * kWarp + lane_;
      if (e < m_ && row_counts_[r] > 0) atomicAdd(&counts[e], row_counts_[r]);
    }
  }

  __device__ void count_tile(int group, int tile, int* counts) {
    unsigned masks[kRows] = {};
#pragma unroll 2
    for (int j = 0; j < kWarp; ++j) {
      const Segment<Scalar> f = tile_.segments[j];
      const typename Exact::Line line = line_through<Exact>(f.ax, f.ay, f.bx, f.by, tile_.constants[j]);
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const int crossing = Exact::both_opposite(
            Exact::side(lines_[r], f.ax, f.ay), Exact::side(lines_[r], f.bx, f.by),
            Exact::side(line, rows_[r].ax, rows_[r].ay), Exact::side(line, rows_[r].bx, rows_[r].by));
        masks[r] = __funnelshift_l(static_cast<unsigned>(crossing), masks[r], 1);
      }
    }
    // Slots hold the tile in reverse and each test shifts the masks up: bit i now stands for edge i of the
    // tile.
    int column_count = 0;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      // On the diagonal a tile meets itself: its mask is symmetric, so the rows alone count every crossing
      // twice, as they should. Below it the pairs have been counted from the other side.
      const int row_tile = group * kRows + r;
      if (row_tile > tile) continue;
      row_counts_[r] += __popc(masks[r]);
      if (row_tile < tile) column_count += __popc(transpose_bits(masks[r], lane_));
    }
    const int e = tile * kWarp + lane_;
    if (e < m_ && column_count > 0) atomicAdd(&counts[e], column_count);
  }

  const int2* edges_;
  MovedDrawing drawing_;
  int m_, lane_;
  Tile& tile_;
  Segment<Scalar> rows_[kRows];
  typename Exact::Line lines_[kRows];
  int row_counts_[kRows];
};

template <class Exact>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    full_kernel(BatchView view, ResultView result) {
  __shared__ typename WarpOfPairs<Exact>::Tile tiles[kWarps];
  __shared__ TupleSum sums[kWarps];
  extern __shared__ int counts[];  // [m]
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  for (int e = static_cast<int>(threadIdx.x); e < view.m; e += kThreads) counts[e] = 0;
  __syncthreads();
  const int tile_count = tiles_of(view.m);
  const long long items = items_before((tile_count + kRows - 1) / kRows, tile_count);
  WarpOfPairs<Exact>(view, blockIdx.x, tiles[warp])
      .run(items * warp / kWarps, items * (warp + 1) / kWarps, counts);
  __syncthreads();
  int* out = result.counts + static_cast<std::size_t>(blockIdx.x) * view.m;
  TupleSum sum{};
  for (int e = static_cast<int>(threadIdx.x); e < view.m; e += kThreads) {
    out[e] = counts[e];
    sum.add(counts[e]);
  }
  reduce_tuple(sum, sums, result.tuples[blockIdx.x]);
}

// `splits` blocks for each evaluation; result.counts must be zero before.
template <class Exact>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    split_full_kernel(BatchView view, ResultView result, unsigned splits) {
  __shared__ typename WarpOfPairs<Exact>::Tile tiles[kWarps];
  const unsigned evaluation = blockIdx.x / splits;
  const long long share = static_cast<long long>(blockIdx.x % splits) * kWarps + threadIdx.x / kWarp;
  const long long shares = static_cast<long long>(splits) * kWarps;
  const int tile_count = tiles_of(view.m);
  const long long items = items_before((tile_count + kRows - 1) / kRows, tile_count);
  WarpOfPairs<Exact>(view, evaluation, tiles[threadIdx.x / kWarp])
      .run(items * share / shares, items * (share + 1) / shares,
           result.counts + static_cast<std::size_t>(evaluation) * view.m);
}

unsigned splits_of(const BatchView& view, int multiprocessors) {
  const long long evaluations = view.evaluations();
  const long long to_fill = static_cast<long long>(multiprocessors) * kBlocksPerMultiprocessor * 2;
  const long long most = std::max(1LL, items_of(view.m) / (kWarps * kLeastItems));
  return static_cast<unsigned>(std::clamp((to_fill + evaluations - 1) / evaluations, 1LL, most));
}

bool one_block_each(const BatchView& view, int multiprocessors) {
  return splits_of(view, multiprocessors) == 1 && view.m <= kMaxSharedEdges;
}

}  // namespace

LaunchShape full_shape(const BatchView& view, int multiprocessors) {
  return {view.evaluations() * splits_of(view, multiprocessors), kThreads};
}

void launch_full(const BatchView& view, const ResultView& result, Arithmetic arithmetic, int multiprocessors,
                 cudaStream_t stream) {
  const LaunchShape shape = full_shape(view, multiprocessors);
  const bool whole = one_block_each(view, multiprocessors);
  if (!whole)
    LCN_CUDA_CHECK(cudaMemsetAsync(
        result.counts, 0, sizeof(int) * static_cast<std::size_t>(view.evaluations()) * view.m, stream));
  with_exact(arithmetic, [&](auto exact) {
    using Exact = decltype(exact);
    if (whole)
      full_kernel<Exact><<<shape.blocks, shape.threads, sizeof(int) * view.m, stream>>>(view, result);
    else
      split_full_kernel<Exact>
          <<<shape.blocks, shape.threads, 0, stream>>>(view, result, splits_of(view, multiprocessors));
  });
  LCN_CUDA_CHECK(cudaGetLastError());
  if (!whole) launch_tuples(view, result, stream);
}

}  // namespace lcn
