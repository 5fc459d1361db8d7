#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "graph/graph.hpp"
#include "layout/gradient_schedule.hpp"
#include "layout/layout.hpp"
#include "layout/spec.hpp"

namespace lcn {

// The crossing gradient minimises a smooth number of crossings of a drawing in the unit square.
//
// Two edges i = (a, b) and j = (c, d) without a common end lie on two lines that meet at a + t (b - a) =
// c + u (d - c). With s the logistic function, f(z) = s(Tz) s(T(1 - z)) tends to 1 for 0 < z < 1 and to 0
// outside as the sharpness T grows, so f(t) f(u) is a soft crossing. The objective is
//   sum over pairs of (w_i + w_j)/2 f(t) f(u)              soft crossings, w = edge weights, all 1 or lagged
//   softmax
// + spring_weight    sum over edges of (|b - a|/L - 1)^2    L = spring_length: edges neither shrink nor span
// everything
// + repulsion_weight sum over vertex pairs of (1 - |p - q|/R)^2 where |p - q| < R = repulsion_radius.
// Rules for what is not smooth: a pair of edges whose lines enclose an angle with |sin| <= minimum_sine
// counts nothing (its t and u are unbounded; edges of zero length fall under this rule), and a distance of
// zero has no direction, so it adds to the objective but nothing to the gradient.
struct GradientModel {
  double spring_length = 0, spring_weight = 1.0;
  double repulsion_radius = 0, repulsion_weight = 0.5;
  double minimum_sine = 0.05;

  // The values that worked on the contest's graphs: L = 1.2/sqrt(n), R = 0.5/sqrt(n).
  static GradientModel for_vertices(VertexId n);
};

// The objective with its gradient (n entries each) and the soft counts, sum over j of f(t) f(u), of every
// edge.
struct GradientValue {
  double objective = 0;
  std::vector<double> gradient_x, gradient_y;
  std::vector<double> soft_counts;
};

// The readable reference in float64, O(m^2 + n^2), no shortcuts: what every fast path is compared with.
// x and y have n entries, edge_weights m, all finite; sharpness T > 0.
GradientValue gradient_reference(const Graph& graph, const GradientModel& model, std::span<const double> x,
                                 std::span<const double> y, std::span<const double> edge_weights,
                                 double sharpness);

// The same gradient, float32 and vectorised, for many evaluations on one graph. Edges are sorted along a
// space-filling curve into blocks; pairs of blocks, edges and pairs whose weight is below
// exp(-negligible_exponent) are skipped by bounding boxes before any exponential. ||g - g_ref|| / ||g_ref||
// stays below 1e-4 on drawings within the unit square (tested). Deterministic on one machine; which
// instructions are used (AVX-512, AVX2, portable) is chosen at run time, so bits may differ between machines.
// Not thread-safe: one evaluator a thread.
class GradientEvaluator {
 public:
  // Keeps no reference to the graph.
  GradientEvaluator(const Graph& graph, const GradientModel& model);
  ~GradientEvaluator();
  GradientEvaluator(GradientEvaluator&&) noexcept;
  GradientEvaluator& operator=(GradientEvaluator&&) noexcept;

  // Overwrites gradient_x, gradient_y (n entries) and soft_counts (m entries). Finite input gives finite
  // output.
  void evaluate(std::span<const float> x, std::span<const float> y, std::span<const float> edge_weights,
                float sharpness, std::span<float> gradient_x, std::span<float> gradient_y,
                std::span<float> soft_counts);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Runs every step of the schedule by Adam on x and y (n entries, about the unit square), in place. One
// thread. `checkpoint` is called before each step and may throw to give up.
void minimise_soft_crossings(const Graph& graph, const GradientModel& model,
                             std::span<const GradientStep> schedule, std::span<float> x, std::span<float> y,
                             const std::function<void()>& checkpoint = {});

// Where the gradient begins, n floats each, shared by the CPU and the GPU backend. Without `init` uniform in
// the unit square; else init's layout scaled into it and shaken a little, because vertices at one point would
// stay together. Randomness: stream (Purpose::start_gradient, request.index).
void gradient_initial_positions(const LayoutRequest& request, const StartProvider* init, std::span<float> x,
                                std::span<float> y);

// What a gradient spec says, for backends that run the epochs themselves.
struct GradientStartOptions {
  int epochs;
  std::unique_ptr<StartProvider> init;  // null: random
};
GradientStartOptions gradient_start_options(Spec& spec);

// "gradient:epochs=700,init=fmmm": epochs 0..100000; init is "random" or the name of another start provider.
// The force layout is the default because random starts get stuck: K after 700 epochs, median of three, was
// 31 from random and 13 from fmmm on example-225, 55 and 38 on Automatic-7, 70 and 43 on example-150, 87 and
// 88 on instance_08.
std::unique_ptr<StartProvider> make_gradient_provider(Spec& spec);

}  // namespace lcn
