#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "graph/graph.hpp"
#include "layout/gradient.hpp"
#include "layout/gradient_schedule.hpp"

namespace lcn {

// The crossing gradient (src/layout/gradient.hpp: same objective, same schedule, same Adam) for many layouts
// of one graph at once on the current GPU, in float32. Positions are [layout][vertex][x, y], about the unit
// square.
//
// Memory: no term in m^2 other than one partial sum of 20 bytes per edge and 4096 partner edges; see
// device_bytes(). Accuracy: ||g - g_ref|| / ||g_ref|| < 1e-4 per layout against gradient_reference(), finite
// for finite input. Determinism: no floating-point atomics; every sum has an order that depends on that
// layout's positions only, so a layout's bits are the same for every batch, rank and launch on one kind of
// GPU, and differ from the CPU's. Errors: Error(environment) without a GPU, without CUDA in the build, when
// the batch does not fit in device memory, or when a CUDA call fails; Error(internal) for spans of a wrong
// size. Not thread-safe; one stream of its own.
class GradientBatch {
 public:
  // Room for `layouts` >= 1 layouts, as many as every later call has. Keeps no reference to the graph.
  GradientBatch(const Graph& graph, const GradientModel& model, int layouts);
  ~GradientBatch();
  GradientBatch(GradientBatch&&) noexcept;
  GradientBatch& operator=(GradientBatch&&) noexcept;

  // One gradient: positions [layouts][n][2], edge_weights and soft_counts [layouts][m], gradient
  // [layouts][n][2].
  void evaluate(std::span<const float> positions, std::span<const float> edge_weights, float sharpness,
                std::span<float> gradient, std::span<float> soft_counts);

  // Every step of the schedule, positions [layouts][n][2] in place. The host only queues launches in between.
  void minimise(std::span<const GradientStep> schedule, std::span<float> positions);

  // Device time of the last call by CUDA events, copies excluded.
  double kernel_seconds() const;

  // Device memory that the constructor takes, in bytes.
  static std::size_t device_bytes(const Graph& graph, int layouts);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lcn
