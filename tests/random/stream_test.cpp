#include "random/stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace lcn {
namespace {

using Words = std::array<std::uint32_t, 4>;

Words words(const Draw4& draw) {
  return {draw.w[0], draw.w[1], draw.w[2], draw.w[3]};
}

// The vectors for philox4x32, 10 rounds, that Random123 publishes with its sources (counter, key, result).
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(words(philox({0, 0}, 0, 0, 0, 0)), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(words(philox({ones, ones}, ones, ones, ones, ones)),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(words(philox({0xa4093822, 0x299f31d0}, 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344)),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, ChainDrawPlacesTheCounterWords) {
  const StreamKey key{0xa4093822, 0x299f31d0};
  EXPECT_EQ(words(chain_draw(key, 0x243f6a88, 0x13198a2e85a308d3, 0x03707344)),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, BoundedCoversItsRange) {
  EXPECT_EQ(bounded(0, 7), 0u);
  EXPECT_EQ(bounded(0xffffffff, 7), 6u);
  EXPECT_EQ(bounded(0xffffffff, 1), 0u);
  EXPECT_EQ(bounded(0x80000000, 2), 1u);
  EXPECT_EQ(bounded(0x7fffffff, 2), 0u);
  EXPECT_EQ(bounded(0xffffffff, 0xffffffff), 0xfffffffeu);
}

// Reference values by Python:
//   hashlib.sha256(struct.pack('<Q', root) + instance + struct.pack('<Q', repetition)
//                  + struct.pack('<I', purpose) + name).digest(), its first 8 bytes as two '<I'.
TEST(DeriveKey, KnownAnswers) {
  EXPECT_EQ(derive_key({}, Purpose::generate_graph), (StreamKey{0xa6a87713, 0x3d2812b8}));
  SeedPath path{0x0123456789abcdef, {}, 7};
  std::iota(path.instance.begin(), path.instance.end(), std::uint8_t{0});
  EXPECT_EQ(derive_key(path, Purpose::chain, "annealing"), (StreamKey{0x34d61240, 0xe52daed3}));
  EXPECT_EQ(derive_key(path, Purpose::chain, "tempering"), (StreamKey{0xcb0e7c97, 0x503f385a}));
  path.root_seed = path.repetition = ~std::uint64_t{0};
  EXPECT_EQ(derive_key(path, Purpose::test), (StreamKey{0x8a49b577, 0x346999a4}));
}

TEST(Stream, ReadsTheCountersInOrder) {
  const StreamKey key{1, 2};
  Stream stream(key, 9);
  for (std::uint32_t block = 0; block < 3; ++block) {
    const Draw4 expected = philox(key, 9, block, 0, 0);
    for (std::uint32_t word : expected.w) EXPECT_EQ(stream.next(), word);
  }
  Stream again(key, 9), other(key, 10);
  EXPECT_EQ(again.next(), philox(key, 9, 0, 0, 0).w[0]);
  EXPECT_NE(other.next(), philox(key, 9, 0, 0, 0).w[0]);
}

TEST(Stream, BoundsAreReachedAndKept) {
  Stream stream({3, 4});
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    seen.insert(stream.between(-3, 3));
    ASSERT_EQ(stream.below(1), 0u);
    ASSERT_EQ(stream.between(42, 42), 42);
    ASSERT_LT(stream.below(5), 5u);
    const double real = stream.real();
    ASSERT_GE(real, 0.0);
    ASSERT_LT(real, 1.0);
  }
  EXPECT_EQ(seen, (std::set<std::int64_t>{-3, -2, -1, 0, 1, 2, 3}));
  bool negative = false, positive = false;  // the full range of 64 bits has no modulus to reduce by
  for (int i = 0; i < 100; ++i) (stream.between(INT64_MIN, INT64_MAX) < 0 ? negative : positive) = true;
  EXPECT_TRUE(negative && positive);
}

// With a range of 3/4 of 2^64 plain modulo would hit the lowest third twice as often as the rest; rejection
// must not.
TEST(Stream, BetweenIsUnbiasedWhereModuloIsNot) {
  Stream stream({5, 6});
  const std::int64_t quarter = std::int64_t{1} << 62;
  const std::int64_t low = INT64_MIN, high = quarter - 1;  // 3 * 2^62 values
  std::array<int, 3> thirds{};
  const int draws = 30'000;
  for (int i = 0; i < draws; ++i) {
    const std::int64_t value = stream.between(low, high);
    ASSERT_LE(value, high);
    ++thirds[value < -quarter ? 0 : value < 0 ? 1 : 2];
  }
  for (int count : thirds) EXPECT_NEAR(count, draws / 3, 5 * std::sqrt(draws * 2.0 / 9.0));
}

TEST(Stream, SmallRangesAreUniform) {
  Stream stream({7, 8});
  for (std::uint32_t n : {2u, 3u, 7u, 10u}) {
    std::vector<int> counts(n, 0);
    const int draws = 20'000;
    for (int i = 0; i < draws; ++i) ++counts[stream.below(n)];
    for (int count : counts) EXPECT_NEAR(count, double(draws) / n, 5 * std::sqrt(double(draws) / n));
  }
}

TEST(Stream, NormalHasItsMoments) {
  Stream stream({9, 10});
  const int draws = 100'000;
  double sum = 0, squares = 0;
  for (int i = 0; i < draws; ++i) {
    const double value = stream.normal();
    ASSERT_TRUE(std::isfinite(value));
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / draws, 0.0, 0.02);
  EXPECT_NEAR(squares / draws, 1.0, 0.03);
}

TEST(Stream, ShuffleGivesEveryOrderAlike) {
  Stream stream({11, 12});
  std::map<std::vector<int>, int> counts;
  const int trials = 24'000;
  for (int i = 0; i < trials; ++i) {
    std::vector<int> items = {0, 1, 2, 3};
    stream.shuffle(items);
    ++counts[items];
  }
  ASSERT_EQ(counts.size(), 24u);
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, trials / 24, 5 * std::sqrt(trials / 24.0));
}

TEST(Stream, ShuffleIsDeterministicAndSafeOnSmallSets) {
  std::vector<int> none, one = {5}, first(50), second(50);
  std::iota(first.begin(), first.end(), 0);
  second = first;
  Stream a({13, 14}), b({13, 14});
  a.shuffle(none);
  a.shuffle(one);
  EXPECT_EQ(one, std::vector<int>{5});
  a.shuffle(first);
  b.shuffle(second);
  EXPECT_EQ(first, second);
  std::sort(first.begin(), first.end());
  for (int i = 0; i < 50; ++i) EXPECT_EQ(first[i], i);
}

}  // namespace
}  // namespace lcn
