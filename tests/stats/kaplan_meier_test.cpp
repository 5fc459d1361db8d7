#include "stats/kaplan_meier.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "random/stream.hpp"

namespace lcn {
namespace {

// Weeks of remission of 21 patients on 6-mercaptopurine (Freireich et al., Blood 21, 1963), the example of
// most books; censored ones are negative here.
std::vector<TimeToEvent> remissions() {
  std::vector<TimeToEvent> units;
  for (const int week :
       {6, 6, 6, -6, 7, -9, 10, -10, -11, 13, 16, -17, -19, -20, 22, 23, -25, -32, -32, -34, -35})
    units.push_back({std::abs(double(week)), week > 0});
  return units;
}

TEST(KaplanMeier, PublishedCurveAndMedian) {
  // Cox and Oakes, Analysis of Survival Data (1984), table 1.1 and section 4.2.
  const std::vector<SurvivalStep> curve = survival_curve(remissions(), 0.95);
  const std::vector<std::pair<double, double>> expected{{6, 0.857},  {7, 0.807},  {10, 0.753}, {13, 0.690},
                                                        {16, 0.627}, {22, 0.538}, {23, 0.448}};
  ASSERT_EQ(curve.size(), expected.size());
  for (std::size_t i = 0; i < curve.size(); ++i) {
    EXPECT_EQ(curve[i].time, expected[i].first);
    EXPECT_NEAR(curve[i].survival, expected[i].second, 5e-4);
  }
  // by hand at 10 weeks: standard error 0.0963, 0.753^exp(+-1.96 * 0.0963 / (0.753 * 0.2838))
  EXPECT_NEAR(curve[2].low, 0.503, 1e-3);
  EXPECT_NEAR(curve[2].high, 0.889, 1e-3);
  // the interval that SAS prints for this transformation: 13 weeks to "not reached"
  const MedianTime median = median_time(remissions(), 0.95);
  EXPECT_EQ(median.median, 23.0);
  EXPECT_EQ(median.low, 13.0);
  EXPECT_FALSE(median.high);
}

TEST(KaplanMeier, WhatIsNotReachedHasNoValue) {
  const std::vector<TimeToEvent> none{{60, false}, {60, false}, {60, false}};
  EXPECT_TRUE(survival_curve(none, 0.95).empty());
  EXPECT_FALSE(median_time(none, 0.95).median);
  EXPECT_FALSE(median_time({}, 0.95).median);
  // one of three reached: the curve stays above one half
  const std::vector<TimeToEvent> one{{10, true}, {60, false}, {60, false}};
  EXPECT_FALSE(median_time(one, 0.95).median);
  EXPECT_FALSE(median_time(one, 0.95).high);
  // two of four: exactly one half counts
  EXPECT_EQ(
      median_time(std::vector<TimeToEvent>{{5, true}, {7, true}, {60, false}, {60, false}}, 0.95).median,
      7.0);
  // all reached: the last step has no interval, so it bounds nothing
  const std::vector<TimeToEvent> three{{1, true}, {2, true}, {3, true}};
  EXPECT_EQ(survival_curve(three, 0.95).back().survival, 0);
  EXPECT_EQ(median_time(three, 0.95).median, 2.0);
  EXPECT_FALSE(median_time(three, 0.95).high) << "three times say nothing about an upper end at 95 %";
}

TEST(KaplanMeier, IntervalOfTheMedianHoldsItAboutAsOftenAsItSays) {
  // 25 exponential times of median log 2, watched until 1.2
  constexpr int kTrials = 1000;
  int hits = 0;
  for (std::uint32_t trial = 0; trial < kTrials; ++trial) {
    Stream stream(derive_key({trial, {}, 2}, Purpose::test));
    std::vector<TimeToEvent> units(25);
    for (TimeToEvent& unit : units) {
      const double time = -std::log(1 - stream.real());
      unit = {std::min(time, 1.2), time <= 1.2};
    }
    const MedianTime m = median_time(units, 0.95);
    hits += (!m.low || *m.low <= std::log(2.0)) && (!m.high || *m.high >= std::log(2.0));
  }
  EXPECT_GE(hits, 0.92 * kTrials);
  EXPECT_LE(hits, 0.985 * kTrials);
}

}  // namespace
}  // namespace lcn
