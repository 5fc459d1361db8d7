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

// Draws one resample after the other: rounds where both sides have equally many samples, else single samples.
class Resampler {
 public:
  explicit Resampler(const RatioSamples& samples)
      : samples_(samples), top_(samples.numerator.size()), bottom_(samples.denominator.size()) {}

  bool paired() const { return top_.size() == bottom_.size(); }

  double draw(Stream& stream) {
    for (std::size_t k = 0; k < top_.size(); ++k) {
      const std::size_t drawn = stream.below(static_cast<std::uint32_t>(top_.size()));
      top_[k] = samples_.numerator[drawn];
      if (paired()) bottom_[k] = samples_.denominator[drawn];
    }
    if (!paired())
      for (double& value : bottom_)
        value = samples_.denominator[stream.below(static_cast<std::uint32_t>(bottom_.size()))];
    return median_in_place(top_) / median_in_place(bottom_);
  }

 private:
  RatioSamples samples_;
  std::vector<double> top_, bottom_;
};

double ratio_of_medians(const RatioSamples& samples) {
  const double bottom = median(samples.denominator);
  if (!(bottom > 0)) throw Error(ErrorKind::internal, "ratio to a median that is not positive");
  return median(samples.numerator) / bottom;
}

void set_interval(RatioEstimate& estimate, std::vector<double>& ratios) {
  std::sort(ratios.begin(), ratios.end());
  estimate.low = nearest_rank(ratios, 0.025);
  estimate.high = nearest_rank(ratios, 0.975);
}

}  // namespace

double median(std::span<const double> samples) {
  if (samples.empty()) throw Error(ErrorKind::internal, "median of no samples");
  std::vector<double> copy(samples.begin(), samples.end());
  return median_in_place(copy);
}

double nearest_rank(std::span<const double> sorted, double share) {
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  const auto index = static_cast<std::size_t>(std::max(1.0, rank)) - 1;
  return sorted[std::min(index, sorted.size() - 1)];
}

RatioEstimate median_ratio(std::span<const double> numerator, std::span<const double> denominator,
                           StreamKey key, int resamples) {
  const RatioSamples samples{numerator, denominator};
  RatioEstimate estimate;
  estimate.value = ratio_of_medians(samples);
  estimate.resamples = resamples;
  Resampler resampler(samples);
  estimate.paired = resampler.paired();
  Stream stream(key);
  std::vector<double> ratios;
  for (int i = 0; i < resamples; ++i) ratios.push_back(resampler.draw(stream));
  set_interval(estimate, ratios);
  return estimate;
}

RatioEstimate geometric_mean_ratio(const std::vector<RatioSamples>& workloads, StreamKey key, int resamples) {
  if (workloads.empty()) throw Error(ErrorKind::internal, "geometric mean of no ratio");
  const auto count = static_cast<double>(workloads.size());
  RatioEstimate estimate;
  estimate.resamples = resamples;
  estimate.paired = true;
  std::vector<Resampler> resamplers;
  double logarithms = 0;
  for (const RatioSamples& samples : workloads) {
    logarithms += std::log(ratio_of_medians(samples));
    resamplers.emplace_back(samples);
    estimate.paired = estimate.paired && resamplers.back().paired();
  }
  estimate.value = std::exp(logarithms / count);
  Stream stream(key);
  std::vector<double> means;
  for (int i = 0; i < resamples; ++i) {
    double sum = 0;
    for (Resampler& resampler : resamplers) sum += std::log(resampler.draw(stream));
    means.push_back(std::exp(sum / count));
  }
  set_interval(estimate, means);
  return estimate;
}

}  // namespace lcn
