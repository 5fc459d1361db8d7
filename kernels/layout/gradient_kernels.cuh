#pragma once
#include <cstddef>
#include <cstdint>

#include "layout/gradient_schedule.hpp"

// Device side of the crossing gradient. Indices: layout b, vertex v, edge e in the graph's order, k = the
// edge's place along the layout's own space-filling curve. Places are padded per layout to whole tiles of 32,
// one warp each.
//
// Budget of the pair kernel on one H200 (132 SMs, 4 warp instructions a cycle, 1.7 to 1.98 GHz: 0.9 to 1.0e12
// warp instructions/s), 528 layouts of instance_08: 528 * 1804^2 ordered pairs are 54e6 (tile, edge) steps of
// one warp. A step costs about 26 instructions up to the skip and 45 beyond it, so 4.2 ms if nothing is
// skipped (T = 3) and below 1 ms when the boxes leave a tenth (T >= 30). Each pair is done from both sides:
// sharing it would save half of the 71 instructions but add a read-modify-write of five sums in shared memory
// and another order of summation.
namespace lcn::gradient {

constexpr int kTile = 32;  // edges of one warp
constexpr int kWarps = 4;  // warps of a block of the pair kernel
constexpr int kSplitTiles =
    128;                       // partner tiles that one warp sums up before the sum is a partial of its own
constexpr int kThreads = 128;  // block of the vertex kernels
constexpr int kReduceThreads = 256;
// As on the CPU: pairs with a weight below exp(-13) = 2.3e-6 are skipped.
constexpr float kNegligibleExponent = 13.0f;
// Added to the sine rule's limit, so that a determinant whose inverse would overflow counts as parallel.
constexpr float kTinyDeterminant = 1e-30f;

struct Shape {
  int layouts, n, m;
  int tiles;   // of places per layout
  int splits;  // of the partner tiles, at least 1
};

struct Box {
  float x0, y0, x1, y1;
};

__device__ __forceinline__ bool disjoint(const Box& p, const Box& q) {
  return p.x1 < q.x0 || q.x1 < p.x0 || p.y1 < q.y0 || q.y1 < p.y0;
}

// The segment lengthened by `extension` times itself at both ends: where its gate is not negligible.
__device__ __forceinline__ Box extended_box(const float4& line, float extension) {
  const float ex = extension * fabsf(line.z), ey = extension * fabsf(line.w);
  return {line.x + fminf(line.z, 0.0f) - ex, line.y + fminf(line.w, 0.0f) - ey,
          line.x + fmaxf(line.z, 0.0f) + ex, line.y + fmaxf(line.w, 0.0f) + ey};
}

// One instruction each, where the standard functions spend several on denormals and the last bit.
__device__ __forceinline__ float fast_reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ float with_sign_of(float value, float sign) {
  return __uint_as_float(__float_as_uint(value) ^ (__float_as_uint(sign) & 0x80000000u));
}

// Twelve bits of one coordinate in the even places of a curve position.
__device__ __forceinline__ std::uint32_t spread_bits(float value) {
  std::uint32_t bits = static_cast<std::uint32_t>(__saturatef(value) * 4095.0f);
  bits = (bits | bits << 8) & 0x00ff00ff;
  bits = (bits | bits << 4) & 0x0f0f0f0f;
  bits = (bits | bits << 2) & 0x33333333;
  return (bits | bits << 1) & 0x55555555;
}
constexpr int kCurveBits = 24;

// keys[b][e] = (b, curve position of e's middle), values[b][e] = e. One thread per entry.
__global__ void curve_keys(Shape shape, const int2* __restrict__ edges, const float2* __restrict__ positions,
                           std::uint64_t* __restrict__ keys, int* __restrict__ values) {
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= static_cast<std::size_t>(shape.layouts) * shape.m) return;
  const int b = static_cast<int>(at / shape.m), e = static_cast<int>(at % shape.m);
  const float2* place = positions + static_cast<std::size_t>(b) * shape.n;
  const int2 edge = edges[e];
  const float2 p = place[edge.x], q = place[edge.y];
  const std::uint32_t curve = spread_bits(0.5f * (p.x + q.x)) | spread_bits(0.5f * (p.y + q.y)) << 1;
  keys[at] = static_cast<std::uint64_t>(b) << kCurveBits | curve;
  values[at] = e;
}

// What the pair kernel reads of a place: line = (a, b - a), trait = (length, T/2 * weight, ids of a and b). A
// place of the padding repeats the tile's first edge with length zero, which the sine rule leaves out.
struct Places {
  float4* line;
  float4* trait;
  Box* tile_box;
};

// One warp per tile, whole blocks of kThreads.
__global__ void __launch_bounds__(kThreads)
    gather_edges(Shape shape, const int2* __restrict__ edges, const int* __restrict__ order,
                 const float2* __restrict__ positions, const float* __restrict__ weights, float sharpness,
                 float extension, Places places) {
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::size_t tile = at / kTile;
  if (tile >= static_cast<std::size_t>(shape.layouts) * shape.tiles) return;  // whole warps
  const std::size_t b = tile / shape.tiles;
  const int lane = threadIdx.x % kTile;
  const int first = static_cast<int>(tile % shape.tiles) * kTile;
  const bool real = first + lane < shape.m;
  const int e = order[b * shape.m + first + (real ? lane : 0)];
  const int2 edge = edges[e];
  const float2* place = positions + b * shape.n;
  const float2 p = place[edge.x], q = place[edge.y];
  const float4 line = real ? make_float4(p.x, p.y, q.x - p.x, q.y - p.y) : make_float4(p.x, p.y, 0.0f, 0.0f);
  places.line[at] = line;
  places.trait[at] = make_float4(sqrtf(line.z * line.z + line.w * line.w),
                                 real ? 0.5f * sharpness * weights[b * shape.m + e] : 0.0f,
                                 __int_as_float(edge.x), __int_as_float(edge.y));
  Box box = extended_box(line, extension);
  for (int step = kTile / 2; step > 0; step /= 2) {
    box.x0 = fminf(box.x0, __shfl_xor_sync(0xffffffffu, box.x0, step));
    box.y0 = fminf(box.y0, __shfl_xor_sync(0xffffffffu, box.y0, step));
    box.x1 = fmaxf(box.x1, __shfl_xor_sync(0xffffffffu, box.x1, step));
    box.y1 = fmaxf(box.y1, __shfl_xor_sync(0xffffffffu, box.y1, step));
  }
  if (lane == 0) places.tile_box[tile] = box;
}

// Sums over the partners of one edge: G, tG and f(t) f(u); see gradient_reference.cpp for the formulas.
struct EdgeSums {
  float force_x = 0, force_y = 0, turn_x = 0, turn_y = 0, count = 0;
};

struct PairStep {
  float log2_sharpness;  // T / ln 2
  float floor;           // exp(-T)
  float reach;           // |z - 1/2| < reach/2 where f(z) is not negligible
  float extension;       // (reach - 1)/2
  float minimum_sine;
};

// f(z) = E/((E + 1)(E + e)) with E = exp(T(|z - 1/2| - 1/2)), e = exp(-T), and f'/f = -T sign(z - 1/2)
// (E^2 - e)/((E + 1)(E + e)): two exponentials and two reciprocals a pair.
__device__ __forceinline__ void add_pair(const float4& mine, const float4& my_trait, float my_sine_limit,
                                         const float4& other, const float4& other_trait, const PairStep& step,
                                         EdgeSums& sums) {
  const float qx = other.x - mine.x, qy = other.y - mine.y;
  const float determinant = mine.z * other.w - mine.w * other.z;
  const float t_numerator = qx * other.w - qy * other.z, u_numerator = qx * mine.w - qy * mine.z;
  const float limit = step.reach * fabsf(determinant);
  if (!(fabsf(2.0f * t_numerator - determinant) < limit) ||
      !(fabsf(2.0f * u_numerator - determinant) < limit) ||
      !(fabsf(determinant) > fmaf(my_sine_limit, other_trait.x, kTinyDeterminant)))
    return;
  const int a = __float_as_int(my_trait.z), b = __float_as_int(my_trait.w);
  const int c = __float_as_int(other_trait.z), d = __float_as_int(other_trait.w);
  if (a == c || a == d || b == c || b == d) return;  // also the edge itself

  const float inverse = fast_reciprocal(determinant);
  const float t = t_numerator * inverse, u = u_numerator * inverse;
  const float t_off = t - 0.5f, u_off = u - 0.5f;
  const float half = 0.5f * step.log2_sharpness;
  const float et = fast_exp2(fmaf(step.log2_sharpness, fabsf(t_off), -half));
  const float eu = fast_exp2(fmaf(step.log2_sharpness, fabsf(u_off), -half));
  const float pt = (et + 1.0f) * (et + step.floor), pu = (eu + 1.0f) * (eu + step.floor);
  const float both = fast_reciprocal(pt * pu);
  const float soft = et * eu * both;
  const float factor = soft * both * inverse * (my_trait.y + other_trait.y);
  const float along_t = with_sign_of(factor * pu * fmaf(et, et, -step.floor), t_off);
  const float along_u = with_sign_of(factor * pt * fmaf(eu, eu, -step.floor), u_off);
  const float gx = along_t * other.w + along_u * mine.w, gy = -(along_t * other.z + along_u * mine.z);
  sums.force_x += gx;
  sums.force_y += gy;
  sums.turn_x += t * gx;
  sums.turn_y += t * gy;
  sums.count += soft;
}

// Soft crossings: partial[b][split][e] = (G, tG), count likewise, over the partners in that split of the
// places. A warp owns a tile, a lane an edge. Partner tiles are rejected 32 at a time by their boxes, then
// the partner edges of a tile by theirs, and what is left goes through all lanes, in the order of the places.
// From an edge's own side t is its parameter; the partner's side is computed by the partner's warp.
// blockIdx.x = (b * splits + split) * groups + group.
__global__ void __launch_bounds__(kWarps* kTile)
    sum_pairs(Shape shape, int groups, const float4* __restrict__ lines, const float4* __restrict__ traits,
              const Box* __restrict__ boxes, const int* __restrict__ order, PairStep step,
              float4* __restrict__ partial, float* __restrict__ count) {
  const int lane = threadIdx.x % kTile;
  const int tile = static_cast<int>(blockIdx.x % groups) * kWarps + threadIdx.x / kTile;
  if (tile >= shape.tiles) return;              // whole warps, and no barrier follows
  const std::size_t row = blockIdx.x / groups;  // (layout, split)
  const std::size_t b = row / shape.splits;
  const int first_tile = static_cast<int>(row % shape.splits) * kSplitTiles;
  const int last_tile = min(first_tile + kSplitTiles, shape.tiles);
  boxes += b * shape.tiles;
  lines += b * shape.tiles * kTile;
  traits += b * shape.tiles * kTile;

  const float4 mine = lines[tile * kTile + lane], my_trait = traits[tile * kTile + lane];
  const Box box = boxes[tile];
  const float my_sine_limit = step.minimum_sine * my_trait.x;
  EdgeSums sums;
  for (int base = first_tile; base < last_tile; base += kTile) {
    const bool near_tile = base + lane < last_tile && !disjoint(box, boxes[base + lane]);
    for (unsigned tiles = __ballot_sync(0xffffffffu, near_tile); tiles != 0; tiles &= tiles - 1) {
      const int partner = (base + __ffs(tiles) - 1) * kTile;
      const bool near = !disjoint(box, extended_box(lines[partner + lane], step.extension));
      for (unsigned edges = __ballot_sync(0xffffffffu, near); edges != 0; edges &= edges - 1) {
        const int other = partner + __ffs(edges) - 1;
        add_pair(mine, my_trait, my_sine_limit, lines[other], traits[other], step, sums);
      }
    }
  }
  if (tile * kTile + lane >= shape.m) return;
  const std::size_t at = row * shape.m + order[b * shape.m + tile * kTile + lane];
  partial[at] = make_float4(sums.force_x, sums.force_y, sums.turn_x, sums.turn_y);
  count[at] = sums.count;
}

struct Forces {
  float spring_length, spring_weight, repulsion_radius, repulsion_weight;
};

// gradient[b][v] from the edges at v (in the order of their ids), their springs, and the vertices near v (in
// the order of their ids, through shared memory). links holds, per incidence, (neighbour, 2 * edge + 1 if v
// is the edge's second end). One thread per vertex; blockIdx.x = b * groups + group.
__global__ void __launch_bounds__(kThreads)
    sum_vertices(Shape shape, int groups, const int* __restrict__ offsets, const int2* __restrict__ links,
                 const float2* __restrict__ positions, const float4* __restrict__ partial, Forces forces,
                 float2* __restrict__ gradient) {
  __shared__ float2 others[kThreads];
  const std::size_t b = blockIdx.x / groups;
  const int v = static_cast<int>(blockIdx.x % groups) * kThreads + threadIdx.x;
  const bool real = v < shape.n;
  positions += b * shape.n;
  const float2 own = real ? positions[v] : make_float2(0.0f, 0.0f);
  float gx = 0, gy = 0;

  const float limit = forces.repulsion_radius * forces.repulsion_radius;
  const float inverse_radius = 1.0f / forces.repulsion_radius;
  const float push = 2.0f * forces.repulsion_weight * inverse_radius;
  for (int base = 0; base < shape.n; base += kThreads) {
    __syncthreads();
    if (base + threadIdx.x < shape.n) others[threadIdx.x] = positions[base + threadIdx.x];
    __syncthreads();
    const int end = min(kThreads, shape.n - base);
    for (int i = 0; i < end; ++i) {
      const float dx = others[i].x - own.x, dy = others[i].y - own.y;
      const float square = dx * dx + dy * dy;
      if (square < limit && square > 0.0f) {
        const float scale = push * (1.0f / sqrtf(square) - inverse_radius);
        gx += scale * dx;
        gy += scale * dy;
      }
    }
  }
  if (!real) return;

  const float inverse_length = 1.0f / forces.spring_length;
  const float pull = 2.0f * forces.spring_weight * inverse_length;
  for (int i = offsets[v]; i < offsets[v + 1]; ++i) {
    const int2 link = links[i];
    const int e = link.y >> 1;
    const bool second = link.y & 1;
    for (int split = 0; split < shape.splits; ++split) {
      const float4 sum = partial[(b * shape.splits + split) * shape.m + e];
      gx += second ? sum.z : sum.x - sum.z;
      gy += second ? sum.w : sum.y - sum.w;
    }
    const float dx = own.x - positions[link.x].x, dy = own.y - positions[link.x].y;
    const float square = dx * dx + dy * dy;
    if (square > 0.0f) {
      const float scale = pull * (inverse_length - 1.0f / sqrtf(square));
      gx += scale * dx;
      gy += scale * dy;
    }
  }
  gradient[b * shape.n + v] = make_float2(gx, gy);
}

struct AdamStep {
  float rate;   // over the bias of the first moment
  float scale;  // one over the bias of the second moment
};

__device__ __forceinline__ void adam(float& position, float gradient, float& first, float& second,
                                     const AdamStep& step) {
  first = kAdamDecay1 * first + (1.0f - kAdamDecay1) * gradient;
  second = kAdamDecay2 * second + (1.0f - kAdamDecay2) * gradient * gradient;
  position -= step.rate * first / (sqrtf(second * step.scale) + kAdamFloor);
}

// One thread per vertex of every layout; moments holds (first x, first y, second x, second y).
__global__ void move_vertices(std::size_t size, const float2* __restrict__ gradient, AdamStep step,
                              float2* __restrict__ positions, float4* __restrict__ moments) {
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= size) return;
  const float2 g = gradient[at];
  float2 position = positions[at];
  float4 moment = moments[at];
  adam(position.x, g.x, moment.x, moment.z, step);
  adam(position.y, g.y, moment.y, moment.w, step);
  positions[at] = position;
  moments[at] = moment;
}

template <class Combine>
__device__ float block_reduce(float value, float* scratch, Combine combine) {
  __syncthreads();
  scratch[threadIdx.x] = value;
  __syncthreads();
  for (int step = kReduceThreads / 2; step > 0; step /= 2) {
    if (static_cast<int>(threadIdx.x) < step)
      scratch[threadIdx.x] = combine(scratch[threadIdx.x], scratch[threadIdx.x + step]);
    __syncthreads();
  }
  return scratch[0];
}

__device__ __forceinline__ float soft_count(const Shape& shape, const float* __restrict__ count,
                                            std::size_t b, int e) {
  float sum = 0;
  for (int split = 0; split < shape.splits; ++split) sum += count[(b * shape.splits + split) * shape.m + e];
  return sum;
}

// Lagged softmax of the soft counts, one block per layout. total[b][e] receives the counts summed over the
// splits.
__global__ void __launch_bounds__(kReduceThreads)
    balance_weights(Shape shape, const float* __restrict__ count, float* __restrict__ total,
                    float* __restrict__ weights) {
  __shared__ float scratch[kReduceThreads];
  const std::size_t b = blockIdx.x;
  weights += b * shape.m;
  total += b * shape.m;
  float most = 0;
  for (int e = threadIdx.x; e < shape.m; e += kReduceThreads) {
    total[e] = soft_count(shape, count, b, e);
    most = fmaxf(most, total[e]);
  }
  most = block_reduce(most, scratch, [](float p, float q) { return fmaxf(p, q); });
  if (!(most > 0.0f)) return;
  const float steepness = kSoftmaxSharpness / most;
  float sum = 0;
  for (int e = threadIdx.x; e < shape.m; e += kReduceThreads)
    sum += __expf(steepness * total[e] - kSoftmaxSharpness);
  sum = block_reduce(sum, scratch, [](float p, float q) { return p + q; });
  const float scale = kSoftmaxLag * static_cast<float>(shape.m) / sum;
  for (int e = threadIdx.x; e < shape.m; e += kReduceThreads)
    weights[e] = (1.0f - kSoftmaxLag) * weights[e] + scale * __expf(steepness * total[e] - kSoftmaxSharpness);
}

// out[b][e] = the soft count summed over the splits; one thread per entry.
__global__ void total_counts(Shape shape, const float* __restrict__ count, float* __restrict__ out) {
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= static_cast<std::size_t>(shape.layouts) * shape.m) return;
  out[at] = soft_count(shape, count, at / shape.m, static_cast<int>(at % shape.m));
}

}  // namespace lcn::gradient
