#include "geometry/predicates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "support/error.hpp"

namespace lcn {

Arithmetic choose_arithmetic(const Grid& grid) {
  const std::int64_t side = std::max(grid.width, grid.height);
  if (grid.width < 0 || grid.height < 0)
    throw input_error(
        fmt::format("a grid of {} x {} has no points (sides must be at least 0)", grid.width, grid.height));
  if (side > kMaxGridSide)
    throw input_error(fmt::format(
        "a grid of {} x {} is larger than exact arithmetic allows (at most {} a side); scale it down",
        grid.width, grid.height, kMaxGridSide));
  if (side <= kMaxDifferenceInt32) return Arithmetic::int32;
  if (side <= kMaxDifferenceFp64) return Arithmetic::fp64;
  return Arithmetic::int64;
}

const char* to_string(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::int32:
      return "int32";
    case Arithmetic::fp64:
      return "fp64";
    case Arithmetic::int64:
      return "int64";
  }
  return "int64";
}

}  // namespace lcn
