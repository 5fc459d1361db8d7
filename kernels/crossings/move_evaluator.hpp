#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "crossings/batch_evaluator.hpp"

namespace lcn {

// How a batch of moves is evaluated on the device. All methods write the same MoveCounts.
enum class MoveMethod {
  full,                   // every pair of edges, for every proposal
  incremental,            // base counts are given; only pairs with an edge of the moved vertex
  incremental_with_base,  // counts the base of every workload in the same launch sequence, then incremental
  naive_full,             // the benchmark's baseline: one thread per edge, a loop over all edges
  naive_incremental,      // the same for the moved pairs; base counts are given
};
inline constexpr MoveMethod kMoveMethods[] = {MoveMethod::naive_full, MoveMethod::naive_incremental,
                                              MoveMethod::full, MoveMethod::incremental,
                                              MoveMethod::incremental_with_base};
const char* to_string(MoveMethod method);

// The arithmetic for a grid on the current device: choose_arithmetic, but int64 instead of fp64 where FP64
// runs at less than an eighth of the FP32 rate. Error(environment) without a GPU.
Arithmetic choose_device_arithmetic(const Grid& grid);

// A batch on the current GPU. The constructor uploads it and counts the crossings of every base drawing once;
// results hold, per evaluation, int32[m] counts and one tuple, as in MoveCounts. Results are integers and do
// not depend on launch shapes or order. Not thread-safe; work runs in a stream of its own. Errors:
// Error(environment) without a GPU, built without CUDA, when the batch does not fit in device memory, or when
// a CUDA call fails; Error(internal) when `arithmetic` is not exact on the batch's grid.
class DeviceMoveEvaluator {
 public:
  DeviceMoveEvaluator(const MoveBatch& batch, Arithmetic arithmetic);
  ~DeviceMoveEvaluator();
  DeviceMoveEvaluator(DeviceMoveEvaluator&&) noexcept;
  DeviceMoveEvaluator& operator=(DeviceMoveEvaluator&&) noexcept;

  void evaluate(MoveMethod method);                 // returns when the results are on the device
  double time_ms(MoveMethod method, int launches);  // mean milliseconds of one evaluation, by CUDA events
  MoveCounts fetch() const;                         // results of the last method
  void poison();                                    // overwrites the results: what is not written again shows
  std::vector<std::int32_t> base_counts() const;    // [workload][edge]
  std::string launch_shape(MoveMethod method) const;  // "4000 blocks of 256 threads", for reports

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace lcn
