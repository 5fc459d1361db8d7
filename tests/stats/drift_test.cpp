#include "stats/drift.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "random/stream.hpp"

namespace lcn {
namespace {

TEST(Drift, OfRisingAndFallingSamples) {
  const Drift up = drift(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_DOUBLE_EQ(up.rank_correlation, 1);
  EXPECT_DOUBLE_EQ(up.z, std::sqrt(8));
  EXPECT_DOUBLE_EQ(up.change, 3) << "from the median 2 to the median 8";
  const Drift down = drift(std::vector<double>{9, 8, 7, 6, 5, 4, 3, 2, 1});
  EXPECT_DOUBLE_EQ(down.rank_correlation, -1);
  EXPECT_DOUBLE_EQ(down.change, -0.75);
}

TEST(Drift, TiesShareTheirRank) {
  // Ranks 0.5, 0.5, 2.5, 2.5 against 0..3: covariance 4, sums of squares 4 and 5.
  EXPECT_DOUBLE_EQ(drift(std::vector<double>{1, 1, 2, 2}).rank_correlation, 4 / std::sqrt(20));
}

TEST(Drift, OfNothingToCompareIsZero) {
  EXPECT_EQ(drift(std::vector<double>{}).z, 0);
  EXPECT_EQ(drift(std::vector<double>{1, 2}).z, 0);
  const Drift constant = drift(std::vector<double>{5, 5, 5, 5});
  EXPECT_EQ(constant.z, 0);
  EXPECT_EQ(constant.change, 0);
}

TEST(Drift, OfIndependentSamplesSeldomLooksLikeOne) {
  int alarms = 0;
  for (std::uint32_t trial = 0; trial < 500; ++trial) {
    Stream stream(derive_key({trial, {}, 1}, Purpose::test, "drift"));
    std::vector<double> samples(20);
    for (double& sample : samples) sample = 100 + stream.normal();
    alarms += std::abs(drift(samples).z) >= 2.2;
  }
  EXPECT_GE(alarms, 3);  // 12 expected
  EXPECT_LE(alarms, 25);
}

}  // namespace
}  // namespace lcn
