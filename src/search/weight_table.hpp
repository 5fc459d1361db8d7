#pragma once
#include <cstdint>
#include <vector>

#include "search/fixed_point.hpp"

namespace lcn {

// What a chain minimises: the sum of w(c(e)) over all edges, from a table, or the tuple itself with staged
// acceptance.
enum class EnergyKind : std::int32_t { table, tuple };

// w(c) = c: the plain number of crossings (each counted on both edges).
std::vector<std::int64_t> linear_table(std::int64_t m);

// The exponent of a search is power * K + kPowerBase: where K is small, power * K alone would be nearly flat
// (measured on a graph with K = 3: never reached with exponent K in 20 s, always with K + 4 and more).
inline constexpr double kPowerBase = 4.0;

// w(c) = min(w_max, (K/p) (c/K)^p) + slope*c, with slope 1 beyond saturation: steep above K, flat below it,
// and one crossing on an edge at level K costs about 1. Entries for c = 0..m, increasing, m * max entry <
// 2^62. K >= 1, p >= 1, slope >= 0.
std::vector<std::int64_t> power_table(std::int64_t m, std::int64_t K, double p, double slope);

}  // namespace lcn
