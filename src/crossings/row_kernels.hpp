#pragma once
#include <cstdint>

namespace lcn {

// Inner loops of the CPU crossing counter over all edges at once, 64 edges per word. Edges come as arrays of
// end coordinates relative to the moved vertex's new place p (so p is the origin), padded to a multiple
// of 64. T is float (exact for differences up to 2,896), double (2^26) or std::int64_t (2^30); all
// intermediate values are integers that T holds exactly, so every instruction set gives the same bits.
template <class T>
struct RowKernels {
  // Relative ends and the side of p for each edge f = (a, b): rax = ax - px, ..., sp = orientation(a, b, p);
  // zero: bit f set where sp = 0 (p on the line through f).
  void (*relative)(const T* ax, const T* ay, const T* bx, const T* by, T px, T py, int words, T* rax, T* ray,
                   T* rbx, T* rby, T* sp, std::uint64_t* zero);
  // For the segment from p to u = p + (dx, dy): cross: bit f set where it properly crosses f; touch: bit f
  // set where an end of f is on the line through p and u while p and u are not strictly on one side of f
  // (candidates for a vertex on the segment; the caller decides).
  void (*row)(const T* rax, const T* ray, const T* rbx, const T* rby, const T* sp, T dx, T dy, int words,
              std::uint64_t* cross, std::uint64_t* touch);
};

// The fastest variant that this processor runs (AVX-512, AVX2 or portable), chosen once.
template <class T>
const RowKernels<T>& row_kernels();

const char* row_kernel_isa();  // "avx512", "avx2", "portable"

namespace detail {
extern const RowKernels<float> avx512_float, avx2_float, portable_float;
extern const RowKernels<double> avx512_double, avx2_double, portable_double;
extern const RowKernels<std::int64_t> portable_int64;
}  // namespace detail

}  // namespace lcn
