#include "stats/anytime.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace lcn {
namespace {

TEST(AnytimeMean, OfAStepFunction) {
  // 12 until 1, 8 until 3, 5 until 10: (12 + 16 + 35) / 10
  const std::vector<AnytimePoint> points{{1, 8}, {3, 5}};
  EXPECT_DOUBLE_EQ(anytime_mean(points, 10, 12), 6.3);
  EXPECT_DOUBLE_EQ(anytime_mean(points, 3, 12), 28.0 / 3) << "what comes at the horizon lasts no time";
  EXPECT_DOUBLE_EQ(anytime_mean(points, 2, 12), 10);
  EXPECT_DOUBLE_EQ(anytime_mean(points, 0.5, 12), 12);
  EXPECT_DOUBLE_EQ(anytime_mean({}, 7, 12), 12) << "no drawing at all";
  EXPECT_DOUBLE_EQ(anytime_mean(std::vector<AnytimePoint>{{0, 4}}, 7, 12), 4);
  EXPECT_DOUBLE_EQ(anytime_mean(std::vector<AnytimePoint>{{0, 9}, {0, 4}}, 7, 12), 4) << "two at one time";
}

}  // namespace
}  // namespace lcn
