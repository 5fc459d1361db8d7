#pragma once
#include <cstdint>
#include <vector>

#include "random/philox.hpp"

namespace lcn {

// Even-odd exchange decision between neighbouring rungs: accept with min(1, exp((1/Ta - 1/Tb)(Ea - Eb))),
// decided in integers (128 bits) from the draw of counter (pair, round). Temperatures above 0 in units of
// 2^-20, energies likewise.
bool accept_exchange(StreamKey key, std::int64_t round, int pair, std::int64_t temperature_a,
                     std::int64_t temperature_b, std::int64_t energy_a, std::int64_t energy_b);

// New temperatures between the same ends so that every neighbouring pair is rejected equally often, given the
// attempts and rejections of each pair (temperatures.size() - 1 entries): the cumulative rejection is
// inverted by linear interpolation in log T (Syed et al. 2022). Rungs with less than 1 attempt keep their
// spacing. Increasing; one host decides for all.
std::vector<std::int64_t> respace_ladder(const std::vector<std::int64_t>& temperatures,
                                         const std::vector<std::int64_t>& attempts,
                                         const std::vector<std::int64_t>& rejections);

std::vector<std::int64_t> geometric_ladder(double cold, double hot, int rungs);

}  // namespace lcn
