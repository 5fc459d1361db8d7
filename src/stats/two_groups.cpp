#include "stats/two_groups.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace lcn {

TwoGroups two_groups(std::span<const double> samples) {
  TwoGroups best;
  const std::size_t n = samples.size();
  if (n < 4) return best;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const double count = static_cast<double>(n);
  const double mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / count;
  double total = 0;
  for (double& value : sorted) {
    value -= mean;  // sums of differences from the mean lose no digits
    total += value * value;
  }
  if (!(total > 0)) return best;
  const std::size_t least = std::max<std::size_t>(2, (n + 4) / 5);
  double low_sum = 0;  // of sorted[0..k-1]; the rest sums to minus that
  for (std::size_t k = 1; k + least <= n; ++k) {
    low_sum += sorted[k - 1];
    if (k < least) continue;
    const double low = static_cast<double>(k), high = count - low;
    const double explained = low_sum * low_sum * (1 / low + 1 / high) / total;
    if (explained > best.explained) best = {explained, mean + low_sum / low, mean - low_sum / high, k, n - k};
  }
  return best;
}

}  // namespace lcn
