#include "crossings/row_kernels.hpp"

#include <cstdlib>
#include <cstring>

namespace lcn {
namespace {

template <class T>
void relative(const T* ax, const T* ay, const T* bx, const T* by, T px, T py, int words, T* rax, T* ray,
              T* rbx, T* rby, T* sp, std::uint64_t* zero) {
  for (int word = 0; word < words; ++word) {
    std::uint64_t zeros = 0;
    for (int bit = 0; bit < 64; ++bit) {
      const int f = 64 * word + bit;
      const T x0 = ax[f] - px, y0 = ay[f] - py, x1 = bx[f] - px, y1 = by[f] - py;
      rax[f] = x0;
      ray[f] = y0;
      rbx[f] = x1;
      rby[f] = y1;
      sp[f] = x0 * y1 - y0 * x1;
      zeros |= static_cast<std::uint64_t>(sp[f] == T(0)) << bit;
    }
    zero[word] = zeros;
  }
}

template <class T>
void row(const T* rax, const T* ray, const T* rbx, const T* rby, const T* sp, T dx, T dy, int words,
         std::uint64_t* cross, std::uint64_t* touch) {
  for (int word = 0; word < words; ++word) {
    std::uint64_t crosses = 0, touches = 0;
    for (int bit = 0; bit < 64; ++bit) {
      const int f = 64 * word + bit;
      const T sa = dx * ray[f] - dy * rax[f];
      const T sb = dx * rby[f] - dy * rbx[f];
      const T su = sp[f] + (sa - sb);
      const bool ends_apart = (sa < T(0) && sb > T(0)) || (sa > T(0) && sb < T(0));
      const bool own_apart = (sp[f] < T(0) && su > T(0)) || (sp[f] > T(0) && su < T(0));
      const bool own_together = (sp[f] < T(0) && su < T(0)) || (sp[f] > T(0) && su > T(0));
      crosses |= static_cast<std::uint64_t>(ends_apart && own_apart) << bit;
      touches |= static_cast<std::uint64_t>((sa == T(0) || sb == T(0)) && !own_together) << bit;
    }
    cross[word] = crosses;
    touch[word] = touches;
  }
}

enum class Isa { portable, avx2, avx512 };

Isa detect() {
  // LCN_ISA=portable|avx2|avx512 lowers the choice, for tests.
  const char* wish = std::getenv("LCN_ISA");
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool has512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
  const bool has2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  Isa best = has512 ? Isa::avx512 : has2 ? Isa::avx2 : Isa::portable;
  if (wish && std::strcmp(wish, "portable") == 0) best = Isa::portable;
  if (wish && std::strcmp(wish, "avx2") == 0 && best == Isa::avx512) best = Isa::avx2;
  return best;
#else
  (void)wish;
  return Isa::portable;
#endif
}

Isa isa() {
  static const Isa chosen = detect();
  return chosen;
}

}  // namespace

namespace detail {
const RowKernels<float> portable_float{relative<float>, row<float>};
const RowKernels<double> portable_double{relative<double>, row<double>};
const RowKernels<std::int64_t> portable_int64{relative<std::int64_t>, row<std::int64_t>};
}  // namespace detail

template <>
const RowKernels<float>& row_kernels<float>() {
#if defined(__x86_64__)
  if (isa() == Isa::avx512) return detail::avx512_float;
  if (isa() == Isa::avx2) return detail::avx2_float;
#endif
  return detail::portable_float;
}

template <>
const RowKernels<double>& row_kernels<double>() {
#if defined(__x86_64__)
  if (isa() == Isa::avx512) return detail::avx512_double;
  if (isa() == Isa::avx2) return detail::avx2_double;
#endif
  return detail::portable_double;
}

template <>
const RowKernels<std::int64_t>& row_kernels<std::int64_t>() {
  return detail::portable_int64;
}

const char* row_kernel_isa() {
  switch (isa()) {
    case Isa::avx512:
      return "avx512";
    case Isa::avx2:
      return "avx2";
    case Isa::portable:
      return "portable";
  }
  return "portable";
}

}  // namespace lcn
