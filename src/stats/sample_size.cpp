#include "stats/sample_size.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>

#include "stats/sign_test.hpp"

namespace lcn {

std::int64_t pairs_needed(double deviation, double difference, double alpha, double power) {
  const boost::math::normal normal;
  const double z_alpha = boost::math::quantile(normal, 1 - 0.5 * alpha);
  const double z = (z_alpha + boost::math::quantile(normal, power)) * deviation / difference;
  const double pairs = z * z * std::numbers::pi / 3 + 0.5 * z_alpha * z_alpha;
  return std::max(static_cast<std::int64_t>(std::ceil(pairs)), fewest_decisive_pairs(alpha));
}

}  // namespace lcn
