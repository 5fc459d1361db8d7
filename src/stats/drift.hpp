#pragma once
#include <span>

namespace lcn {

// Whether samples change in the order in which they were taken.
struct Drift {
  double rank_correlation = 0;  // Spearman's rho of value and place, ties share their mean rank
  double z = 0;                 // rho * sqrt(n - 1): standard normal for samples without drift
  double change = 0;            // median of the last third / median of the first third - 1
};

// All zero for fewer than 3 samples, rho 0 for constant ones. Samples must be positive.
Drift drift(std::span<const double> samples);

}  // namespace lcn
