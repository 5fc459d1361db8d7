#include "kernels/crossings/move_evaluator.hpp"

namespace lcn {

const char* to_string(MoveMethod method) {
  switch (method) {
    case MoveMethod::full:
      return "full";
    case MoveMethod::incremental:
      return "incremental";
    case MoveMethod::incremental_with_base:
      return "incremental_with_base";
    case MoveMethod::naive_full:
      return "naive_full";
    case MoveMethod::naive_incremental:
      return "naive_incremental";
  }
  return "full";
}

}  // namespace lcn
