// Compiled with -mavx2 -mfma; reached only when the processor has them.
#include "crossings/row_kernels.hpp"
#if defined(__x86_64__)
#include <immintrin.h>

namespace lcn {
namespace {

struct Doubles {
  using T = double;
  using V = __m256d;
  using Mask = unsigned;
  static constexpr int lanes = 4;
  static V load(const T* p) { return _mm256_loadu_pd(p); }
  static void store(T* p, V v) { _mm256_storeu_pd(p, v); }
  static V set(T x) { return _mm256_set1_pd(x); }
  static V sub(V a, V b) { return _mm256_sub_pd(a, b); }
  static V add(V a, V b) { return _mm256_add_pd(a, b); }
  static V mul(V a, V b) { return _mm256_mul_pd(a, b); }
  static V fmsub(V a, V b, V c) { return _mm256_fmsub_pd(a, b, c); }
  static Mask bits(V v) { return static_cast<Mask>(_mm256_movemask_pd(v)); }
  static Mask negative(V v) { return bits(_mm256_cmp_pd(v, _mm256_setzero_pd(), _CMP_LT_OQ)); }
  static Mask positive(V v) { return bits(_mm256_cmp_pd(v, _mm256_setzero_pd(), _CMP_GT_OQ)); }
  static Mask zero(V v) { return bits(_mm256_cmp_pd(v, _mm256_setzero_pd(), _CMP_EQ_OQ)); }
};

struct Floats {
  using T = float;
  using V = __m256;
  using Mask = unsigned;
  static constexpr int lanes = 8;
  static V load(const T* p) { return _mm256_loadu_ps(p); }
  static void store(T* p, V v) { _mm256_storeu_ps(p, v); }
  static V set(T x) { return _mm256_set1_ps(x); }
  static V sub(V a, V b) { return _mm256_sub_ps(a, b); }
  static V add(V a, V b) { return _mm256_add_ps(a, b); }
  static V mul(V a, V b) { return _mm256_mul_ps(a, b); }
  static V fmsub(V a, V b, V c) { return _mm256_fmsub_ps(a, b, c); }
  static Mask bits(V v) { return static_cast<Mask>(_mm256_movemask_ps(v)); }
  static Mask negative(V v) { return bits(_mm256_cmp_ps(v, _mm256_setzero_ps(), _CMP_LT_OQ)); }
  static Mask positive(V v) { return bits(_mm256_cmp_ps(v, _mm256_setzero_ps(), _CMP_GT_OQ)); }
  static Mask zero(V v) { return bits(_mm256_cmp_ps(v, _mm256_setzero_ps(), _CMP_EQ_OQ)); }
};

#include "crossings/row_kernels_simd.hpp"

}  // namespace

namespace detail {
const RowKernels<float> avx2_float{relative<Floats>, row<Floats>};
const RowKernels<double> avx2_double{relative<Doubles>, row<Doubles>};
}  // namespace detail

}  // namespace lcn
#endif
