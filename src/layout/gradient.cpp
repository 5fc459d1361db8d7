#include "layout/gradient.hpp"

#include <algorithm>
#include <cmath>

namespace lcn {
namespace {

// One coordinate of every vertex under Adam.
struct AdamMoments {
  std::vector<float> first, second;
  explicit AdamMoments(std::size_t n) : first(n, 0.0f), second(n, 0.0f) {}

  // `step` is the rate over the first moment's bias, `scale` one over the second moment's bias.
  void update(std::span<float> position, std::span<const float> gradient, float step, float scale) {
    for (std::size_t v = 0; v < position.size(); ++v) {
      first[v] = kAdamDecay1 * first[v] + (1 - kAdamDecay1) * gradient[v];
      second[v] = kAdamDecay2 * second[v] + (1 - kAdamDecay2) * gradient[v] * gradient[v];
      position[v] -= step * first[v] / (std::sqrt(second[v] * scale) + kAdamFloor);
    }
  }
};

// Edges with many soft crossings get more weight, so that the maximum is lowered and not only the sum.
void update_weights(std::span<float> weights, std::span<const float> soft_counts,
                    std::vector<float>& softmax) {
  const float most = *std::max_element(soft_counts.begin(), soft_counts.end());
  if (!(most > 0)) return;
  float total = 0;
  for (std::size_t e = 0; e < weights.size(); ++e)
    total += softmax[e] = std::exp(kSoftmaxSharpness * (soft_counts[e] / most - 1));
  const float scale = kSoftmaxLag * static_cast<float>(weights.size()) / total;
  for (std::size_t e = 0; e < weights.size(); ++e)
    weights[e] = (1 - kSoftmaxLag) * weights[e] + scale * softmax[e];
}

}  // namespace

void minimise_soft_crossings(const Graph& graph, const GradientModel& model,
                             std::span<const GradientStep> schedule, std::span<float> x, std::span<float> y,
                             const std::function<void()>& checkpoint) {
  const std::size_t n = static_cast<std::size_t>(graph.n()), m = static_cast<std::size_t>(graph.m());
  if (m == 0) return;
  GradientEvaluator evaluator(graph, model);
  AdamMoments moments_x(n), moments_y(n);
  std::vector<float> gradient_x(n), gradient_y(n), soft_counts(m), weights(m, 1.0f), softmax(m);
  double bias1 = 1, bias2 = 1;
  for (const GradientStep& step : schedule) {
    if (checkpoint) checkpoint();
    evaluator.evaluate(x, y, weights, step.sharpness, gradient_x, gradient_y, soft_counts);
    bias1 *= kAdamDecay1;
    bias2 *= kAdamDecay2;
    const float rate = static_cast<float>(step.rate / (1 - bias1)),
                scale = static_cast<float>(1 / (1 - bias2));
    moments_x.update(x, gradient_x, rate, scale);
    moments_y.update(y, gradient_y, rate, scale);
    if (step.balanced) update_weights(weights, soft_counts, softmax);
  }
}

}  // namespace lcn
