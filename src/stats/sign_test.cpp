#include "stats/sign_test.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

namespace lcn {

double sign_test(std::int64_t wins, std::int64_t losses) {
  const std::int64_t tosses = wins + losses;
  if (tosses == 0) return 1;
  const boost::math::binomial fair(static_cast<double>(tosses), 0.5);
  return std::min(1.0, 2 * boost::math::cdf(fair, static_cast<double>(std::min(wins, losses))));
}

std::int64_t fewest_decisive_pairs(double alpha) {
  std::int64_t pairs = 1;
  while (std::ldexp(1.0, static_cast<int>(1 - pairs)) > alpha) ++pairs;
  return pairs;
}

}  // namespace lcn
