#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "crossings/tuple.hpp"
#include "geometry/predicates.hpp"
#include "graph/graph.hpp"
#include "support/host_device.hpp"

namespace lcn {

// A grid point of the fast paths: grids end at 2^30.
struct alignas(8) GridPoint {
  std::int32_t x, y;
};

// (b - a) x (c - a), exact for differences up to 2^30: 32-bit factors, 64-bit products.
LCN_HD inline std::int64_t turn(GridPoint a, GridPoint b, GridPoint c) {
  return static_cast<std::int64_t>(b.x - a.x) * (c.y - a.y) -
         static_cast<std::int64_t>(b.y - a.y) * (c.x - a.x);
}

LCN_HD inline bool in_box(GridPoint a, GridPoint b, GridPoint p) {
  const bool in_x = a.x < b.x ? (a.x <= p.x && p.x <= b.x) : (b.x <= p.x && p.x <= a.x);
  return in_x && (a.y < b.y ? (a.y <= p.y && p.y <= b.y) : (b.y <= p.y && p.y <= a.y));
}

// Widths of what a replica stores: compact fits twice as many replicas into a multiprocessor.
struct CompactIndex {  // n and m up to 65,535
  using Count = std::uint16_t;
  struct alignas(4) Ends {
    std::uint16_t a, b;
  };
  static constexpr std::int32_t limit = 65'535;
};
struct WideIndex {
  using Count = std::int32_t;
  using Ends = Edge;
};

inline bool fits_compact_index(const Graph& graph) {
  return graph.n() <= CompactIndex::limit && graph.m() <= CompactIndex::limit;
}

// The graph's edges as a DirectCounter reads them; the index must fit.
template <class Index>
std::vector<typename Index::Ends> direct_edges(const Graph& graph) {
  using Vertex = decltype(Index::Ends::a);
  std::vector<typename Index::Ends> ends;
  for (const Edge& e : graph.edges()) ends.push_back({static_cast<Vertex>(e.a), static_cast<Vertex>(e.b)});
  return ends;
}

// A neighbour of the vertex that moves, relative to its new place p; `turn` is (u - p) x (q - p) with the old
// place q.
struct alignas(16) StarEdge {
  float x, y, turn;
  std::int32_t vertex;
};
inline constexpr std::int32_t kStarCapacity = 128;  // larger stars are tested in parts

// What a DirectCounter reads and writes: plain pointers, so that host memory, shared and global device memory
// all serve.
template <class Index>
struct DirectArrays {
  std::int32_t n = 0, m = 0;
  const typename Index::Ends* edges = nullptr;
  const std::int32_t* offsets = nullptr;
  const Incidence* incidences = nullptr;
  const std::int32_t* isolated = nullptr;  // vertices without edges
  std::int32_t isolated_count = 0;
  std::int64_t width = 0, height = 0;
  GridPoint* points = nullptr;               // n
  typename Index::Count* counts = nullptr;   // m
  typename Index::Count* pending = nullptr;  // m, the counts after the pending move; anything between moves
  StarEdge* star = nullptr;                  // kStarCapacity
  std::int32_t* star_changes = nullptr;      // kStarCapacity
};

// Largest coordinate difference for which float32 orientations are exact: 2 d^2 <= 2^24.
inline constexpr std::int64_t kMaxDifferenceFp32 = 2896;

// Incremental crossing counter without crossing sets: for "vertex v to point p" the team tests every edge
// against each edge of v at its old and at its new place, deg(v) * m pairs, of which only those whose edge
// comes near the star of v remain after a cheap separating-axis test. The same integers as BitCounter. The
// counter concept of search/chain.hpp; every member is collective over the team.
//
// Signs of orientations come from float32. Exact = true: grids up to 2,896, where they are exact. Exact =
// false: any grid up to 2^30; a value within `doubt_` of zero is recomputed in 64-bit integers. With u =
// 2^-24 and d the largest difference, each product of an orientation carries an error of at most 3 u d^2
// (differences beyond 2^24 round as well), an orientation at most 8 u d^2, and the sums of three of them
// below at most 32 u d^2 = d^2 2^-19, with or without fused multiply-add.
template <class Index, bool Exact, class Team>
class DirectCounter {
 public:
  using Count = typename Index::Count;

  LCN_HD DirectCounter(const DirectArrays<Index>& arrays, const Team& team) : a_(arrays), team_(team) {
    const auto side = static_cast<float>(a_.width > a_.height ? a_.width : a_.height);
    doubt_ = side <= static_cast<float>(kMaxDifferenceFp32) ? 0.0f : side * side * 0x1p-18f;
    box_margin_ = 1.0f + side * 0x1p-20f;
    line_margin_ = side * side * 0x1p-17f;
  }

  LCN_HD std::int32_t x(std::int32_t v) const { return a_.points[v].x; }
  LCN_HD std::int32_t y(std::int32_t v) const { return a_.points[v].y; }
  LCN_HD std::int32_t count(std::int32_t e) const { return a_.counts[e]; }
  LCN_HD const Tuple& tuple() const { return tuple_; }
  LCN_HD void set_tuple(const Tuple& tuple) { tuple_ = tuple; }

  LCN_HD bool crosses(std::int32_t e, std::int32_t f) const {
    const typename Index::Ends s = a_.edges[e], t = a_.edges[f];
    if (s.a == t.a || s.a == t.b || s.b == t.a || s.b == t.b) return false;
    const GridPoint a = a_.points[s.a], b = a_.points[s.b], c = a_.points[t.a], d = a_.points[t.b];
    return opposite(turn(a, b, c), turn(a, b, d)) && opposite(turn(c, d, a), turn(c, d, b));
  }

  // Counts of the present positions from nothing, O(m^2 / lanes), and the tuple.
  LCN_HD void recount() {
    team_.for_each(a_.m, [&](std::int32_t e) {
      std::int32_t total = 0;
      for (std::int32_t f = 0; f < a_.m; ++f) total += crosses(e, f) ? 1 : 0;
      a_.counts[e] = static_cast<Count>(total);
    });
    tuple_ = team_.tuple_of(a_.m, [&](std::int32_t f) { return static_cast<std::int32_t>(a_.counts[f]); });
  }

  // Moves to come are judged by this table: evaluate() then adds up their energy change on the way. Optional.
  LCN_HD void use_table(const std::int64_t* table) { table_ = table; }

  LCN_HD bool evaluate(std::int32_t v, std::int32_t new_x, std::int32_t new_y) {
    if (new_x < 0 || new_y < 0 || new_x > a_.width || new_y > a_.height) return false;
    vertex_ = v;
    p_ = {new_x, new_y};
    q_ = a_.points[v];
    near_ = a_.incidences + a_.offsets[v];
    degree_ = a_.offsets[v + 1] - a_.offsets[v];
    known_ = false;
    energy_change_ = 0;
    if (a_.isolated_count > 0 && isolated_in_the_way()) return false;
    std::int32_t first = 0;
    do {
      const std::int32_t size = degree_ - first < kStarCapacity ? degree_ - first : kStarCapacity;
      if (place_star(first, size)) return false;
      if (test_edges(first, size)) return false;
      team_.for_each(size, [&](std::int32_t i) {
        if (a_.star_changes[i] != 0) change_pending(near_[first + i].edge, a_.star_changes[i]);
      });
      first += kStarCapacity;
    } while (first < degree_);
    return true;
  }

  LCN_HD std::int64_t energy_change(const std::int64_t* table) const {
    if (table == table_) return team_.total(energy_change_);
    return team_.sum(a_.m, [&](std::int32_t f) {
      const Count now = a_.counts[f], next = a_.pending[f];
      return now == next ? std::int64_t{0} : table[next] - table[now];
    });
  }

  LCN_HD std::int64_t energy(const std::int64_t* table) const {
    return team_.sum(a_.m, [&](std::int32_t f) { return table[a_.counts[f]]; });
  }

  LCN_HD const Tuple& pending_tuple() {
    if (!known_)
      pending_ =
          team_.tuple_of(a_.m, [&](std::int32_t f) { return static_cast<std::int32_t>(a_.pending[f]); });
    known_ = true;
    return pending_;
  }

  LCN_HD void commit() {
    if (known_) {
      team_.for_each(a_.m, [&](std::int32_t f) { a_.counts[f] = a_.pending[f]; });
      tuple_ = pending_;
    } else {
      tuple_ = team_.tuple_of(a_.m, [&](std::int32_t f) {
        const Count next = a_.pending[f];
        a_.counts[f] = next;
        return static_cast<std::int32_t>(next);
      });
    }
    if (team_.leader()) a_.points[vertex_] = p_;
    team_.sync();
  }

  LCN_HD void discard() {}  // the next evaluate() overwrites what was pending

 private:
  static constexpr int kBlock = 2;  // edges that a lane holds in registers while it walks the star

  LCN_HD static bool opposite(std::int64_t s, std::int64_t t) { return (s < 0 && t > 0) || (s > 0 && t < 0); }

  // Negative and with a set sign bit: what xor and and of two values' bits keep.
  LCN_HD static std::int32_t bits(float value) {
#ifdef __CUDA_ARCH__
    return __float_as_int(value);
#else
    std::int32_t word;
    std::memcpy(&word, &value, sizeof word);
    return word;
#endif
  }
  LCN_HD static float cross(float ax, float ay, float bx, float by) {
#ifdef __CUDA_ARCH__
    return __fmaf_rn(ax, by, -__fmul_rn(ay, bx));
#else
    return ax * by - ay * bx;
#endif
  }
  LCN_HD static float magnitude(float value) {
    return fabsf(value);
  }

  // Is w on the closed segment from the new place to u?
  LCN_HD bool blocks(GridPoint w, GridPoint u) const {
    return turn(p_, u, w) == 0 && in_box(p_, u, w);
  }

  LCN_HD bool isolated_in_the_way() const {
    return team_.any(a_.isolated_count, [&](std::int32_t k) {
      const std::int32_t w = a_.isolated[k];
      if (w == vertex_) return false;
      const GridPoint at = a_.points[w];
      if (at.x == p_.x && at.y == p_.y) return true;
      for (std::int32_t i = 0; i < degree_; ++i)
        if (blocks(at, a_.points[near_[i].neighbour])) return true;
      return false;
    });
  }

  // Stages neighbours first .. first + size - 1. True: the new place is a neighbour's place, or a neighbour
  // whose only edge is v's lies on another new edge (other neighbours have an edge that test_edges() finds in
  // the way).
  LCN_HD bool place_star(std::int32_t first, std::int32_t size) const {
    const auto qx = static_cast<float>(q_.x - p_.x), qy = static_cast<float>(q_.y - p_.y);
    return team_.any(size, [&](std::int32_t i) {
      const std::int32_t u = near_[first + i].neighbour;
      const GridPoint at = a_.points[u];
      const auto wx = static_cast<float>(at.x - p_.x), wy = static_cast<float>(at.y - p_.y);
      a_.star[i] = {wx, wy, cross(wx, wy, qx, qy), u};
      a_.star_changes[i] = 0;
      bool bad = at.x == p_.x && at.y == p_.y;
      if (a_.offsets[u + 1] - a_.offsets[u] == 1)
        for (std::int32_t j = 0; j < degree_; ++j)
          if (j != first + i) bad |= blocks(at, a_.points[near_[j].neighbour]);
      return bad;
    });
  }

  // Tests all edges against the staged part of the star; fills pending (but of v's own edges) and
  // star_changes. True: V2 or V3 would break.
  LCN_HD bool test_edges(std::int32_t first, std::int32_t size) {
    // The box around the star at both places, its centre and half sides doubled, relative to the new place.
    const auto box =
        team_.bounds(p_, q_, size, [&](std::int32_t i) { return a_.points[near_[first + i].neighbour]; });
    const float centre_x = static_cast<float>(box.low.x - p_.x) + static_cast<float>(box.high.x - p_.x);
    const float centre_y = static_cast<float>(box.low.y - p_.y) + static_cast<float>(box.high.y - p_.y);
    const float half_x = static_cast<float>(box.high.x - box.low.x) + box_margin_;
    const float half_y = static_cast<float>(box.high.y - box.low.y) + box_margin_;
    const auto qx = static_cast<float>(q_.x - p_.x), qy = static_cast<float>(q_.y - p_.y);
    bool broken = false;

    // Separating axes of segment and box, rounded towards "near".
    const auto near_star = [&](std::int32_t f) {
      if (first == 0) a_.pending[f] = a_.counts[f];
      const typename Index::Ends edge = a_.edges[f];
      if (edge.a == vertex_ || edge.b == vertex_) return false;
      const GridPoint a = a_.points[edge.a], b = a_.points[edge.b];
      const auto ax = static_cast<float>(a.x - p_.x), ay = static_cast<float>(a.y - p_.y);
      const auto bx = static_cast<float>(b.x - p_.x), by = static_cast<float>(b.y - p_.y);
      const float sx = ax + bx - centre_x, sy = ay + by - centre_y, ex = bx - ax, ey = by - ay;
      const float wide = magnitude(ex), tall = magnitude(ey);
      return magnitude(sx) <= wide + half_x && magnitude(sy) <= tall + half_y &&
             magnitude(cross(ex, ey, sx, sy)) <= wide * half_y + tall * half_x + line_margin_;
    };

    const auto test = [&](const std::int32_t(&items)[kBlock]) {
      // Ends relative to the new place; sides of new and old place from the edge's line; (q - p) x (end - p).
      float ax[kBlock], ay[kBlock], bx[kBlock], by[kBlock], new_side[kBlock], old_side[kBlock],
          turn_a[kBlock], turn_b[kBlock], doubt[kBlock];
      std::int32_t change[kBlock];
      for (int j = 0; j < kBlock; ++j) {
        change[j] = 0;
        ax[j] = ay[j] = bx[j] = by[j] = 0.0f;
        doubt[j] = -1.0f;  // an empty place: never in doubt, and never crossed
        if (items[j] >= 0) {
          const typename Index::Ends edge = a_.edges[items[j]];
          const GridPoint a = a_.points[edge.a], b = a_.points[edge.b];
          ax[j] = static_cast<float>(a.x - p_.x);
          ay[j] = static_cast<float>(a.y - p_.y);
          bx[j] = static_cast<float>(b.x - p_.x);
          by[j] = static_cast<float>(b.y - p_.y);
          doubt[j] = doubt_;
        }
        new_side[j] = cross(ax[j], ay[j], bx[j], by[j]);
        turn_a[j] = cross(qx, qy, ax[j], ay[j]);
        turn_b[j] = cross(qx, qy, bx[j], by[j]);
        old_side[j] = new_side[j] + (turn_a[j] - turn_b[j]);
        if (magnitude(new_side[j]) <= doubt[j]) broken |= on_edge(items[j]);
        if (!Exact && (magnitude(new_side[j]) <= doubt[j] || magnitude(old_side[j]) <= doubt[j]))
          doubt[j] = std::numeric_limits<float>::infinity();  // every pair of this edge is recomputed
      }
      for (std::int32_t i = 0; i < size; ++i) {
        const StarEdge s = a_.star[i];
        std::int32_t net = 0;
        for (int j = 0; j < kBlock; ++j) {
          // Orientations (p, u, a) and (p, u, b), (a, b, u), (q, u, a) and (q, u, b).
          const float new_a = cross(s.x, s.y, ax[j], ay[j]), new_b = cross(s.x, s.y, bx[j], by[j]);
          const float far_side = new_side[j] + (new_a - new_b);
          const float old_a = (new_a - turn_a[j]) - s.turn, old_b = (new_b - turn_b[j]) - s.turn;
          std::int32_t difference;
          if constexpr (Exact) {
            const float product = new_a * new_b;
            difference = ((product < 0.0f && new_side[j] * far_side < 0.0f) ? 1 : 0) -
                         ((old_a * old_b < 0.0f && old_side[j] * far_side < 0.0f) ? 1 : 0);
            if (product == 0.0f && items[j] >= 0) broken |= touches(items[j], s.vertex, new_a, new_b);
          } else {
            const std::int32_t now = (bits(new_a) ^ bits(new_b)) & (bits(new_side[j]) ^ bits(far_side));
            const std::int32_t before = (bits(old_a) ^ bits(old_b)) & (bits(old_side[j]) ^ bits(far_side));
            difference = (before >> 31) - (now >> 31);
            const float least = fminf(
                fminf(fminf(magnitude(new_a), magnitude(new_b)), fminf(magnitude(old_a), magnitude(old_b))),
                magnitude(far_side));
            if (least <= doubt[j]) difference = resolve(items[j], s.vertex, new_a, new_b, broken);
          }
          change[j] += difference;
          net += difference;
        }
        if (net != 0) team_.atomic_add(&a_.star_changes[i], net);
      }
      for (int j = 0; j < kBlock; ++j)
        if (items[j] >= 0 && change[j] != 0) change_pending(items[j], change[j]);
    };

    team_.template sieve<kBlock>(a_.m, near_star, test);
    return team_.vote(broken);
  }

  LCN_HD void change_pending(std::int32_t f, std::int32_t change) {
    const Count before = a_.pending[f], after = static_cast<Count>(before + change);
    a_.pending[f] = after;
    if (table_ != nullptr) energy_change_ += table_[after] - table_[before];
  }

  // Is the new place on edge f?
  LCN_HD bool on_edge(std::int32_t f) const {
    const typename Index::Ends edge = a_.edges[f];
    const GridPoint a = a_.points[edge.a], b = a_.points[edge.b];
    return turn(a, b, p_) == 0 && in_box(a, b, p_);
  }

  // Exact grids: an end of f is on the line through p and u. Is one that is not u on the segment?
  LCN_HD bool touches(std::int32_t f, std::int32_t u, float new_a, float new_b) const {
    const typename Index::Ends edge = a_.edges[f];
    const GridPoint at = a_.points[u];
    return (new_a == 0.0f && edge.a != u && in_box(p_, at, a_.points[edge.a])) ||
           (new_b == 0.0f && edge.b != u && in_box(p_, at, a_.points[edge.b]));
  }

  // Change of the pair (edge f, v's edge to u) in exact arithmetic; `broken` is set where an end of f is on
  // the new edge.
  LCN_HD std::int32_t resolve(std::int32_t f, std::int32_t u, float new_a, float new_b, bool& broken) const {
    const typename Index::Ends edge = a_.edges[f];
    const GridPoint at = a_.points[u];
    if (u == edge.a || u == edge.b) {
      // They share u and cannot cross; but f's other end may lie on the new edge.
      const bool at_a = u == edge.a;
      if (magnitude(at_a ? new_b : new_a) <= doubt_) broken |= blocks(a_.points[at_a ? edge.b : edge.a], at);
      return 0;
    }
    const GridPoint a = a_.points[edge.a], b = a_.points[edge.b];
    const std::int64_t far_side = turn(a, b, at);
    const std::int64_t at_a = turn(p_, at, a), at_b = turn(p_, at, b);
    broken |= (at_a == 0 && in_box(p_, at, a)) || (at_b == 0 && in_box(p_, at, b));
    const bool now = opposite(at_a, at_b) && opposite(turn(a, b, p_), far_side);
    const bool before = opposite(turn(q_, at, a), turn(q_, at, b)) && opposite(turn(a, b, q_), far_side);
    return (now ? 1 : 0) - (before ? 1 : 0);
  }

  DirectArrays<Index> a_;
  const Team& team_;
  float doubt_, box_margin_, line_margin_;
  Tuple tuple_, pending_;
  bool known_ = false;  // pending_ is the tuple of the pending move
  const std::int64_t* table_ = nullptr;
  std::int64_t energy_change_ = 0;  // this lane's part
  // The pending move.
  std::int32_t vertex_ = -1, degree_ = 0;
  const Incidence* near_ = nullptr;
  GridPoint p_{}, q_{};
};

}  // namespace lcn
