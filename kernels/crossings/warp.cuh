#pragma once
#include "crossings/tuple.hpp"

namespace lcn {

inline constexpr unsigned kAllLanes = 0xffffffffu;
inline constexpr int kWarp = 32;

// Lane i holds row i of a 32 x 32 bit matrix; returns column i: bit j of lane i becomes bit i of lane j. All
// lanes.
__device__ inline unsigned transpose_bits(unsigned row, int lane) {
  unsigned low = 0x0000ffffu;
#pragma unroll
  for (int k = 16; k > 0; k >>= 1) {
    const unsigned other = __shfl_xor_sync(kAllLanes, row, k);
    row = (lane & k) ? (row & ~low) | ((other & ~low) >> k) : (row & low) | ((other & low) << k);
    low ^= low << (k >> 1);
  }
  return row;
}

// Builds the tuple of a set of counts in any order: integers only, so the order leaves no trace. Start from
// TupleSum{}; without default values, because shared memory cannot be initialised.
struct TupleSum {
  int K, n_K;
  long long Phi, twice_C;

  __device__ void add(int count) {
    Phi += static_cast<long long>(count) * count;
    twice_C += count;
    if (count > K) {
      K = count;
      n_K = 0;
    }
    n_K += count == K;
  }
  __device__ void add(int other_K, int other_n_K, long long other_Phi, long long other_twice_C) {
    Phi += other_Phi;
    twice_C += other_twice_C;
    if (other_K > K) {
      K = other_K;
      n_K = 0;
    }
    if (other_K == K) n_K += other_n_K;
  }
  __device__ void write(Tuple& tuple) const {
    tuple.K = K;
    tuple.n_K = K > 0 ? n_K : 0;
    tuple.Phi = Phi;
    tuple.C = twice_C / 2;
  }
};

// Combines the sums of all threads of a block of whole warps, at most 1024 threads, and writes the tuple.
// `scratch` is shared memory for one sum per warp. Every thread must call it; it has one barrier.
__device__ inline void reduce_tuple(TupleSum sum, TupleSum* scratch, Tuple& tuple) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp, warp = static_cast<int>(threadIdx.x) / kWarp;
  for (int k = 16; k > 0; k >>= 1) {
    const int K = __shfl_xor_sync(kAllLanes, sum.K, k), n_K = __shfl_xor_sync(kAllLanes, sum.n_K, k);
    const long long Phi = __shfl_xor_sync(kAllLanes, sum.Phi, k);
    const long long twice_C = __shfl_xor_sync(kAllLanes, sum.twice_C, k);
    sum.add(K, n_K, Phi, twice_C);
  }
  if (lane == 0) scratch[warp] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < static_cast<int>(blockDim.x) / kWarp; ++w)
      sum.add(scratch[w].K, scratch[w].n_K, scratch[w].Phi, scratch[w].twice_C);
    sum.write(tuple);
  }
}

}  // namespace lcn
