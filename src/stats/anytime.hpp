#pragma once
#include <span>

namespace lcn {

// A value that holds from `time` on.
struct AnytimePoint {
  double time = 0, value = 0;
};

// Mean value over 0..horizon of the step function through the points (ascending times): the area under an
// anytime curve divided by the budget, in units of the value. Before the first point it is `before`, after
// the last one the last value; points beyond the horizon do not count. horizon > 0.
double anytime_mean(std::span<const AnytimePoint> points, double horizon, double before);

}  // namespace lcn
