// The fast predicates against 128-bit integers, at the very border that each arithmetic promises.
#include "geometry/predicates.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "random/stream.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

int exact_side(const Point& a, const Point& b, const Point& c) {
  const __int128 value =
      __int128(b.x - a.x) * __int128(c.y - a.y) - __int128(b.y - a.y) * __int128(c.x - a.x);
  return (value > 0) - (value < 0);
}

// Proper crossing by its definition: each segment's ends lie strictly on both sides of the other's line.
bool exact_cross(const Point& a, const Point& b, const Point& c, const Point& d) {
  return exact_side(a, b, c) * exact_side(a, b, d) < 0 && exact_side(c, d, a) * exact_side(c, d, b) < 0;
}

bool exact_on_segment(const Point& a, const Point& b, const Point& p) {
  const __int128 toward_ends =
      __int128(a.x - p.x) * __int128(b.x - p.x) + __int128(a.y - p.y) * __int128(b.y - p.y);
  return exact_side(a, b, p) == 0 && toward_ends <= 0;
}

template <class T>
void expect_exact(const Point& a, const Point& b, const Point& c, const Point& d) {
  const T ax = static_cast<T>(a.x), ay = static_cast<T>(a.y), bx = static_cast<T>(b.x),
          by = static_cast<T>(b.y);
  const T cx = static_cast<T>(c.x), cy = static_cast<T>(c.y), dx = static_cast<T>(d.x),
          dy = static_cast<T>(d.y);
  ASSERT_EQ(sign(orientation(ax, ay, bx, by, cx, cy)), exact_side(a, b, c));
  ASSERT_EQ(sign(orientation(cx, cy, dx, dy, bx, by)), exact_side(c, d, b));
  ASSERT_EQ(segments_cross(ax, ay, bx, by, cx, cy, dx, dy), exact_cross(a, b, c, d));
  ASSERT_EQ(point_on_segment(ax, ay, bx, by, cx, cy), exact_on_segment(a, b, c));
}

template <class Type, std::int64_t kLimit>
struct Border {
  using T = Type;
  static constexpr std::int64_t limit = kLimit;
};

template <class B>
class PredicatesAtBorder : public testing::Test {};
using Borders = testing::Types<Border<std::int32_t, kMaxDifferenceInt32>, Border<double, kMaxDifferenceFp64>,
                               Border<std::int64_t, kMaxGridSide>>;
TYPED_TEST_SUITE(PredicatesAtBorder, Borders);

// All quadruples of points at corners, sides and next to them: the largest products with the smallest
// differences.
TYPED_TEST(PredicatesAtBorder, CornersAndTheirNeighbours) {
  using T = typename TypeParam::T;
  constexpr std::int64_t d = TypeParam::limit;
  const std::array<std::int64_t, 4> ticks = {0, 1, d - 1, d};
  std::vector<Point> points;
  for (std::int64_t x : ticks)
    for (std::int64_t y : ticks) points.push_back({x, y});
  for (const Point& a : points)
    for (const Point& b : points)
      for (const Point& c : points)
        for (const Point& e : points) ASSERT_NO_FATAL_FAILURE(expect_exact<T>(a, b, c, e));
}

TYPED_TEST(PredicatesAtBorder, RandomPoints) {
  using T = typename TypeParam::T;
  Stream stream({6, static_cast<std::uint32_t>(Purpose::test)});
  const auto point = [&] {
    return Point{stream.between(0, TypeParam::limit), stream.between(0, TypeParam::limit)};
  };
  for (int i = 0; i < 100'000; ++i) {
    const Point a = point(), b = point(), c = point(), e = point();
    ASSERT_NO_FATAL_FAILURE(expect_exact<T>(a, b, c, e));
  }
}

// c at a rounded fraction of ab, moved by at most one unit: the orientation is tiny, its two products are
// huge.
TYPED_TEST(PredicatesAtBorder, NearlyCollinearPoints) {
  using T = typename TypeParam::T;
  constexpr std::int64_t d = TypeParam::limit;
  Stream stream({7, static_cast<std::uint32_t>(Purpose::test)});
  int collinear = 0;
  for (int i = 0; i < 100'000; ++i) {
    const Point a{stream.between(0, 3), stream.between(0, 3)};
    const Point b{d - stream.between(0, 3), d - stream.between(0, 3)};
    const std::int64_t numerator = stream.between(1, 62), shift = stream.between(-1, 1);
    const auto along = [&](std::int64_t from, std::int64_t to) {
      return from + (to - from) / 63 * numerator;
    };
    const Point c{along(a.x, b.x), along(a.y, b.y) + shift};
    const Point e =
        stream.below(2) ? Point{stream.between(0, d), stream.between(0, d)} : Point{c.x + 1, c.y + 1};
    if (exact_side(a, b, c) == 0) ++collinear;
    ASSERT_NO_FATAL_FAILURE(expect_exact<T>(a, b, c, e));
    ASSERT_NO_FATAL_FAILURE(expect_exact<T>(b, c, a, e));
  }
  EXPECT_GT(collinear, 100);  // the hardest case must really occur
}

// Beyond the promise the types do go wrong, so the borders are not merely cautious: FP64 loses the last unit
// of (2^27 + 1)^2 - 2^27 (2^27 + 2) = 1.
TEST(Predicates, Fp64IsNotExactFarBeyondItsBorder) {
  const std::int64_t d = std::int64_t{1} << 27;
  const Point a{0, 0}, b{d + 1, d}, c{d + 2, d + 1};
  EXPECT_EQ(exact_side(a, b, c), 1);
  EXPECT_EQ(orientation<double>(0, 0, double(b.x), double(b.y), double(c.x), double(c.y)), 0.0);
}

TEST(ChooseArithmetic, SwitchesExactlyAtTheBorders) {
  const auto choice = [](std::int64_t side) { return choose_arithmetic({side, 10}); };
  EXPECT_EQ(choose_arithmetic({0, 0}), Arithmetic::int32);
  EXPECT_EQ(choice(32'767), Arithmetic::int32);
  EXPECT_EQ(choice(32'768), Arithmetic::fp64);
  EXPECT_EQ(choice(67'108'864), Arithmetic::fp64);
  EXPECT_EQ(choice(67'108'865), Arithmetic::int64);
  EXPECT_EQ(choice(1'073'741'824), Arithmetic::int64);
  EXPECT_EQ(choose_arithmetic({10, 32'768}), Arithmetic::fp64);  // the larger side decides
  EXPECT_STREQ(to_string(choice(10)), "int32");
  EXPECT_STREQ(to_string(choice(100'000)), "fp64");
  EXPECT_STREQ(to_string(choice(100'000'000)), "int64");
}

TEST(ChooseArithmetic, RefusesGridsBeyondExactness) {
  for (const Grid& grid : {Grid{1'073'741'825, 10}, Grid{10, 1'073'741'825}, Grid{-1, 10}, Grid{10, -1}}) {
    try {
      choose_arithmetic(grid);
      ADD_FAILURE() << grid.width << " x " << grid.height << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
    }
  }
}

}  // namespace
}  // namespace lcn
