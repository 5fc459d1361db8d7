#include "stats/signed_rank.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace lcn {
namespace {

constexpr std::size_t kMostCounted = 50;  // 2^50 sign patterns are still exact in a double

struct Ranks {
  std::vector<std::int64_t> doubled;  // of the absolute differences; twice a mean rank is an integer
  double ties = 0;                    // sum of t^3 - t over groups of t equal sizes
};

Ranks rank_sizes(const std::vector<double>& sorted) {
  Ranks ranks;
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t end = first;
    while (end < sorted.size() && std::abs(sorted[end]) == std::abs(sorted[first])) ++end;
    const double t = static_cast<double>(end - first);
    ranks.ties += t * t * t - t;
    for (; first < end; ++first)
      ranks.doubled.push_back(static_cast<std::int64_t>(2 * end + 1) - static_cast<std::int64_t>(t));
  }
  return ranks;
}

// Share of sign patterns whose doubled sum of positive ranks is at most `sum`.
double lower_tail(const std::vector<std::int64_t>& doubled, std::int64_t sum) {
  std::int64_t total = 0;
  for (const std::int64_t rank : doubled) total += rank;
  std::vector<double> patterns(static_cast<std::size_t>(total) + 1, 0.0);
  patterns[0] = 1;
  std::int64_t reached = 0;
  for (const std::int64_t rank : doubled) {
    reached += rank;
    for (std::int64_t s = reached; s >= rank; --s)
      patterns[static_cast<std::size_t>(s)] += patterns[static_cast<std::size_t>(s - rank)];
  }
  double below = 0;
  for (std::int64_t s = 0; s <= sum; ++s) below += patterns[static_cast<std::size_t>(s)];
  return std::ldexp(below, -static_cast<int>(doubled.size()));
}

}  // namespace

SignedRank signed_rank(std::span<const double> differences) {
  std::vector<double> sorted;
  for (const double d : differences)
    if (d != 0) sorted.push_back(d);
  std::sort(sorted.begin(), sorted.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  SignedRank result;
  result.n = static_cast<std::int64_t>(sorted.size());
  if (sorted.empty()) return result;
  const Ranks ranks = rank_sizes(sorted);
  std::int64_t positive = 0, total = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    total += ranks.doubled[i];
    if (sorted[i] > 0) positive += ranks.doubled[i];
  }
  result.positive = 0.5 * static_cast<double>(positive);
  if (sorted.size() <= kMostCounted) {
    result.p = std::min(1.0, 2 * lower_tail(ranks.doubled, std::min(positive, total - positive)));
    return result;
  }
  const double n = static_cast<double>(result.n);
  const double mean = n * (n + 1) / 4, variance = n * (n + 1) * (2 * n + 1) / 24 - ranks.ties / 48;
  const double z = std::max(0.0, std::abs(result.positive - mean) - 0.5) / std::sqrt(variance);
  result.is_exact = false;
  result.p = 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), z));
  return result;
}

}  // namespace lcn
