#include "stats/kaplan_meier.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace lcn {

std::vector<SurvivalStep> survival_curve(std::span<const TimeToEvent> units, double confidence) {
  const double z = boost::math::quantile(boost::math::normal(), 0.5 + 0.5 * confidence);
  std::vector<TimeToEvent> sorted(units.begin(), units.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const TimeToEvent& a, const TimeToEvent& b) { return a.time < b.time; });
  std::vector<SurvivalStep> curve;
  double survival = 1, greenwood = 0;
  for (std::size_t first = 0; first < sorted.size();) {
    const double time = sorted[first].time;
    const double at_risk = static_cast<double>(sorted.size() - first);
    double events = 0;
    for (; first < sorted.size() && sorted[first].time == time; ++first) events += sorted[first].reached;
    if (events == 0) continue;
    SurvivalStep step{time, 0, 0, 1};
    if (events < at_risk) {
      survival *= 1 - events / at_risk;
      greenwood += events / (at_risk * (at_risk - events));
      const double width = std::exp(z * std::sqrt(greenwood) / -std::log(survival));
      step = {time, survival, std::pow(survival, width), std::pow(survival, 1 / width)};
    }
    curve.push_back(step);
  }
  return curve;
}

MedianTime median_time(std::span<const TimeToEvent> units, double confidence) {
  MedianTime result;
  for (const SurvivalStep& step : survival_curve(units, confidence)) {
    // a curve that meets one half exactly may have passed it by rounding only
    const auto halved = [](double share) { return share <= 0.5 + 1e-12; };
    if (!result.low && halved(step.low)) result.low = step.time;
    if (!result.median && halved(step.survival)) result.median = step.time;
    if (!result.high && halved(step.high)) result.high = step.time;
  }
  return result;
}

}  // namespace lcn
