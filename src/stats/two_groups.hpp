#pragma once
#include <cstddef>
#include <span>

namespace lcn {

// The split of sorted samples into a low and a high group that explains most of their variance (Otsu 1979,
// Jenks), each group with at least a fifth of the samples and at least two.
struct TwoGroups {
  double explained = 0;  // share of the variance, 0..1: 0.64 for many normal samples, 0.75 for uniform ones
  double low_mean = 0, high_mean = 0;
  std::size_t low_count = 0, high_count = 0;
};

// All zero for fewer than 4 samples or constant ones.
TwoGroups two_groups(std::span<const double> samples);

}  // namespace lcn
