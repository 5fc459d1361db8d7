#pragma once
#include <cstdint>

namespace lcn {

// Exact two-sided sign test: the probability that a fair coin parts wins + losses tosses at least as
// unevenly. Ties are left out by the caller. 1 without any toss.
double sign_test(std::int64_t wins, std::int64_t losses);

// The fewest pairs, all won, that the sign test can tell from a fair coin at level `alpha`: the smallest n
// with 2^(1 - n) <= alpha. 0 < alpha <= 1.
std::int64_t fewest_decisive_pairs(double alpha);

}  // namespace lcn
