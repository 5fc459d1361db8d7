#include "stats/proportion.hpp"

#include <gtest/gtest.h>

#include "support/error.hpp"

namespace lcn {
namespace {

TEST(WilsonInterval, PublishedValues) {
  // Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
  const struct {
    std::int64_t successes, trials;
    double low, high;
  } cases[] = {
      {81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}};
  for (const auto& c : cases) {
    const Interval interval = wilson_interval(c.successes, c.trials, 0.95);
    EXPECT_NEAR(interval.low, c.low, 5e-5) << c.successes;
    EXPECT_NEAR(interval.high, c.high, 5e-5) << c.successes;
    const Interval mirrored = wilson_interval(c.trials - c.successes, c.trials, 0.95);
    EXPECT_NEAR(mirrored.low, 1 - interval.high, 1e-12);
    EXPECT_NEAR(mirrored.high, 1 - interval.low, 1e-12);
  }
  EXPECT_EQ(wilson_interval(0, 20, 0.95).low, 0);
  EXPECT_EQ(wilson_interval(20, 20, 0.95).high, 1);
  EXPECT_THROW(wilson_interval(0, 0, 0.95), Error);
}

}  // namespace
}  // namespace lcn
