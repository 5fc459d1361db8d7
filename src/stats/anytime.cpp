#include "stats/anytime.hpp"

#include <algorithm>

namespace lcn {

double anytime_mean(std::span<const AnytimePoint> points, double horizon, double before) {
  double area = 0, from = 0, value = before;
  for (const AnytimePoint& point : points) {
    const double until = std::clamp(point.time, from, horizon);
    area += (until - from) * value;
    from = until;
    if (point.time < horizon) value = point.value;
  }
  return (area + (horizon - from) * value) / horizon;
}

}  // namespace lcn
