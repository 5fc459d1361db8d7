#include "stats/amdahl.hpp"

#include <gtest/gtest.h>

namespace lcn {
namespace {

TEST(WholeSpeedUp, FollowsAmdahl) {
  EXPECT_DOUBLE_EQ(whole_speed_up(0.3, 3), 1.25);
  EXPECT_DOUBLE_EQ(whole_speed_up(0, 100), 1);
  EXPECT_DOUBLE_EQ(whole_speed_up(1, 7), 7);
  EXPECT_DOUBLE_EQ(whole_speed_up(0.5, 0.5), 1 / 1.5) << "a slower part makes the whole slower";
  EXPECT_LT(whole_speed_up(0.5, 1e9), 2);
}

}  // namespace
}  // namespace lcn
