#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lcn {

// One unit that was watched until `time`: then it reached its target, or watching ended (censored).
struct TimeToEvent {
  double time = 0;
  bool reached = false;
};

struct SurvivalStep {
  double time = 0;           // of an event
  double survival = 1;       // share not reached, from this time on
  double low = 1, high = 1;  // pointwise interval; at survival 0 there is none: low 0, high 1
};

// Kaplan and Meier's product limit (1958): one step per distinct event time, ascending. A unit censored at
// the time of an event counts as at risk there. Intervals: Greenwood's variance on the log(-log) scale, which
// stays within 0..1.
std::vector<SurvivalStep> survival_curve(std::span<const TimeToEvent> units, double confidence);

// Median time and its interval: where the curve, its lower and its upper limit come down to one half
// (Brookmeyer and Crowley 1982). What is not reached within the time watched has no value: it is later than
// all of it.
struct MedianTime {
  std::optional<double> median, low, high;
};
MedianTime median_time(std::span<const TimeToEvent> units, double confidence);

}  // namespace lcn
