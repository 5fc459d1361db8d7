#include "stats/median_difference.hpp"

#include <gtest/gtest.h>

#include "random/stream.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

const StreamKey key = derive_key({1, {}, 1}, Purpose::bootstrap, "test");

TEST(MedianDifference, OfOneStratumAndOfSeveral) {
  EXPECT_EQ(median_difference({{-3, 1, 2}}, 0.95, key).value, 1);
  EXPECT_EQ(median_difference({{-3, 1, 2}, {5, 5}}, 0.95, key).value, 3);
  const MedianDifference constant = median_difference({{-2, -2, -2}}, 0.95, key);
  EXPECT_EQ(constant.interval.low, -2);
  EXPECT_EQ(constant.interval.high, -2);
  EXPECT_THROW(median_difference({}, 0.95, key), Error);
  EXPECT_THROW(median_difference({{1}, {}}, 0.95, key), Error);
}

TEST(MedianDifference, IsAFunctionOfItsKey) {
  const std::vector<std::vector<double>> strata{{1, 4, 2, 8, 5, 7}, {3, 6, 9, 12, 1}};
  const MedianDifference first = median_difference(strata, 0.95, key);
  const MedianDifference again = median_difference(strata, 0.95, key);
  EXPECT_EQ(first.interval.low, again.interval.low);
  EXPECT_EQ(first.interval.high, again.interval.high);
  EXPECT_LT(first.interval.low, first.value);
  EXPECT_GT(first.interval.high, first.value);
}

TEST(MedianDifference, IntervalHoldsTheTruthAboutAsOftenAsItSays) {
  constexpr int kTrials = 300;
  int hits = 0;
  for (std::uint32_t trial = 0; trial < kTrials; ++trial) {
    Stream stream(derive_key({trial, {}, 3}, Purpose::test));
    std::vector<std::vector<double>> strata(2, std::vector<double>(15));
    for (std::vector<double>& stratum : strata)
      for (double& d : stratum) d = 1 + 3 * stream.normal();
    const MedianDifference m = median_difference(strata, 0.95, key, 400);
    hits += m.interval.low <= 1 && 1 <= m.interval.high;
  }
  EXPECT_GE(hits, 0.90 * kTrials);
}

}  // namespace
}  // namespace lcn
