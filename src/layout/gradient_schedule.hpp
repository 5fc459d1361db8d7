#pragma once
#include <vector>

namespace lcn {

// One epoch of the crossing gradient: sharpness T, Adam's learning rate, and whether edges are weighted by
// the lagged softmax of their soft counts. The same table drives the CPU and the GPU, which therefore never
// asks the host.
struct GradientStep {
  float sharpness, rate;
  bool balanced;
};

// Adam (Kingma and Ba 2015) with the usual decay of its moments. kAdamFloor keeps the quotient finite.
inline constexpr float kAdamDecay1 = 0.9f, kAdamDecay2 = 0.999f, kAdamFloor = 1e-8f;
// Balanced epochs: w <- (1 - lag) w + lag m softmax(softmax_sharpness c / max c), so weights keep mean 1.
inline constexpr float kSoftmaxSharpness = 8.0f, kSoftmaxLag = 0.1f;

// T 3 -> 12 at rate 0.03 -> 0.01, T 12 -> 30 at 0.01 -> 0.004, then balanced T 24 -> 60 at 0.005 -> 0.0007,
// all geometric; the three parts take 3, 3 and 4 tenths of the epochs. epochs >= 0.
std::vector<GradientStep> gradient_schedule(int epochs);

}  // namespace lcn
