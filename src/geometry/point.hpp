#pragma once
#include <cstdint>
#include <vector>

#include "support/host_device.hpp"

namespace lcn {

// A grid point. Inputs may hold any integer up to 2^61 in magnitude (validator and oracle stay exact there);
// points on a legal grid fit int32 (see kMaxGridSide).
struct Point {
  std::int64_t x = 0, y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

using Drawing = std::vector<Point>;  // one point per vertex

// The grid [0..width] x [0..height]; both ends are allowed.
struct Grid {
  std::int64_t width = 1'000'000, height = 1'000'000;
  friend bool operator==(const Grid&, const Grid&) = default;
  bool contains(const Point& p) const { return p.x >= 0 && p.y >= 0 && p.x <= width && p.y <= height; }
};

// Largest grid side for which the fast predicates are exact (int64: differences up to 2^30).
inline constexpr std::int64_t kMaxGridSide = std::int64_t{1} << 30;

}  // namespace lcn
