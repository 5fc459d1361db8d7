#pragma once
#include <cstdint>

#include "crossings/tuple.hpp"
#include "support/host_device.hpp"

namespace lcn {

// An axis-parallel box of points with members x and y.
template <class Point>
struct Bounds {
  Point low, high;
  LCN_HD void add(Point p) {
    if (p.x < low.x) low.x = p.x;
    if (p.y < low.y) low.y = p.y;
    if (p.x > high.x) high.x = p.x;
    if (p.y > high.y) high.y = p.y;
  }
};

// A team is what runs one replica: one thread on the CPU, a block on the GPU. Chain and counter are written
// over it: code outside the team's functions is executed by every lane with the same values; the functions
// below share work.
//
// HostTeam emulates a team of `Lanes` lanes on one thread: it visits items lane by lane in the stride that a
// block uses, so that a result that depended on the order of lanes would differ between 1, 32 and 128. All
// reductions are over integers. kernels/search/block_team.cuh is the device's twin.
template <int Lanes>
class HostTeam {
 public:
  static constexpr int lanes = Lanes;

  bool leader() const { return true; }
  void sync() const {}

  // f(i) for i in 0..n-1, then a barrier.
  template <class F>
  void for_each(std::int32_t n, F&& f) const {
    for (std::int32_t lane = 0; lane < Lanes; ++lane)
      for (std::int32_t i = lane; i < n; i += Lanes) f(i);
  }
  // Sum of f(i) as int64, the same value for every lane.
  template <class F>
  std::int64_t sum(std::int32_t n, F&& f) const {
    std::int64_t total = 0;
    for (std::int32_t lane = 0; lane < Lanes; ++lane)
      for (std::int32_t i = lane; i < n; i += Lanes) total += f(i);
    return total;
  }
  // The same for a short list, without a barrier (every warp of a block adds up all of it).
  template <class F>
  std::int64_t short_sum(std::int32_t n, F&& f) const {
    return sum(n, f);
  }
  // Sum of every lane's own value. A barrier.
  std::int64_t total(std::int64_t mine) const { return mine; }
  // Is any f(i) true? Every i is visited (f may have effects).
  template <class F>
  bool any(std::int32_t n, F&& f) const {
    bool found = false;
    for (std::int32_t lane = 0; lane < Lanes; ++lane)
      for (std::int32_t i = lane; i < n; i += Lanes) found |= f(i);
    return found;
  }
  // The tuple of the per-edge counts count(i), in one pass; count may have effects on i's own data. Then a
  // barrier.
  template <class F>
  Tuple tuple_of(std::int32_t n, F&& count) const {
    Tuple t;
    std::int64_t sum = 0;
    for (std::int32_t lane = 0; lane < Lanes; ++lane)
      for (std::int32_t i = lane; i < n; i += Lanes) {
        const std::int64_t value = count(i);
        sum += value;
        t.Phi += value * value;
        if (value > t.K) {
          t.K = value;
          t.n_K = 0;
        }
        if (value == t.K && value > 0) ++t.n_K;
      }
    t.C = sum / 2;
    return t;
  }
  // Is `mine` true in any lane? A barrier.
  bool vote(bool mine) const { return mine; }
  // The smallest box around p, q and point(i) for i in 0..n-1.
  template <class Point, class F>
  Bounds<Point> bounds(Point p, Point q, std::int32_t n, F&& point) const {
    Bounds<Point> box{p, p};
    box.add(q);
    for (std::int32_t i = 0; i < n; ++i) box.add(point(i));
    return box;
  }
  // Calls pass(i) once for every i in 0..n-1, and work(items) with blocks of the i that passed, the last
  // block filled up with -1. What pass(i) wrote is visible to the work on i. No barrier at the end.
  template <int Block, class Pass, class Work>
  void sieve(std::int32_t n, Pass&& pass, Work&& work) const {
    std::int32_t items[Block], size = 0;
    const auto flush = [&] {
      for (std::int32_t j = size; j < Block; ++j) items[j] = -1;
      work(items);
      size = 0;
    };
    for (std::int32_t lane = 0; lane < Lanes; ++lane)
      for (std::int32_t i = lane; i < n; i += Lanes) {
        if (!pass(i)) continue;
        items[size++] = i;
        if (size == Block) flush();
      }
    if (size > 0) flush();
  }
  // Of 32 candidates item(0..31): the first whose value reaches the threshold; if there is none, the first
  // with the largest value. No side effects.
  template <class Item, class Value>
  std::int32_t select32(Item&& item, Value&& value, std::int32_t threshold) const {
    std::int32_t best = 0, best_value = INT32_MIN;
    for (std::int32_t i = 0; i < 32; ++i) {
      const std::int32_t candidate = item(i), v = value(candidate);
      if (v >= threshold) return candidate;
      if (v > best_value) {
        best_value = v;
        best = candidate;
      }
    }
    return best;
  }
  // Of 32 candidates item(0..31) the first that passes, or -1. No side effects.
  template <class Item, class Pass>
  std::int32_t first32(Item&& item, Pass&& pass) const {
    for (std::int32_t i = 0; i < 32; ++i) {
      const std::int32_t candidate = item(i);
      if (pass(candidate)) return candidate;
    }
    return -1;
  }
  void atomic_add(std::int32_t* target, std::int32_t amount) const { *target += amount; }
};

}  // namespace lcn
