// The integer decisions of a search, each against real arithmetic or by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "random/stream.hpp"
#include "search/bandit.hpp"
#include "search/chain.hpp"
#include "search/exchange.hpp"
#include "search/fixed_point.hpp"
#include "search/resampling.hpp"
#include "search/team.hpp"
#include "search/weight_table.hpp"

namespace lcn {
namespace {

TEST(FixedPoint, NegLogAgreesWithTheLogarithm) {
  const std::uint32_t* table = neg_log_table().entries.data();
  Stream stream(derive_key({1, {}, 1}, Purpose::test));
  double worst = 0;
  for (int i = 0; i < 100000; ++i) {
    const std::uint32_t word = stream.next() >> stream.below(31);
    const double exact = -std::log((static_cast<double>(word) + (word == 0 ? 0.5 : 0.0)) / 4294967296.0);
    worst = std::max(worst, std::abs(exact - static_cast<double>(neg_log(table, word)) / 65536.0));
  }
  EXPECT_LT(worst, 5e-5);
  EXPECT_GE(neg_log(table, 0xffffffffu), 0);
  EXPECT_GT(neg_log(table, 0), neg_log(table, 1));
}

TEST(FixedPoint, AcceptanceFollowsTheMetropolisRate) {
  const std::uint32_t* table = neg_log_table().entries.data();
  Stream stream(derive_key({2, {}, 1}, Purpose::test));
  for (double ratio : {0.1, 0.5, 1.0, 3.0}) {  // energy change over temperature
    const std::int64_t temperature = to_fixed(0.7), change = to_fixed(0.7 * ratio);
    int accepted = 0;
    const int tries = 200000;
    for (int i = 0; i < tries; ++i)
      accepted += change <= acceptance_threshold(table, stream.next(), temperature);
    EXPECT_NEAR(static_cast<double>(accepted) / tries, std::exp(-ratio), 0.006);
  }
}

TEST(WeightTable, IsIncreasingBoundedAndHasUnitSlopeAtK) {
  for (std::int64_t K : {1, 5, 49, 300})
    for (double factor : {0.5, 1.0, 2.0}) {
      const std::int64_t m = 2000;
      const auto table = power_table(m, K, std::max(1.0, factor * static_cast<double>(K)), 0.01);
      ASSERT_EQ(table.size(), 2001u);
      EXPECT_EQ(table[0], 0);
      for (std::size_t c = 1; c < table.size(); ++c) ASSERT_GT(table[c], table[c - 1]) << c;
      EXPECT_LT(static_cast<double>(table.back()) * static_cast<double>(m), std::ldexp(1.0, 62));
    }
  // The derivative of (K/p)(c/K)^p at K is 1: the mean of the two neighbouring differences comes close.
  const auto table = power_table(1000, 100, 100.0, 0.0);
  EXPECT_NEAR(static_cast<double>(table[101] - table[99]) / 2 / static_cast<double>(kEnergyOne), 1.0, 0.35);
  EXPECT_EQ(linear_table(3), (std::vector<std::int64_t>{0, kEnergyOne, 2 * kEnergyOne, 3 * kEnergyOne}));
}

TEST(TupleAcceptance, StagesDecideInOrder) {
  const std::int64_t cold = 0, L = 1 << 16;  // -ln u = 1
  const Tuple now{10, 4, 500, 100};
  EXPECT_TRUE(accept_tuple(now, {9, 40, 5000, 1000}, L, cold));
  EXPECT_FALSE(accept_tuple(now, {11, 1, 400, 90}, L, cold));
  EXPECT_TRUE(accept_tuple(now, {11, 1, 400, 90}, L, kEnergyOne));  // dK = 1 <= T = 1
  EXPECT_FALSE(accept_tuple(now, {12, 1, 400, 90}, L, kEnergyOne));
  EXPECT_TRUE(accept_tuple(now, {10, 3, 518, 100}, L, cold));   // 19 * -1 + 18 < 0
  EXPECT_FALSE(accept_tuple(now, {10, 3, 520, 100}, L, cold));  // 19 * -1 + 20 > 0
  EXPECT_TRUE(accept_tuple(now, {10, 3, 519, 100}, L, cold));   // 0, and C does not rise
  EXPECT_FALSE(accept_tuple(now, {10, 3, 519, 101}, L, cold));
  EXPECT_TRUE(accept_tuple(now, {10, 3, 519, 119}, L, kEnergyOne));  // dC = 19 <= T u = 19
  EXPECT_FALSE(accept_tuple(now, {10, 3, 519, 120}, L, kEnergyOne));
}

TEST(Bandit, KeepsFloorsAndFollowsImprovements) {
  Bandit bandit;
  bandit.reset(4);
  EXPECT_EQ(std::accumulate(bandit.weight, bandit.weight + 4, 0), 65536);
  for (int round = 0; round < 40; ++round) {
    for (int a = 0; a < 4; ++a) bandit.tried[a] = 100;
    bandit.improved[2] = 50;
    bandit.end_round();
  }
  EXPECT_EQ(std::accumulate(bandit.weight, bandit.weight + 4, 0), 65536);
  for (int a = 0; a < 4; ++a) EXPECT_GE(bandit.weight[a], 65536 / 16);
  EXPECT_GT(bandit.weight[2], 65536 / 2);
  int picks[4] = {};
  for (std::uint32_t word = 0; word < 65536; ++word) ++picks[bandit.pick(word)];
  for (int a = 0; a < 4; ++a) EXPECT_EQ(picks[a], bandit.weight[a]);
}

TEST(Exchange, FollowsTheMetropolisRate) {
  const StreamKey key{3, 4};
  const std::int64_t cold = to_fixed(0.5), hot = to_fixed(1.0);
  // (1/0.5 - 1/1)(E_cold - E_hot): positive differences always pass, negative ones with exp.
  const std::int64_t low = to_fixed(10.0), high = to_fixed(11.5);
  int accepted = 0;
  const int rounds = 100000;
  for (int r = 0; r < rounds; ++r) {
    EXPECT_TRUE(accept_exchange(key, r, 0, cold, hot, high, low));
    accepted += accept_exchange(key, r, 0, cold, hot, low, high);
  }
  EXPECT_NEAR(static_cast<double>(accepted) / rounds, std::exp(-1.5), 0.006);
}

TEST(Exchange, RespacingMovesRungsToWhereRejectionsAre) {
  const auto ladder = geometric_ladder(0.1, 10.0, 5);
  ASSERT_EQ(ladder.size(), 5u);
  EXPECT_EQ(ladder.front(), to_fixed(0.1));
  EXPECT_EQ(ladder.back(), to_fixed(10.0));
  const auto spaced = respace_ladder(ladder, {100, 100, 100, 100}, {80, 20, 20, 20});
  EXPECT_EQ(spaced.front(), ladder.front());
  EXPECT_EQ(spaced.back(), ladder.back());
  EXPECT_LT(spaced[1], ladder[1]);
  for (std::size_t i = 1; i < spaced.size(); ++i) EXPECT_GT(spaced[i], spaced[i - 1]);
  EXPECT_EQ(respace_ladder(ladder, {0, 1, 1, 1}, {0, 0, 0, 0}), ladder);
}

TEST(Resampling, SystematicCopiesKeepTheNumberAndFollowWeights) {
  EXPECT_EQ(systematic_copies({1, 1, 1, 1}, 0), (std::vector<int>{1, 1, 1, 1}));
  EXPECT_EQ(systematic_copies({4, 0, 0, 0}, 123456), (std::vector<int>{4, 0, 0, 0}));
  EXPECT_EQ(systematic_copies({2, 1, 1, 0}, 0), (std::vector<int>{2, 1, 1, 0}));
  Stream stream(derive_key({4, {}, 1}, Purpose::test));
  std::vector<std::uint64_t> weights;
  for (int i = 0; i < 37; ++i) weights.push_back(stream.below(1u << 30));
  const auto total = static_cast<double>(std::accumulate(weights.begin(), weights.end(), std::uint64_t{0}));
  for (int i = 0; i < 50; ++i) {
    const auto copies = systematic_copies(weights, stream.next());
    EXPECT_EQ(std::accumulate(copies.begin(), copies.end(), 0), 37);
    for (std::size_t k = 0; k < copies.size(); ++k)
      EXPECT_LE(std::abs(copies[k] - 37.0 * static_cast<double>(weights[k]) / total), 1.0);
  }
}

TEST(Resampling, IslandsCoverAllSlots) {
  for (int replicas : {1, 7, 64})
    for (int islands : {1, 3, 7}) {
      EXPECT_EQ(island_begin(replicas, islands, 0), 0);
      EXPECT_EQ(island_begin(replicas, islands, islands), replicas);
    }
}

TEST(HostTeam, SelectTakesTheFirstAboveOrTheLargest) {
  const HostTeam<32> team;
  const int values[32] = {1, 5, 3, 5, 9, 2};
  const auto item = [](int i) { return 100 + i; };
  const auto value = [&](int candidate) { return values[candidate - 100]; };
  EXPECT_EQ(team.select32(item, value, 5), 101);
  EXPECT_EQ(team.select32(item, value, 6), 104);
  EXPECT_EQ(team.select32(item, value, 10), 104);
  EXPECT_EQ(team.select32(
                item, [](int) { return 7; }, 8),
            100);
  EXPECT_EQ(team.first32(item, [&](int candidate) { return value(candidate) > 5; }), 104);
  EXPECT_EQ(team.first32(item, [](int) { return false; }), -1);
}

}  // namespace
}  // namespace lcn
