#pragma once
#include <cstdint>
#include <span>

namespace lcn {

// Wilcoxon's signed-rank test of paired differences, two-sided (Wilcoxon 1945; Hollander and Wolfe,
// Nonparametric Statistical Methods, 3.1). Differences of 0 are left out, equal sizes share their mean rank.
struct SignedRank {
  std::int64_t n = 0;    // differences that are not 0
  double positive = 0;   // sum of the ranks of the positive ones
  double p = 1;          // 1 when n = 0
  bool is_exact = true;  // else the normal approximation
};

// Up to 50 differences the null distribution is counted: all 2^n signs of the ranks as they are, so that it
// is exact with equal sizes too. Beyond, the normal approximation with corrections for ties and continuity.
SignedRank signed_rank(std::span<const double> differences);

}  // namespace lcn
