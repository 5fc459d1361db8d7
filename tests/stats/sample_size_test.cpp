#include "stats/sample_size.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "random/stream.hpp"
#include "stats/signed_rank.hpp"

namespace lcn {
namespace {

TEST(PairsNeeded, ByHand) {
  // (1.95996 + 0.84162)^2 = 7.8489; at a spread of 2: 31.3955 * pi/3 + 1.9207 = 34.798
  EXPECT_EQ(pairs_needed(2, 1, 0.05, 0.8), 35);
  EXPECT_EQ(pairs_needed(4, 2, 0.05, 0.8), 35) << "only the ratio counts";
  EXPECT_EQ(pairs_needed(0, 1, 0.05, 0.8), 6) << "six wins are the fewest that decide at 0.05";
  EXPECT_GT(pairs_needed(2, 1, 0.01, 0.8), 35);
  EXPECT_GT(pairs_needed(2, 1, 0.05, 0.9), 35);
}

TEST(PairsNeeded, GiveThePowerThatTheySay) {
  constexpr int kTrials = 1000;
  int seen = 0;
  for (std::uint32_t trial = 0; trial < kTrials; ++trial) {
    Stream stream(derive_key({trial, {}, 4}, Purpose::test));
    std::vector<double> differences(static_cast<std::size_t>(pairs_needed(2, 1, 0.05, 0.8)));
    for (double& d : differences) d = 1 + 2 * stream.normal();
    seen += signed_rank(differences).p <= 0.05;
  }
  EXPECT_NEAR(seen, 0.8 * kTrials, 0.04 * kTrials);
}

}  // namespace
}  // namespace lcn
