#pragma once
#include <cstdint>

#include "geometry/point.hpp"
#include "support/host_device.hpp"

namespace lcn {

// The type in which orientations are computed exactly, chosen by the largest coordinate difference d of the
// grid: each product of an orientation is at most d^2 and their difference at most 2 d^2.
enum class Arithmetic { int32, fp64, int64 };
inline constexpr std::int64_t kMaxDifferenceInt32 = 32'767;                // 2 d^2 < 2^31
inline constexpr std::int64_t kMaxDifferenceFp64 = std::int64_t{1} << 26;  // 2 d^2 <= 2^53

// Fastest exact arithmetic for a grid. Throws Error(input) for a side above kMaxGridSide or below 0.
Arithmetic choose_arithmetic(const Grid& grid);
const char* to_string(Arithmetic arithmetic);

// (b - a) x (c - a) in T: positive when a, b, c turn counter-clockwise. Exact within the limits above.
template <class T>
LCN_HD constexpr T orientation(T ax, T ay, T bx, T by, T cx, T cy) {
  return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
}

template <class T>
LCN_HD constexpr int sign(T value) {
  return (value > T(0)) - (value < T(0));
}

// Proper crossing of segments ab and cd (no shared end is assumed): their open interiors meet in one point.
template <class T>
LCN_HD constexpr bool segments_cross(T ax, T ay, T bx, T by, T cx, T cy, T dx, T dy) {
  const int c_side = sign(orientation(ax, ay, bx, by, cx, cy));
  const int d_side = sign(orientation(ax, ay, bx, by, dx, dy));
  if (c_side * d_side >= 0) return false;
  const int a_side = sign(orientation(cx, cy, dx, dy, ax, ay));
  const int b_side = sign(orientation(cx, cy, dx, dy, bx, by));
  return a_side * b_side < 0;
}

// Is p on the closed segment ab?
template <class T>
LCN_HD constexpr bool point_on_segment(T ax, T ay, T bx, T by, T px, T py) {
  if (orientation(ax, ay, bx, by, px, py) != T(0)) return false;
  const bool in_x = ax < bx ? (ax <= px && px <= bx) : (bx <= px && px <= ax);
  const bool in_y = ay < by ? (ay <= py && py <= by) : (by <= py && py <= ay);
  return in_x && in_y;
}

}  // namespace lcn
