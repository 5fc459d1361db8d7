#pragma once
#include <cstdint>

namespace lcn {

// A team is what runs one replica: one thread on the CPU, a block on the GPU. Chain and counter are written over it: code
// outside the team's functions is executed by every lane with the same values; the functions below share work.
//
// HostTeam emulates a team of `Lanes` lanes on one thread: it visits items lane by lane in the stride that a block
// uses, so that a result that depended on the order of lanes would differ between 1, 32 and 128. All reductions are over
// integers. kernels/search/block_team.cuh is the device's twin.
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
  // Is any f(i) true? Every i is visited (f may have effects).
  template <class F>
  bool any(std::int32_t n, F&& f) const {
    bool found = false;
    for (std::int32_t lane = 0; lane < Lanes; ++lane)
      for (std::int32_t i = lane; i < n; i += Lanes) found |= f(i);
    return found;
  }
  // Largest f(i) (at least 0) and how many i attain it.
  template <class F>
  void max_and_count(std::int32_t n, F&& f, std::int64_t& max, std::int64_t& count) const {
    max = 0;
    count = 0;
    for (std::int32_t lane = 0; lane < Lanes; ++lane)
      for (std::int32_t i = lane; i < n; i += Lanes) {
        const std::int64_t value = f(i);
        if (value > max) {
          max = value;
          count = 0;
        }
        if (value == max) ++count;
      }
  }
  // Lowest i in 0..31 with value(i) >= threshold; if there is none, the lowest i with the largest value. No side effects.
  template <class F>
  std::int32_t select32(F&& value, std::int32_t threshold) const {
    std::int32_t best = 0, best_value = INT32_MIN;
    for (std::int32_t i = 0; i < 32; ++i) {
      const std::int32_t v = value(i);
      if (v >= threshold) return i;
      if (v > best_value) {
        best_value = v;
        best = i;
      }
    }
    return best;
  }
  void atomic_add(std::int32_t* target, std::int32_t amount) const { *target += amount; }
};

}  // namespace lcn
