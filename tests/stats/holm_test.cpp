#include "stats/holm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lcn {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

TEST(Holm, ByHand) {
  // sorted 0.005 * 4, 0.01 * 3, 0.03 * 2, then 0.04 * 1 is lifted to its predecessor
  EXPECT_THAT(holm_adjusted(std::vector<double>{0.01, 0.04, 0.03, 0.005}),
              ElementsAre(DoubleNear(0.03, 1e-12), DoubleNear(0.06, 1e-12), DoubleNear(0.06, 1e-12),
                          DoubleNear(0.02, 1e-12)));
  EXPECT_THAT(holm_adjusted(std::vector<double>{0.9, 0.6}), ElementsAre(1.0, 1.0));
  EXPECT_THAT(holm_adjusted(std::vector<double>{0.04}), ElementsAre(0.04));
  EXPECT_TRUE(holm_adjusted({}).empty());
}

}  // namespace
}  // namespace lcn
