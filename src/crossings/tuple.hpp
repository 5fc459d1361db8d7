#pragma once
#include <algorithm>
#include <compare>
#include <cstdint>
#include <span>
#include <string>

#include "support/host_device.hpp"

namespace lcn {

// The objective, compared lexicographically, smaller is better: K = max c(e); n_K = edges with c(e) = K, 0
// when K = 0; Phi = sum of c(e)^2; C = half the sum of c(e), the number of crossings.
struct Tuple {
  std::int64_t K = 0, n_K = 0, Phi = 0, C = 0;
  friend auto operator<=>(const Tuple&, const Tuple&) = default;
};

// Of per-edge counts, any integer type. Deterministic, O(m).
template <class Count>
Tuple tuple_of_counts(std::span<const Count> counts) {
  Tuple t;
  std::int64_t sum = 0;
  for (Count count : counts) {
    const auto c = static_cast<std::int64_t>(count);
    sum += c;
    t.Phi += c * c;
    if (c > t.K) {
      t.K = c;
      t.n_K = 0;
    }
    if (c == t.K && c > 0) ++t.n_K;
  }
  t.C = sum / 2;
  return t;
}

std::string to_string(const Tuple& t);  // "(K, n_K, Phi, C)"

}  // namespace lcn
