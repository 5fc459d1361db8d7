#include "stats/median_difference.hpp"

#include <algorithm>

#include "random/stream.hpp"
#include "stats/median_ratio.hpp"
#include "support/error.hpp"

namespace lcn {

MedianDifference median_difference(const std::vector<std::vector<double>>& strata, double confidence,
                                   StreamKey key, int resamples) {
  if (strata.empty()) throw Error(ErrorKind::internal, "difference of no pairs");
  const double count = static_cast<double>(strata.size());
  MedianDifference result;
  for (const std::vector<double>& stratum : strata) result.value += median(stratum) / count;
  Stream stream(key);
  std::vector<double> values, drawn;
  for (int i = 0; i < resamples; ++i) {
    double value = 0;
    for (const std::vector<double>& stratum : strata) {
      drawn.resize(stratum.size());
      for (double& d : drawn) d = stratum[stream.below(static_cast<std::uint32_t>(stratum.size()))];
      value += median(drawn) / count;
    }
    values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  result.interval = {nearest_rank(values, 0.5 * (1 - confidence)),
                     nearest_rank(values, 0.5 * (1 + confidence))};
  return result;
}

}  // namespace lcn
