#include "layout/gradient_schedule.hpp"

#include <cmath>

namespace lcn {
namespace {

struct Phase {
  int epochs;
  double sharpness_from, sharpness_to, rate_from, rate_to;
  bool balanced;
};

double geometric(double from, double to, double share) {
  return from * std::pow(to / from, share);
}

}  // namespace

std::vector<GradientStep> gradient_schedule(int epochs) {
  const int first = epochs * 3 / 10, second = epochs * 3 / 10;
  const Phase phases[] = {{first, 3, 12, 0.03, 0.01, false},
                          {second, 12, 30, 0.01, 0.004, false},
                          {epochs - first - second, 24, 60, 0.005, 0.0007, true}};
  std::vector<GradientStep> steps;
  for (const Phase& phase : phases)
    for (int i = 0; i < phase.epochs; ++i) {
      const double share = phase.epochs > 1 ? i / (phase.epochs - 1.0) : 1.0;
      steps.push_back({static_cast<float>(geometric(phase.sharpness_from, phase.sharpness_to, share)),
                       static_cast<float>(geometric(phase.rate_from, phase.rate_to, share)), phase.balanced});
    }
  return steps;
}

}  // namespace lcn
