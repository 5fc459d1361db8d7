#pragma once
#include <span>
#include <vector>

namespace lcn {

// Holm's step-down adjustment (Holm 1979): the k-th smallest of m p-values times m - k + 1, at most 1, never
// below a smaller one's. Rejecting what is at most alpha keeps the chance of any false rejection at alpha,
// whatever the tests' dependence. In the order given.
std::vector<double> holm_adjusted(std::span<const double> p_values);

}  // namespace lcn
