#include "crossings/tuple.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace lcn {
namespace {

template <class Count>
Tuple tuple_of(const std::vector<Count>& counts) {
  return tuple_of_counts(std::span<const Count>(counts));
}

TEST(TupleOfCounts, ExamplesOfTheDefinition) {
  EXPECT_EQ(to_string(tuple_of<int>({3, 3, 1, 1})), "(3, 2, 20, 4)");
  EXPECT_EQ(to_string(tuple_of<int>({3, 2, 2, 1})), "(3, 1, 18, 4)");
  EXPECT_LT(tuple_of<int>({3, 2, 2, 1}), tuple_of<int>({3, 3, 1, 1}));
}

TEST(TupleOfCounts, NoCrossingsAndNoEdges) {
  EXPECT_EQ(tuple_of<int>({}), (Tuple{0, 0, 0, 0}));
  EXPECT_EQ(tuple_of<int>({0, 0, 0}), (Tuple{0, 0, 0, 0}));
}

TEST(TupleOfCounts, IndependentOfOrderAndOfTheCountType) {
  std::vector<int> counts = {0, 5, 2, 5, 4, 0, 2};
  std::sort(counts.begin(), counts.end());
  do {
    ASSERT_EQ(tuple_of(counts), (Tuple{5, 2, 74, 9}));
  } while (std::next_permutation(counts.begin(), counts.end()));
  EXPECT_EQ(tuple_of<std::uint16_t>({65'535, 65'535}), (Tuple{65'535, 2, 2 * 65'535LL * 65'535, 65'535}));
  EXPECT_EQ(tuple_of<std::uint8_t>({255, 255}), (Tuple{255, 2, 130'050, 255}));
  EXPECT_EQ(tuple_of<std::int64_t>({1'000'000'000, 1'000'000'000}),
            (Tuple{1'000'000'000, 2, 2'000'000'000'000'000'000, 1'000'000'000}));
}

TEST(TupleOrder, IsLexicographic) {
  const std::array<Tuple, 7> ascending = {Tuple{0, 0, 0, 0},  Tuple{1, 2, 2, 1},  Tuple{1, 4, 4, 2},
                                          Tuple{3, 1, 18, 4}, Tuple{3, 2, 20, 4}, Tuple{3, 2, 20, 5},
                                          Tuple{3, 2, 21, 4}};
  for (std::size_t i = 0; i < ascending.size(); ++i)
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_EQ(ascending[i] < ascending[j], i < j);
      EXPECT_EQ(ascending[i] == ascending[j], i == j);
    }
}

}  // namespace
}  // namespace lcn
