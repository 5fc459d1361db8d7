#pragma once
#include <cstdint>

#include "stats/interval.hpp"

namespace lcn {

// Wilson's score interval of a probability after `successes` of `trials` (Wilson 1927; Newcombe 1998, method
// 3): never outside 0..1, of positive width at 0 and at all successes. confidence in 0..1, for example 0.95.
// Error(internal) without trials.
Interval wilson_interval(std::int64_t successes, std::int64_t trials, double confidence);

}  // namespace lcn
