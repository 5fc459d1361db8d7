#pragma once
#include <cstdint>

#include "crossings/tuple.hpp"
#include "geometry/predicates.hpp"
#include "graph/graph.hpp"
#include "support/host_device.hpp"

namespace lcn {

// What a DirectCounter reads and writes: plain pointers, so that host memory, shared and global device memory all serve.
template <class T>
struct DirectArrays {
  std::int32_t n = 0, m = 0;
  const Edge* edges = nullptr;
  const std::int32_t* offsets = nullptr;
  const Incidence* incidences = nullptr;
  const std::int32_t* isolated = nullptr;  // vertices without edges
  std::int32_t isolated_count = 0;
  std::int64_t width = 0, height = 0;
  T* x = nullptr;                          // n
  T* y = nullptr;                          // n
  std::int32_t* counts = nullptr;          // m
  std::int32_t* deltas = nullptr;          // m, all zero between moves
};

// Incremental crossing counter without crossing sets: for "vertex v to point p" every lane takes a share of the edges f and
// tests them against each edge of v at its old and at its new place, deg(v) * m pairs. The same integers as BitCounter.
// T: std::int32_t (differences up to 32,767), double (2^26) or std::int64_t (2^30). The counter concept of search/chain.hpp;
// every member is collective over the team.
template <class T, class Team>
class DirectCounter {
 public:
  LCN_HD DirectCounter(const DirectArrays<T>& arrays, const Team& team) : a_(arrays), team_(team) {}

  LCN_HD std::int32_t x(std::int32_t v) const { return static_cast<std::int32_t>(a_.x[v]); }
  LCN_HD std::int32_t y(std::int32_t v) const { return static_cast<std::int32_t>(a_.y[v]); }
  LCN_HD std::int32_t count(std::int32_t e) const { return a_.counts[e]; }
  LCN_HD const Tuple& tuple() const { return tuple_; }
  LCN_HD void set_tuple(const Tuple& tuple) { tuple_ = tuple; }

  LCN_HD bool crosses(std::int32_t e, std::int32_t f) const {
    const Edge s = a_.edges[e], t = a_.edges[f];
    if (s.a == t.a || s.a == t.b || s.b == t.a || s.b == t.b) return false;
    return segments_cross(a_.x[s.a], a_.y[s.a], a_.x[s.b], a_.y[s.b], a_.x[t.a], a_.y[t.a], a_.x[t.b], a_.y[t.b]);
  }

  // Counts of the present positions from nothing, O(m^2 / lanes), and the tuple.
  LCN_HD void recount() {
    team_.for_each(a_.m, [&](std::int32_t e) {
      std::int32_t total = 0;
      for (std::int32_t f = 0; f < a_.m; ++f) total += crosses(e, f) ? 1 : 0;
      a_.counts[e] = total;
      a_.deltas[e] = 0;
    });
    tuple_ = pending_tuple();
  }

  LCN_HD bool evaluate(std::int32_t v, std::int32_t new_x, std::int32_t new_y) {
    if (new_x < 0 || new_y < 0 || new_x > a_.width || new_y > a_.height) return false;
    const T px = static_cast<T>(new_x), py = static_cast<T>(new_y);
    const T qx = a_.x[v], qy = a_.y[v];  // the old place
    const std::int32_t begin = a_.offsets[v], degree = a_.offsets[v + 1] - begin;
    const Incidence* near = a_.incidences + begin;
    // V2, vertices without edges on the new segments (V3), and v's neighbours on them.
    bool bad = team_.any(a_.n, [&](std::int32_t w) { return w != v && a_.x[w] == px && a_.y[w] == py; });
    if (bad) return false;
    bad = team_.any(a_.isolated_count * degree, [&](std::int32_t k) {
      return blocks(a_.isolated[k / degree], v, near[k % degree].neighbour, px, py);
    });
    bad |= team_.any(degree * degree, [&](std::int32_t k) {
      return k / degree != k % degree && blocks(near[k / degree].neighbour, v, near[k % degree].neighbour, px, py);
    });
    if (bad) return false;
    bad = team_.any(a_.m, [&](std::int32_t f) {
      const Edge edge = a_.edges[f];
      if (edge.a == v || edge.b == v) return false;
      const T ax = a_.x[edge.a], ay = a_.y[edge.a], bx = a_.x[edge.b], by = a_.y[edge.b];
      const int new_side = sign(orientation(ax, ay, bx, by, px, py));
      const int old_side = sign(orientation(ax, ay, bx, by, qx, qy));
      bool broken = new_side == 0 && point_on_segment(ax, ay, bx, by, px, py);
      std::int32_t change = 0;
      for (std::int32_t i = 0; i < degree; ++i) {
        const std::int32_t u = near[i].neighbour;
        if (u == edge.a || u == edge.b) {
          // They share u and cannot cross; but f's other end may lie on the new segment.
          broken |= blocks(u == edge.a ? edge.b : edge.a, v, u, px, py);
          continue;
        }
        const T ux = a_.x[u], uy = a_.y[u];
        const int far_side = sign(orientation(ax, ay, bx, by, ux, uy));
        std::int32_t now = 0, before = 0;
        if (new_side * far_side <= 0) {
          const int sa = sign(orientation(px, py, ux, uy, ax, ay)), sb = sign(orientation(px, py, ux, uy, bx, by));
          now = (new_side * far_side < 0 && sa * sb < 0) ? 1 : 0;
          if (sa == 0) broken |= point_on_segment(px, py, ux, uy, ax, ay);
          if (sb == 0) broken |= point_on_segment(px, py, ux, uy, bx, by);
        }
        if (old_side * far_side < 0) {
          const int sa = sign(orientation(qx, qy, ux, uy, ax, ay)), sb = sign(orientation(qx, qy, ux, uy, bx, by));
          before = sa * sb < 0 ? 1 : 0;
        }
        if (now != before) {
          change += now - before;
          team_.atomic_add(&a_.deltas[near[i].edge], now - before);
        }
      }
      if (change != 0) a_.deltas[f] = change;
      return broken;
    });
    if (bad) {
      discard();
      return false;
    }
    vertex_ = v;
    new_x_ = px;
    new_y_ = py;
    return true;
  }

  LCN_HD std::int64_t energy_change(const std::int64_t* table) const {
    return team_.sum(a_.m, [&](std::int32_t f) {
      const std::int32_t delta = a_.deltas[f];
      if (delta == 0) return std::int64_t{0};
      const std::int32_t old_count = a_.counts[f];
      return table[old_count + delta] - table[old_count];
    });
  }

  LCN_HD std::int64_t energy(const std::int64_t* table) const {
    return team_.sum(a_.m, [&](std::int32_t f) { return table[a_.counts[f]]; });
  }

  LCN_HD Tuple pending_tuple() const {
    Tuple t;
    const auto pending = [&](std::int32_t f) { return static_cast<std::int64_t>(a_.counts[f] + a_.deltas[f]); };
    team_.max_and_count(a_.m, pending, t.K, t.n_K);
    if (t.K == 0) t.n_K = 0;
    t.Phi = team_.sum(a_.m, [&](std::int32_t f) { return pending(f) * pending(f); });
    t.C = team_.sum(a_.m, pending) / 2;
    return t;
  }

  LCN_HD void commit() {
    tuple_ = pending_tuple();
    team_.for_each(a_.m, [&](std::int32_t f) {
      if (a_.deltas[f] == 0) return;
      a_.counts[f] += a_.deltas[f];
      a_.deltas[f] = 0;
    });
    if (team_.leader()) {
      a_.x[vertex_] = new_x_;
      a_.y[vertex_] = new_y_;
    }
    team_.sync();
  }

  LCN_HD void discard() {
    team_.for_each(a_.m, [&](std::int32_t f) { a_.deltas[f] = 0; });
  }

 private:
  // Is vertex w, neither v nor u, on the segment from p to u?
  LCN_HD bool blocks(std::int32_t w, std::int32_t v, std::int32_t u, T px, T py) const {
    return w != v && w != u && point_on_segment(px, py, a_.x[u], a_.y[u], a_.x[w], a_.y[w]);
  }

  DirectArrays<T> a_;
  const Team& team_;
  Tuple tuple_;
  std::int32_t vertex_ = -1;
  T new_x_{}, new_y_{};
};

}  // namespace lcn
