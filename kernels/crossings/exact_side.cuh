#pragma once
#include "geometry/predicates.hpp"

namespace lcn {

// The crossing test of the tuned kernels. The orientation of p, q, x is written as A x + B y + C with A = p.y
// - q.y, B = q.x - p.x, C = p.x q.y - p.y q.x, so that it costs two multiply-adds for each further x. For
// points of a grid of side d: |A|, |B|, x, y <= d and |C| <= d^2, so A x + C stays within 2 d^2 and the
// result within d^2: exact under the same limits as predicates.hpp (2 d^2 < 2^31 in int32, <= 2^53 in fp64,
// <= 2^61 in int64).
//
// `both_opposite(s, t, u, v)` has its sign bit set iff s and t have strictly opposite signs and so have u and
// v: a proper crossing. The other bits mean nothing; kernels shift the sign bit into masks. The all-zero
// segment crosses nothing and pads ragged ends.

template <class T>
struct alignas(16) Segment {
  T ax, ay, bx, by;
};

template <class Coefficient, class Value>
struct LineOf {
  Coefficient A, B;
  Value C;
};

struct ExactInt32 {
  using Scalar = int;
  using Value = int;
  using Line = LineOf<int, int>;
  __device__ static Scalar scalar(int coordinate) { return coordinate; }
  __device__ static Value constant(Scalar px, Scalar py, Scalar qx, Scalar qy) { return px * qy - py * qx; }
  __device__ static Value side(const Line& line, Scalar x, Scalar y) {
    return line.A * x + line.C + line.B * y;
  }
  __device__ static int both_opposite(Value s, Value t, Value u, Value v) {
    // Two ways for the two pairs, to share the work between the integer and the multiply pipe: s - 1 tells
    // zero from positive, and the high word of a product is negative iff the product is.
    return (s ^ t) & ((s - 1) ^ (t - 1)) & __mulhi(u, v);
  }
};

struct ExactFp64 {
  using Scalar = double;
  using Value = double;
  using Line = LineOf<double, double>;
  // 2^52 + coordinate, bit by bit, minus 2^52: one FP64 addition instead of a slow conversion. For 0 <=
  // coordinate < 2^31.
  __device__ static Scalar scalar(int coordinate) {
    return __hiloint2double(0x43300000, coordinate) - 4503599627370496.0;
  }
  __device__ static Value constant(Scalar px, Scalar py, Scalar qx, Scalar qy) {
    return fma(px, qy, -(py * qx));
  }
  __device__ static Value side(const Line& line, Scalar x, Scalar y) {
    return fma(line.B, y, fma(line.A, x, line.C));
  }
  __device__ static int both_opposite(Value s, Value t, Value u, Value v) {
    // The addend keeps a product with a zero from becoming -0; other products are at least 1 in magnitude.
    return __double2hiint(fma(s, t, 0.5)) & __double2hiint(fma(u, v, 0.5));
  }
};

struct ExactInt64 {
  using Scalar = int;
  using Value = long long;
  using Line = LineOf<int, long long>;
  __device__ static Scalar scalar(int coordinate) { return coordinate; }
  __device__ static Value product(int a, int b) { return static_cast<long long>(a) * b; }
  __device__ static Value constant(Scalar px, Scalar py, Scalar qx, Scalar qy) {
    return product(px, qy) - product(py, qx);
  }
  __device__ static Value side(const Line& line, Scalar x, Scalar y) {
    return product(line.B, y) + (product(line.A, x) + line.C);
  }
  __device__ static int both_opposite(Value s, Value t, Value u, Value v) {
    return static_cast<int>(((s ^ t) & ((s - 1) ^ (t - 1)) & (u ^ v) & ((u - 1) ^ (v - 1))) >> 32);
  }
};

template <class Exact>
__device__ typename Exact::Line line_through(typename Exact::Scalar px, typename Exact::Scalar py,
                                             typename Exact::Scalar qx, typename Exact::Scalar qy,
                                             typename Exact::Value constant) {
  return {py - qy, qx - px, constant};
}

template <class Exact>
__device__ typename Exact::Line line_of(const Segment<typename Exact::Scalar>& s) {
  return line_through<Exact>(s.ax, s.ay, s.bx, s.by, Exact::constant(s.ax, s.ay, s.bx, s.by));
}

template <class Exact>
__device__ Segment<typename Exact::Scalar> segment(int2 a, int2 b) {
  return {Exact::scalar(a.x), Exact::scalar(a.y), Exact::scalar(b.x), Exact::scalar(b.y)};
}

// Calls function(Exact{}) with the arithmetic's type.
template <class Function>
void with_exact(Arithmetic arithmetic, Function function) {
  switch (arithmetic) {
    case Arithmetic::int32:
      function(ExactInt32{});
      break;
    case Arithmetic::fp64:
      function(ExactFp64{});
      break;
    case Arithmetic::int64:
      function(ExactInt64{});
      break;
  }
}

}  // namespace lcn
