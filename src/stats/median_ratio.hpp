#pragma once
#include <span>
#include <vector>

#include "random/philox.hpp"

namespace lcn {

// Middle value, or the mean of the two middle values. Error(internal) for no samples.
double median(std::span<const double> samples);

// The value of ascending ones below or at which this share of them lies (0..1), by nearest rank. Not empty.
double nearest_rank(std::span<const double> sorted, double share);

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

struct RatioSamples {
  std::span<const double> numerator, denominator;
};

// The geometric mean of the median ratios of several workloads, and its interval by resampling the samples of
// every one of them as median_ratio does. It holds what repeated timing of these very workloads would give;
// it says nothing about others. `paired` when all are. Deterministic in (samples, key). Error(internal) for
// no workload, and as above.
RatioEstimate geometric_mean_ratio(const std::vector<RatioSamples>& workloads, StreamKey key,
                                   int resamples = 2000);

}  // namespace lcn
