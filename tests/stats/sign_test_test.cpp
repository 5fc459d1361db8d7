#include "stats/sign_test.hpp"

#include <gtest/gtest.h>

namespace lcn {
namespace {

TEST(SignTest, CountsTailsOfAFairCoin) {
  EXPECT_EQ(sign_test(0, 0), 1);
  EXPECT_EQ(sign_test(1, 0), 1);
  EXPECT_NEAR(sign_test(5, 0), 2.0 / 32, 1e-12);
  EXPECT_NEAR(sign_test(0, 6), 2.0 / 64, 1e-12);
  EXPECT_NEAR(sign_test(8, 2), 2 * 56.0 / 1024, 1e-12) << "1 + 10 + 45 of 1024 patterns";
  EXPECT_EQ(sign_test(8, 2), sign_test(2, 8));
  EXPECT_EQ(sign_test(4, 4), 1);
  EXPECT_GT(sign_test(1000, 0), 0);
}

TEST(SignTest, FewestPairsThatCanDecide) {
  EXPECT_EQ(fewest_decisive_pairs(0.05), 6);
  EXPECT_EQ(fewest_decisive_pairs(0.0625), 5) << "2 / 32 is just small enough";
  EXPECT_EQ(fewest_decisive_pairs(0.05 / 3), 7);
  EXPECT_EQ(fewest_decisive_pairs(1), 1);
  for (const double alpha : {0.1, 0.05, 0.01, 0.001}) {
    EXPECT_LE(sign_test(fewest_decisive_pairs(alpha), 0), alpha);
    EXPECT_GT(sign_test(fewest_decisive_pairs(alpha) - 1, 0), alpha);
  }
}

}  // namespace
}  // namespace lcn
