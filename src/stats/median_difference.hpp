#pragma once
#include <vector>

#include "random/philox.hpp"
#include "stats/interval.hpp"

namespace lcn {

struct MedianDifference {
  double value = 0;  // mean over strata of the median within each
  Interval interval;
};

// Bootstrap (Efron 1979) of paired differences: pairs are drawn again within each stratum, the interval is of
// nearest ranks of the resampled values. One stratum: the median difference. Deterministic in (strata, key).
// Error(internal) without strata or with an empty one.
MedianDifference median_difference(const std::vector<std::vector<double>>& strata, double confidence,
                                   StreamKey key, int resamples = 2000);

}  // namespace lcn
