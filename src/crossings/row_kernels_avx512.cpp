// Compiled with -mavx512f -mavx512dq -mfma; reached only when the processor has them.
#include "crossings/row_kernels.hpp"
#if defined(__x86_64__)
#include <immintrin.h>

namespace lcn {
namespace {

struct Doubles {
  using T = double;
  using V = __m512d;
  using Mask = __mmask8;
  static constexpr int lanes = 8;
  static V load(const T* p) { return _mm512_loadu_pd(p); }
  static void store(T* p, V v) { _mm512_storeu_pd(p, v); }
  static V set(T x) { return _mm512_set1_pd(x); }
  static V sub(V a, V b) { return _mm512_sub_pd(a, b); }
  static V add(V a, V b) { return _mm512_add_pd(a, b); }
  static V mul(V a, V b) { return _mm512_mul_pd(a, b); }
  static V fmsub(V a, V b, V c) { return _mm512_fmsub_pd(a, b, c); }
  static Mask negative(V v) { return _mm512_cmp_pd_mask(v, _mm512_setzero_pd(), _CMP_LT_OQ); }
  static Mask positive(V v) { return _mm512_cmp_pd_mask(v, _mm512_setzero_pd(), _CMP_GT_OQ); }
  static Mask zero(V v) { return _mm512_cmp_pd_mask(v, _mm512_setzero_pd(), _CMP_EQ_OQ); }
};

struct Floats {
  using T = float;
  using V = __m512;
  using Mask = __mmask16;
  static constexpr int lanes = 16;
  static V load(const T* p) { return _mm512_loadu_ps(p); }
  static void store(T* p, V v) { _mm512_storeu_ps(p, v); }
  static V set(T x) { return _mm512_set1_ps(x); }
  static V sub(V a, V b) { return _mm512_sub_ps(a, b); }
  static V add(V a, V b) { return _mm512_add_ps(a, b); }
  static V mul(V a, V b) { return _mm512_mul_ps(a, b); }
  static V fmsub(V a, V b, V c) { return _mm512_fmsub_ps(a, b, c); }
  static Mask negative(V v) { return _mm512_cmp_ps_mask(v, _mm512_setzero_ps(), _CMP_LT_OQ); }
  static Mask positive(V v) { return _mm512_cmp_ps_mask(v, _mm512_setzero_ps(), _CMP_GT_OQ); }
  static Mask zero(V v) { return _mm512_cmp_ps_mask(v, _mm512_setzero_ps(), _CMP_EQ_OQ); }
};

#include "crossings/row_kernels_simd.hpp"

}  // namespace

namespace detail {
const RowKernels<float> avx512_float{relative<Floats>, row<Floats>};
const RowKernels<double> avx512_double{relative<Doubles>, row<Doubles>};
}  // namespace detail

}  // namespace lcn
#endif
