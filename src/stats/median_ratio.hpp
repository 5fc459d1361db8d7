#pragma once
#include <span>

#include "random/philox.hpp"

namespace lcn {

// Middle value, or the mean of the two middle values. Error(internal) for no samples.
double median(std::span<const double> samples);

struct RatioEstimate {
  double value = 0;          // median(numerator) / median(denominator)
  double low = 0, high = 0;  // 95 % percentile bootstrap interval of that ratio
  int resamples = 0;
  bool paired =
      false;  // samples of equal number were taken in rounds: rounds are resampled, not single samples
};

// Deterministic in (samples, key). Error(internal) for no samples or a denominator that is not positive.
RatioEstimate median_ratio(std::span<const double> numerator, std::span<const double> denominator,
                           StreamKey key, int resamples = 2000);

}  // namespace lcn
