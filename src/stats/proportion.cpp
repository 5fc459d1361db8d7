#include "stats/proportion.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "support/error.hpp"

namespace lcn {

Interval wilson_interval(std::int64_t successes, std::int64_t trials, double confidence) {
  if (trials <= 0) throw Error(ErrorKind::internal, "interval of a share of no trials");
  const double z = boost::math::quantile(boost::math::normal(), 0.5 + 0.5 * confidence);
  const double n = static_cast<double>(trials), share = static_cast<double>(successes) / n;
  const double middle = share + z * z / (2 * n);
  const double half = z * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  const double scale = 1 + z * z / n;
  // rounding must not move the ends that are exactly 0 and 1
  return {successes == 0 ? 0.0 : std::max(0.0, (middle - half) / scale),
          successes == trials ? 1.0 : std::min(1.0, (middle + half) / scale)};
}

}  // namespace lcn
