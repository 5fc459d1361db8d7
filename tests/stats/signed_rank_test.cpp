#include "stats/signed_rank.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "random/stream.hpp"

namespace lcn {
namespace {

TEST(SignedRank, PublishedExample) {
  // Depression scale of nine patients before and after, Hollander and Wolfe, example 3.1: T+ = 40,
  // one-sided p = 0.0195 (10 of 512 patterns).
  const std::vector<double> before{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
  const std::vector<double> after{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
  std::vector<double> differences;
  for (std::size_t i = 0; i < before.size(); ++i) differences.push_back(before[i] - after[i]);
  const SignedRank result = signed_rank(differences);
  EXPECT_EQ(result.n, 9);
  EXPECT_EQ(result.positive, 40);
  EXPECT_TRUE(result.is_exact);
  EXPECT_NEAR(result.p, 2 * 10.0 / 512, 1e-12);
}

// All sign patterns of the differences, one by one.
double by_enumeration(const std::vector<double>& differences) {
  const double observed = signed_rank(differences).positive;
  const double mean = 0.25 * static_cast<double>(differences.size() * (differences.size() + 1));
  const std::uint32_t patterns = 1u << differences.size();
  int as_far = 0;
  for (std::uint32_t pattern = 0; pattern < patterns; ++pattern) {
    std::vector<double> flipped = differences;
    for (std::size_t i = 0; i < flipped.size(); ++i)
      flipped[i] = (pattern >> i & 1 ? 1 : -1) * std::abs(flipped[i]);
    as_far += std::abs(signed_rank(flipped).positive - mean) >= std::abs(observed - mean) - 1e-9;
  }
  return static_cast<double>(as_far) / patterns;
}

TEST(SignedRank, ExactWithEqualSizesAndZeros) {
  for (const std::vector<double>& differences :
       {std::vector<double>{1, 1, -1, 2}, {3, 3, 3, 3, -3, -1}, {1, 1, 1, 1, 1, 1, 1, -1}, {-2, -2, 1, 1, 5}})
    EXPECT_NEAR(signed_rank(differences).p, by_enumeration(differences), 1e-12);
  const SignedRank zeros = signed_rank(std::vector<double>{0, 2, 0, -1, 0});
  EXPECT_EQ(zeros.n, 2);
  EXPECT_EQ(zeros.positive, 2);
  EXPECT_EQ(zeros.p, 1);
  EXPECT_EQ(signed_rank(std::vector<double>{0, 0}).p, 1);
  EXPECT_EQ(signed_rank({}).n, 0);
}

TEST(SignedRank, NormalApproximationBeyondFiftyMeetsTheExactValue) {
  // 51 differences: by hand T+ = 51 * 52 / 2 - 400 = 926, mean 663, variance 51 * 52 * 103 / 24 = 11381.5,
  // z = (263 - 0.5) / 106.68 = 2.4606, p = 0.01387.
  std::vector<double> differences;
  for (int i = 1; i <= 51; ++i) differences.push_back(i);
  std::int64_t negative = 400;
  for (int i = 51; i >= 1 && negative > 0; --i)
    if (i <= negative) {
      differences[static_cast<std::size_t>(i - 1)] = -i;
      negative -= i;
    }
  const SignedRank result = signed_rank(differences);
  EXPECT_FALSE(result.is_exact);
  EXPECT_EQ(result.positive, 926);
  EXPECT_NEAR(result.p, 0.01387, 5e-5);
  // ties: 60 of size 1 with 20 negative are a sign test; mean 915, variance of the ranks 60 * 30.5^2 / 4
  std::vector<double> ones(60, 1.0);
  for (int i = 0; i < 20; ++i) ones[static_cast<std::size_t>(i)] = -1;
  const double z = (40 * 30.5 - 915 - 0.5) / std::sqrt(60 * 30.5 * 30.5 / 4);
  EXPECT_NEAR(signed_rank(ones).p, std::erfc(z / std::sqrt(2.0)), 1e-12);
}

TEST(SignedRank, KeepsItsLevelWithoutADifference) {
  int rejected = 0;
  constexpr int kTrials = 2000;
  for (std::uint32_t trial = 0; trial < kTrials; ++trial) {
    Stream stream(derive_key({trial, {}, 1}, Purpose::test));
    std::vector<double> differences(20);
    for (double& d : differences) d = std::round(2 * stream.normal());  // many ties and zeros
    rejected += signed_rank(differences).p <= 0.05;
  }
  EXPECT_LE(rejected, 0.06 * kTrials);
  EXPECT_GE(rejected, 0.03 * kTrials) << "nor is it much too careful";
}

}  // namespace
}  // namespace lcn
