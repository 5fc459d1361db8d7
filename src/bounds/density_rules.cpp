#include "bounds/density_rules.hpp"

#include <algorithm>
#include <array>

namespace lcn {
namespace {

// ceil(a / b) for a >= 0, b > 0.
std::int64_t ceiling(__int128 a, __int128 b) {
  return static_cast<std::int64_t>((a + b - 1) / b);
}

// A drawing with K <= k has 2 m <= twice_limit edges; halves keep 5.5 n and 3.5 n integers.
struct Limit {
  std::int64_t k, twice_limit;
  const char* rule;
};

// The limits grow with k: the last one that is exceeded counts.
template <std::size_t kSize>
RuleValue exceeded(std::int64_t m, const std::array<Limit, kSize>& limits) {
  RuleValue best;
  for (const Limit& limit : limits)
    if (2 * m > limit.twice_limit) best = {limit.k + 1, limit.rule};
  return best;
}

RuleValue larger(const RuleValue& s, const RuleValue& t) {
  return t.value > s.value ? t : s;
}

}  // namespace

RuleValue density_rule(std::int64_t n, std::int64_t m) {
  if (n < 3) return {};
  RuleValue best = exceeded(m, std::array<Limit, 6>{{{0, 6 * n - 12, "density-0"},
                                                     {1, 8 * n - 18, "density-1"},
                                                     {2, 10 * n - 20, "density-2"},
                                                     {3, 11 * n - 22, "density-3"},
                                                     {4, 12 * n - 24, "density-4"},
                                                     {5, 14 * n - 28, "density-5"}}});
  // cr >= m^3 / (27.48 n^2) for m > 6.77 n, and K >= 2 cr / m = 2 m^2 / (27.48 n^2) = 50 m^2 / (687 n^2).
  if (100 * m > 677 * n) {
    const __int128 wide_n = n, wide_m = m;
    best = larger(best, {ceiling(50 * wide_m * wide_m, 687 * wide_n * wide_n), "crossing-lemma"});
  }
  return best;
}

RuleValue bipartite_density_rule(std::int64_t n, std::int64_t m, std::int64_t smaller_side) {
  if (n < 4 || smaller_side < 2) return {};
  const std::int64_t by_order = n % 2 == 0 && n != 6 ? 3 * n - 8 : 3 * n - 9;
  const std::int64_t by_sides = 2 * n + 4 * smaller_side - 12;
  RuleValue best =
      exceeded(m, std::array<Limit, 4>{{{0, 4 * n - 8, "bipartite-density-0"},
                                        {1, 2 * std::min(by_order, by_sides), "bipartite-density-1"},
                                        {2, 7 * n - 14, "bipartite-density-2"},
                                        {3, 8 * n - 16, "bipartite-density-3"}}});
  // cr >= 1024 m^3 / (16875 n^2) for 16 m >= 75 n (derived in docs/bounds.md).
  if (16 * m >= 75 * n) {
    const __int128 wide_n = n, wide_m = m;
    best =
        larger(best, {ceiling(2048 * wide_m * wide_m, 16875 * wide_n * wide_n), "bipartite-crossing-lemma"});
  }
  return best;
}

std::int64_t complete_graph_local_crossing_number(std::int64_t r) {
  if (r < 5) return 0;
  if (r == 8) return 4;
  if (r == 14) return 15;
  const std::int64_t q = (r - 3 + 2) / 3;  // ceil((r - 3) / 3)
  return (q * (r - 3 - q) + 1) / 2;
}

}  // namespace lcn
