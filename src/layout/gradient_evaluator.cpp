#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <new>

#include "layout/gradient.hpp"

// Sixteen float lanes as one vector of the compiler's own (GCC and Clang): it becomes one AVX-512, two AVX2
// or four 128-bit registers, whichever clone the loader picks. Passing such vectors to functions that are
// always inlined crosses no ABI, which is all that -Wpsabi warns about.
#pragma GCC diagnostic ignored "-Wpsabi"
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define LCN_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define LCN_VECTOR_CLONES  // a sanitizer's run time is not up yet when the loader would choose a clone
#endif
#define LCN_INLINE inline __attribute__((always_inline))

namespace lcn {
namespace {

constexpr int kLanes = 16;
using Floats = float __attribute__((vector_size(4 * kLanes)));
using Ints = std::int32_t __attribute__((vector_size(4 * kLanes)));

// Pairs with a weight below exp(-13) = 2.3e-6 are skipped: on real drawings that costs 1e-5 of the gradient.
constexpr float kNegligibleExponent = 13.0f;
// Added to the sine rule's limit, so that a determinant whose inverse would overflow counts as parallel.
constexpr float kTinyDeterminant = 1e-30f;
// Edges are re-sorted along the curve every few evaluations: positions move little from one to the next.
constexpr int kSortEvery = 8;

// Aligned storage of whole vectors.
template <class T>
class LaneArray {
 public:
  void resize(std::size_t size) { storage_.assign(size / kLanes, Block{}); }
  T* data() { return storage_.empty() ? nullptr : storage_.front().lane; }
  const T* data() const { return storage_.empty() ? nullptr : storage_.front().lane; }
  T& operator[](std::size_t i) { return data()[i]; }

 private:
  struct alignas(64) Block {
    T lane[kLanes];
  };
  std::vector<Block> storage_;
};

struct Box {
  float x0, y0, x1, y1;
};

LCN_INLINE bool disjoint(const Box& p, const Box& q) {
  return (p.x1 < q.x0) | (q.x1 < p.x0) | (p.y1 < q.y0) | (q.y1 < p.y0);
}

// What the pair loop reads and writes, edges in curve order, padded to whole vectors by edges of zero length.
struct SortedEdges {
  int blocks;
  const float *ax, *ay, *rx, *ry, *length, *weight;
  const std::int32_t *a, *b;
  const Box *edge_box, *block_box;
  float *force_x, *force_y, *turn_x, *turn_y, *count;  // sums of G, of tG (or uG), and of f(t) f(u)
  std::int32_t* candidates;                            // scratch, `blocks` entries
};

template <class V, class T>
LCN_INLINE V load(const T* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
LCN_INLINE void add_to(float* to, const Floats& v) {
  const Floats sum = load<Floats>(to) + v;
  std::memcpy(to, &sum, sizeof sum);
}
LCN_INLINE Ints lane_numbers() {
  return Ints{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
}
LCN_INLINE Floats magnitude(const Floats& v) {
  return (Floats)((Ints)v & 0x7fffffff);
}
LCN_INLINE Floats with_sign_of(const Floats& v, const Floats& sign) {
  return (Floats)((Ints)v ^ ((Ints)sign & static_cast<std::int32_t>(0x80000000)));
}
// Conditions are sign bits: compilers turn comparisons of such wide vectors into scalar code where a lane
// mask is not a vector (AVX-512), while differences and shifts stay what they are everywhere.
LCN_INLINE Ints below(const Floats& p, const Floats& q) {
  return (Ints)(p - q);
}
LCN_INLINE Ints to_mask(const Ints& signs) {
  return signs >> 31;
}
LCN_INLINE Floats keep(const Ints& mask, const Floats& v) {
  return (Floats)((Ints)v & mask);
}
template <class Half, class Whole>
LCN_INLINE void halve(const Whole& whole, Half& low, Half& high) {
  std::memcpy(&low, &whole, sizeof low);
  std::memcpy(&high, reinterpret_cast<const char*>(&whole) + sizeof low, sizeof high);
}
LCN_INLINE bool any(const Ints& mask) {
  std::int32_t __attribute__((vector_size(32))) low8, high8;
  std::int32_t __attribute__((vector_size(16))) low4, high4;
  std::int64_t low, high;
  halve(mask, low8, high8);
  low8 |= high8;
  halve(low8, low4, high4);
  low4 |= high4;
  halve(low4, low, high);
  return (low | high) != 0;
}
LCN_INLINE float sum(const Floats& v) {
  float __attribute__((vector_size(32))) low8, high8;
  float __attribute__((vector_size(16))) low4, high4;
  halve(v, low8, high8);
  low8 += high8;
  halve(low8, low4, high4);
  low4 += high4;
  return (low4[0] + low4[2]) + (low4[1] + low4[3]);
}

// 2^x for -126 < x < 126, relative error 3e-6: the integer part goes into the exponent, the rest, within a
// half, through the series of 2^f up to its fifth power.
LCN_INLINE Floats exp2_lanes(const Floats& x) {
  const Floats shifted = x + 12582912.0f;  // 1.5 * 2^23: the low bits are now round(x)
  const Floats f = x - (shifted - 12582912.0f);
  Floats p = 1.3333558e-3f * f + 9.6181291e-3f;
  p = p * f + 5.5504109e-2f;
  p = p * f + 2.4022651e-1f;
  p = p * f + 6.9314718e-1f;
  p = p * f + 1.0f;
  return (Floats)((Ints)p + ((Ints)shifted << 23));
}

// Soft crossings of all pairs of edges. f(z) = E / ((E + 1)(E + e)) with E = exp(T(|z - 1/2| - 1/2)), e =
// exp(-T), and f'/f = -T sign(z - 1/2) (E^2 - e) / ((E + 1)(E + e)): one exponential per parameter, one
// division per pair for both gates, one for the intersection.
LCN_VECTOR_CLONES
void accumulate_pairs(const SortedEdges& edges, float sharpness, float minimum_sine, float reach) {
  const float log2_sharpness = sharpness * 1.44269504f;
  const float floor = std::exp2(-log2_sharpness);
  const Ints lane = lane_numbers(), one = (Ints)(1.0f - Floats{});
  for (int block = 0; block < edges.blocks; ++block) {
    int candidates = 0;
    for (int other = block; other < edges.blocks; ++other) {
      edges.candidates[candidates] = other;
      candidates += !disjoint(edges.block_box[block], edges.block_box[other]);
    }
    for (int i = block * kLanes; i < (block + 1) * kLanes; ++i) {
      const float ax = edges.ax[i], ay = edges.ay[i], rx = edges.rx[i], ry = edges.ry[i];
      const float sine_limit = minimum_sine * edges.length[i], half_weight = 0.5f * edges.weight[i];
      const std::int32_t a = edges.a[i], b = edges.b[i];
      const Box box = edges.edge_box[i];
      Floats force_x = {}, force_y = {}, turn_x = {}, turn_y = {}, count = {};
      for (int k = 0; k < candidates; ++k) {
        const int other = edges.candidates[k], at = other * kLanes;
        if (disjoint(box, edges.block_box[other])) continue;
        const Floats sx = load<Floats>(edges.rx + at), sy = load<Floats>(edges.ry + at);
        const Floats qx = load<Floats>(edges.ax + at) - ax, qy = load<Floats>(edges.ay + at) - ay;
        const Floats determinant = rx * sy - ry * sx;
        const Floats t_numerator = qx * sy - qy * sx, u_numerator = qx * ry - qy * rx;
        const Floats size = magnitude(determinant), limit = reach * size;
        Ints signs = below(sine_limit * load<Floats>(edges.length + at) + kTinyDeterminant, size) &
                     below(magnitude(t_numerator + t_numerator - determinant), limit) &
                     below(magnitude(u_numerator + u_numerator - determinant), limit);
        if (other == block) signs &= (i - at) - lane;  // each pair once
        if (!any(to_mask(signs))) continue;
        const Ints c = load<Ints>(edges.a + at), d = load<Ints>(edges.b + at);
        const Ints mask = to_mask(signs & ~(((c ^ a) - 1) | ((c ^ b) - 1) | ((d ^ a) - 1) | ((d ^ b) - 1)));

        // Lanes outside the mask go on with harmless numbers (determinant 1, gates at their edge) and add
        // zero.
        const Floats inverse = 1.0f / (Floats)(((Ints)determinant & mask) | (one & ~mask));
        const Floats t = t_numerator * inverse, u = u_numerator * inverse;
        const Floats t_off = t - 0.5f, u_off = u - 0.5f;
        const Floats et = exp2_lanes(log2_sharpness * keep(mask, magnitude(t_off) - 0.5f));
        const Floats eu = exp2_lanes(log2_sharpness * keep(mask, magnitude(u_off) - 0.5f));
        const Floats pt = (et + 1.0f) * (et + floor), pu = (eu + 1.0f) * (eu + floor);
        const Floats both = 1.0f / (pt * pu);
        const Floats soft = keep(mask, et * eu * both);
        // -f'/f of either gate, then with the weight: v = (along_t s + along_u r) / determinant
        const Floats factor =
            soft * both * (sharpness * inverse) * (half_weight + 0.5f * load<Floats>(edges.weight + at));
        const Floats along_t = with_sign_of(factor * (et * et - floor) * pu, t_off);
        const Floats along_u = with_sign_of(factor * (eu * eu - floor) * pt, u_off);
        const Floats gx = along_t * sy + along_u * ry, gy = -(along_t * sx + along_u * rx);
        force_x += gx;
        force_y += gy;
        turn_x += t * gx;
        turn_y += t * gy;
        count += soft;
        add_to(edges.force_x + at, -gx);
        add_to(edges.force_y + at, -gy);
        add_to(edges.turn_x + at, -(u * gx));
        add_to(edges.turn_y + at, -(u * gy));
        add_to(edges.count + at, soft);
      }
      edges.force_x[i] += sum(force_x);
      edges.force_y[i] += sum(force_y);
      edges.turn_x[i] += sum(turn_x);
      edges.turn_y[i] += sum(turn_y);
      edges.count[i] += sum(count);
    }
  }
}

// Repulsion between all pairs of vertices; x, y, push_x, push_y padded to whole vectors, n real entries.
LCN_VECTOR_CLONES
void accumulate_repulsion(int n, const float* x, const float* y, float radius, float weight, float* push_x,
                          float* push_y) {
  const float limit = radius * radius, scale = 2 * weight / radius;
  const Ints lane = lane_numbers();
  for (int p = 0; p < n; ++p) {
    for (int at = p / kLanes * kLanes; at < n; at += kLanes) {
      const Floats dx = load<Floats>(x + at) - x[p], dy = load<Floats>(y + at) - y[p];
      const Floats square = dx * dx + dy * dy;
      const Ints near = to_mask((Ints)(square - limit) & ((p - at) - lane) & (lane - (n - at)));
      if (!any(near)) continue;
      for (int l = 0; l < kLanes; ++l) {  // few pairs are near
        if (near[l] == 0 || square[l] == 0) continue;
        const float push = scale * (1 / std::sqrt(square[l]) - 1 / radius);
        push_x[p] += push * dx[l];
        push_y[p] += push * dy[l];
        push_x[at + l] -= push * dx[l];
        push_y[at + l] -= push * dy[l];
      }
    }
  }
}

// Position of a point of the unit square along the Z curve, 16 bits a coordinate.
std::uint32_t curve_position(float x, float y) {
  const auto spread_bits = [](float value) {
    std::uint32_t bits = static_cast<std::uint32_t>(std::clamp(value, 0.0f, 1.0f) * 65535.0f);
    bits = (bits | bits << 8) & 0x00ff00ff;
    bits = (bits | bits << 4) & 0x0f0f0f0f;
    bits = (bits | bits << 2) & 0x33333333;
    return (bits | bits << 1) & 0x55555555;
  };
  return spread_bits(x) | spread_bits(y) << 1;
}

}  // namespace

struct GradientEvaluator::State {
  Graph graph;
  GradientModel model;
  int evaluations = 0;
  std::vector<EdgeId> order;
  std::vector<std::uint64_t> keys;
  LaneArray<float> ax, ay, rx, ry, length, weight;
  LaneArray<std::int32_t> a, b;
  LaneArray<float> force_x, force_y, turn_x, turn_y, count;
  LaneArray<float> x, y, push_x, push_y;
  std::vector<Box> edge_box, block_box;
  std::vector<std::int32_t> candidates;

  std::size_t padded_edges() const {
    return (static_cast<std::size_t>(graph.m()) + kLanes - 1) / kLanes * kLanes;
  }
  std::size_t padded_vertices() const {
    return (static_cast<std::size_t>(graph.n()) + kLanes - 1) / kLanes * kLanes;
  }
  void sort(std::span<const float> px, std::span<const float> py);
  void gather(std::span<const float> px, std::span<const float> py, std::span<const float> weights,
              float reach);
};

GradientEvaluator::GradientEvaluator(const Graph& graph, const GradientModel& model)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.graph = graph;
  s.model = model;
  s.order.resize(static_cast<std::size_t>(graph.m()));
  s.keys.resize(s.order.size());
  for (LaneArray<float>* array : {&s.ax, &s.ay, &s.rx, &s.ry, &s.length, &s.weight, &s.force_x, &s.force_y,
                                  &s.turn_x, &s.turn_y, &s.count})
    array->resize(s.padded_edges());
  s.a.resize(s.padded_edges());
  s.b.resize(s.padded_edges());
  for (LaneArray<float>* array : {&s.x, &s.y, &s.push_x, &s.push_y}) array->resize(s.padded_vertices());
  s.edge_box.resize(s.padded_edges());
  s.block_box.resize(s.padded_edges() / kLanes);
  s.candidates.resize(s.block_box.size());
}

GradientEvaluator::~GradientEvaluator() = default;
GradientEvaluator::GradientEvaluator(GradientEvaluator&&) noexcept = default;
GradientEvaluator& GradientEvaluator::operator=(GradientEvaluator&&) noexcept = default;

void GradientEvaluator::State::sort(std::span<const float> px, std::span<const float> py) {
  for (EdgeId e = 0; e < graph.m(); ++e) {
    const Edge& edge = graph.edge(e);
    const std::uint32_t key =
        curve_position(0.5f * (px[edge.a] + px[edge.b]), 0.5f * (py[edge.a] + py[edge.b]));
    keys[e] = static_cast<std::uint64_t>(key) << 32 | static_cast<std::uint32_t>(e);
  }
  std::sort(keys.begin(), keys.end());
  for (std::size_t k = 0; k < keys.size(); ++k) order[k] = static_cast<EdgeId>(keys[k] & 0xffffffff);
}

void GradientEvaluator::State::gather(std::span<const float> px, std::span<const float> py,
                                      std::span<const float> weights, float reach) {
  const float extension = 0.5f * (reach - 1);
  for (std::size_t k = 0; k < padded_edges(); ++k) {
    const bool real = k < order.size();
    const Edge edge = graph.edge(order[real ? k : k / kLanes * kLanes]);
    const float x0 = px[edge.a], y0 = py[edge.a];
    ax[k] = x0;
    ay[k] = y0;
    rx[k] = real ? px[edge.b] - x0 : 0;
    ry[k] = real ? py[edge.b] - y0 : 0;
    length[k] = std::sqrt(rx[k] * rx[k] + ry[k] * ry[k]);
    weight[k] = real ? weights[order[k]] : 0;
    a[k] = edge.a;
    b[k] = edge.b;
    const float ex = extension * std::abs(rx[k]), ey = extension * std::abs(ry[k]);
    edge_box[k] = {std::min(x0, x0 + rx[k]) - ex, std::min(y0, y0 + ry[k]) - ey,
                   std::max(x0, x0 + rx[k]) + ex, std::max(y0, y0 + ry[k]) + ey};
    Box& block = block_box[k / kLanes];
    if (k % kLanes == 0) block = edge_box[k];
    block = {std::min(block.x0, edge_box[k].x0), std::min(block.y0, edge_box[k].y0),
             std::max(block.x1, edge_box[k].x1), std::max(block.y1, edge_box[k].y1)};
    force_x[k] = force_y[k] = turn_x[k] = turn_y[k] = count[k] = 0;
  }
}

void GradientEvaluator::evaluate(std::span<const float> x, std::span<const float> y,
                                 std::span<const float> edge_weights, float sharpness,
                                 std::span<float> gradient_x, std::span<float> gradient_y,
                                 std::span<float> soft_counts) {
  State& s = *state_;
  const VertexId n = s.graph.n();
  // |z - 1/2| <= reach/2 where the gate f(z) is not negligible
  const float reach = 1 + 2 * kNegligibleExponent / sharpness;
  if (s.evaluations++ % kSortEvery == 0) s.sort(x, y);
  s.gather(x, y, edge_weights, reach);
  accumulate_pairs({static_cast<int>(s.block_box.size()), s.ax.data(), s.ay.data(), s.rx.data(), s.ry.data(),
                    s.length.data(), s.weight.data(), s.a.data(), s.b.data(), s.edge_box.data(),
                    s.block_box.data(), s.force_x.data(), s.force_y.data(), s.turn_x.data(), s.turn_y.data(),
                    s.count.data(), s.candidates.data()},
                   sharpness, static_cast<float>(s.model.minimum_sine), reach);

  for (VertexId v = 0; v < n; ++v) {
    s.x[v] = x[v];
    s.y[v] = y[v];
    s.push_x[v] = s.push_y[v] = 0;
  }
  accumulate_repulsion(n, s.x.data(), s.y.data(), static_cast<float>(s.model.repulsion_radius),
                       static_cast<float>(s.model.repulsion_weight), s.push_x.data(), s.push_y.data());
  for (VertexId v = 0; v < n; ++v) {
    gradient_x[v] = s.push_x[v];
    gradient_y[v] = s.push_y[v];
  }

  const float spring_length = static_cast<float>(s.model.spring_length);
  const float spring = 2 * static_cast<float>(s.model.spring_weight) / spring_length;
  for (std::size_t k = 0; k < s.order.size(); ++k) {
    const float pull = s.length[k] > 0 ? spring * (1 / spring_length - 1 / s.length[k]) : 0;
    const float bx = s.turn_x[k] + pull * s.rx[k], by = s.turn_y[k] + pull * s.ry[k];
    gradient_x[s.b[k]] += bx;
    gradient_y[s.b[k]] += by;
    gradient_x[s.a[k]] += s.force_x[k] - bx;
    gradient_y[s.a[k]] += s.force_y[k] - by;
    soft_counts[s.order[k]] = s.count[k];
  }
}

}  // namespace lcn
