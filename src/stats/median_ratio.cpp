#include "stats/median_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "random/stream.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

double median_in_place(std::vector<double>& samples) {
  const std::size_t half = samples.size() / 2;
  std::nth_element(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(half), samples.end());
  const double upper = samples[half];
  if (samples.size() % 2 == 1) return upper;
  return 0.5 *
         (*std::max_element(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(half)) + upper);
}

// Nearest rank.
double percentile(const std::vector<double>& sorted, double share) {
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  const auto index = static_cast<std::size_t>(std::max(1.0, rank)) - 1;
  return sorted[std::min(index, sorted.size() - 1)];
}

}  // namespace

double median(std::span<const double> samples) {
  if (samples.empty()) throw Error(ErrorKind::internal, "median of no samples");
  std::vector<double> copy(samples.begin(), samples.end());
  return median_in_place(copy);
}

RatioEstimate median_ratio(std::span<const double> numerator, std::span<const double> denominator,
                           StreamKey key, int resamples) {
  const double bottom = median(denominator);
  if (!(bottom > 0)) throw Error(ErrorKind::internal, "ratio to a median that is not positive");
  RatioEstimate estimate;
  estimate.value = median(numerator) / bottom;
  estimate.resamples = resamples;
  estimate.paired = numerator.size() == denominator.size();

  Stream stream(key);
  std::vector<double> ratios, top_draw(numerator.size()), bottom_draw(denominator.size());
  for (int i = 0; i < resamples; ++i) {
    for (std::size_t k = 0; k < top_draw.size(); ++k) {
      const std::size_t drawn = stream.below(static_cast<std::uint32_t>(numerator.size()));
      top_draw[k] = numerator[drawn];
      if (estimate.paired) bottom_draw[k] = denominator[drawn];
    }
    if (!estimate.paired)
      for (double& value : bottom_draw)
        value = denominator[stream.below(static_cast<std::uint32_t>(denominator.size()))];
    ratios.push_back(median_in_place(top_draw) / median_in_place(bottom_draw));
  }
  std::sort(ratios.begin(), ratios.end());
  estimate.low = percentile(ratios, 0.025);
  estimate.high = percentile(ratios, 0.975);
  return estimate;
}

}  // namespace lcn
