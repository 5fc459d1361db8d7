#include "stats/two_groups.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "random/stream.hpp"

namespace lcn {
namespace {

TEST(TwoGroups, FindsBothGroupsInAnyOrder) {
  const TwoGroups g = two_groups(std::vector<double>{9, 1, 11, 3, 2, 10});
  EXPECT_EQ(g.low_count, 3u);
  EXPECT_EQ(g.high_count, 3u);
  EXPECT_DOUBLE_EQ(g.low_mean, 2);
  EXPECT_DOUBLE_EQ(g.high_mean, 10);
  EXPECT_DOUBLE_EQ(g.explained, 96.0 / 100) << "6 * 16 of 96 + 4";
}

TEST(TwoGroups, AFewOutliersAreNoGroup) {
  std::vector<double> samples(20, 1.0);
  samples[4] = samples[9] = 50;
  const TwoGroups g = two_groups(samples);
  EXPECT_GE(g.high_count, 4u) << "a fifth of the samples";
  EXPECT_LT(g.explained, 0.9);
}

TEST(TwoGroups, OfNothingToSplitIsZero) {
  EXPECT_EQ(two_groups(std::vector<double>{1, 2, 3}).explained, 0);
  EXPECT_EQ(two_groups(std::vector<double>(10, 7.0)).explained, 0);
}

TEST(TwoGroups, OneGroupSeldomLooksLikeTwoAndTwoDo) {
  int alarms = 0, found = 0;
  for (std::uint32_t trial = 0; trial < 300; ++trial) {
    Stream stream(derive_key({trial, {}, 1}, Purpose::test, "two groups"));
    std::vector<double> one(20), two(20);
    for (double& sample : one) sample = 100 + stream.normal();
    for (double& sample : two) sample = 100 + 0.5 * stream.normal() + (stream.below(2) == 0 ? 5 : 0);
    alarms += two_groups(one).explained >= 0.9;
    found += two_groups(two).explained >= 0.9;
  }
  EXPECT_LE(alarms, 3);
  EXPECT_GE(found, 290);
}

}  // namespace
}  // namespace lcn
