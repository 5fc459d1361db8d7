#include "geometry/drawing_hash.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/error.hpp"

namespace lcn {
namespace {

TEST(DrawingHash, HashesLittleEndianInt32PairsInOrder) {
  const std::string bytes("\x01\0\0\0\x02\0\0\0\x40\x42\x0f\0\xff\xff\xff\xff", 16);  // 1 2 1000000 -1
  EXPECT_EQ(drawing_sha256({{{1, 2}, {1'000'000, -1}}}), sha256(bytes));
  EXPECT_EQ(drawing_sha256({{{1, 2}}, {{1'000'000, -1}}}), sha256(bytes));
  EXPECT_EQ(drawing_sha256({}), sha256(""));
  EXPECT_NE(drawing_sha256({{{2, 1}}}), drawing_sha256({{{1, 2}}}));
}

TEST(DrawingHash, RefusesWhatInt32CannotHold) {
  EXPECT_NO_THROW(drawing_sha256({{{2147483647, -2147483648LL}}}));
  EXPECT_THROW(drawing_sha256({{{2147483648LL, 0}}}), Error);
  EXPECT_THROW(drawing_sha256({{{0, -2147483649LL}}}), Error);
}

}  // namespace
}  // namespace lcn
