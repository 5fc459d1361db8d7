#pragma once
#include <cstdint>

namespace lcn {

// How many pairs a two-sided test at level `alpha` needs to see a shift of `difference` (> 0) with
// probability `power`, when paired differences spread by `deviation` (standard deviation, >= 0):
// (z_a + z_b)^2 deviation^2 / difference^2 * pi/3 + z_a^2 / 2, rounded up. The sum is that of the paired t
// test (Guenther 1981); pi/3 is what signed ranks lose against it for normal differences (Lehmann 1975).
// Never fewer than can be decisive at all (sign_test.hpp): without spread that is the answer.
std::int64_t pairs_needed(double deviation, double difference, double alpha, double power);

}  // namespace lcn
