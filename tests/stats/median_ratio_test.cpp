#include "stats/median_ratio.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "random/stream.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

const StreamKey key = derive_key({1, {}, 1}, Purpose::bootstrap, "test");

TEST(Median, OfOddAndEvenNumbersOfSamples) {
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median(std::vector<double>{7}), 7);
  EXPECT_THROW(median(std::vector<double>{}), Error);
}

TEST(MedianRatio, OfConstantSamplesHasAPointInterval) {
  const RatioEstimate r = median_ratio(std::vector<double>{6, 6, 6}, std::vector<double>{2, 2}, key);
  EXPECT_EQ(r.value, 3);
  EXPECT_EQ(r.low, 3);
  EXPECT_EQ(r.high, 3);
  EXPECT_FALSE(r.paired);
}

TEST(MedianRatio, IntervalHoldsTheTruthAboutAsOftenAsItSays) {
  // Medians of 31 draws from exponential-like times with true ratio 2, 200 times.
  int hits = 0;
  for (std::uint32_t trial = 0; trial < 200; ++trial) {
    Stream stream(derive_key({trial, {}, 1}, Purpose::test));
    std::vector<double> a(31), b(31);
    for (double& x : a) x = 2 * (1 + stream.real());
    for (double& x : b) x = 1 + stream.real();
    const RatioEstimate r = median_ratio(a, b, key, 400);
    EXPECT_LE(r.low, r.high);
    hits += r.low <= 2 && 2 <= r.high;
  }
  EXPECT_GE(hits, 175);  // 190 expected
  EXPECT_LT(hits, 200);
}

TEST(MedianRatio, IsDeterministicAndFollowsItsKey) {
  std::vector<double> a, b;
  Stream stream(derive_key({5, {}, 1}, Purpose::test));
  for (int i = 0; i < 50; ++i) {
    a.push_back(5 + stream.real());
    b.push_back(1 + stream.real());
  }
  const RatioEstimate one = median_ratio(a, b, key), two = median_ratio(a, b, key);
  EXPECT_TRUE(one.paired);
  EXPECT_EQ(one.low, two.low);
  EXPECT_EQ(one.high, two.high);
  EXPECT_LT(one.low, one.value);
  EXPECT_GT(one.high, one.value);
}

TEST(MedianRatio, RefusesADenominatorThatIsNotPositive) {
  EXPECT_THROW(median_ratio(std::vector<double>{1}, std::vector<double>{0}, key), Error);
}

TEST(GeometricMeanRatio, OfOneWorkloadIsItsRatioAndOfSeveralTheirMean) {
  std::vector<double> six, two;
  Stream stream(derive_key({6, {}, 1}, Purpose::test));
  for (int i = 0; i < 20; ++i) {
    six.push_back(6 + 0.1 * stream.real());
    two.push_back(2 + 0.1 * stream.real());
  }
  const RatioEstimate single = median_ratio(six, two, key),
                      mean_of_one = geometric_mean_ratio({{six, two}}, key);
  EXPECT_NEAR(mean_of_one.value, single.value, 1e-12);
  EXPECT_NEAR(mean_of_one.low, single.low, 1e-12);
  EXPECT_NEAR(mean_of_one.high, single.high, 1e-12);
  EXPECT_TRUE(mean_of_one.paired);

  const std::vector<double> eight{8, 8, 8}, four{4, 4};
  const RatioEstimate constant = geometric_mean_ratio({{eight, four}, {eight, eight}}, key);
  EXPECT_NEAR(constant.value, std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(constant.low, constant.high, 1e-12);
  EXPECT_FALSE(constant.paired) << "one of them is not";

  const RatioEstimate both = geometric_mean_ratio({{six, two}, {two, six}}, key);
  EXPECT_NEAR(both.value, 1, 1e-12) << "twice as fast and half as fast cancel";
  EXPECT_LT(both.low, 1);
  EXPECT_GT(both.high, 1);
  EXPECT_THROW(geometric_mean_ratio({}, key), Error);
  EXPECT_THROW(geometric_mean_ratio({{eight, std::vector<double>{0}}}, key), Error);
}

}  // namespace
}  // namespace lcn
