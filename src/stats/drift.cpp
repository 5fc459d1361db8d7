#include "stats/drift.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "stats/median_ratio.hpp"

namespace lcn {
namespace {

std::vector<double> ranks(std::span<const double> samples) {
  std::vector<std::size_t> order(samples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return samples[a] < samples[b]; });
  std::vector<double> result(samples.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && samples[order[last + 1]] == samples[order[first]]) ++last;
    for (std::size_t i = first; i <= last; ++i) result[order[i]] = 0.5 * static_cast<double>(first + last);
    first = last + 1;
  }
  return result;
}

}  // namespace

Drift drift(std::span<const double> samples) {
  Drift result;
  const std::size_t n = samples.size();
  if (n < 3) return result;
  const std::vector<double> rank = ranks(samples);
  const double mean = 0.5 * static_cast<double>(n - 1);
  double together = 0, of_ranks = 0, of_places = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double r = rank[i] - mean, place = static_cast<double>(i) - mean;
    together += r * place;
    of_ranks += r * r;
    of_places += place * place;
  }
  if (of_ranks > 0) result.rank_correlation = together / std::sqrt(of_ranks * of_places);
  result.z = result.rank_correlation * std::sqrt(static_cast<double>(n - 1));
  const std::size_t third = n / 3;
  result.change = median(samples.last(third)) / median(samples.first(third)) - 1;
  return result;
}

}  // namespace lcn
