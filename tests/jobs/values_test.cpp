#include "jobs/values.hpp"

#include <gtest/gtest.h>

#include "support/error.hpp"

namespace lcn {
namespace {

TEST(Values, DurationsOfTheGrammar) {
  EXPECT_EQ(parse_duration("90"), 90);
  EXPECT_EQ(parse_duration("0"), 0);
  EXPECT_EQ(parse_duration("2.5"), 2.5);
  EXPECT_EQ(parse_duration("60s"), 60);
  EXPECT_EQ(parse_duration("10m"), 600);
  EXPECT_EQ(parse_duration("1h"), 3600);
  EXPECT_EQ(parse_duration("1.5h"), 5400);
  EXPECT_EQ(parse_duration("2d"), 172800);
  EXPECT_EQ(parse_duration("01:02:03"), 3723);
  EXPECT_EQ(parse_duration("1-06:00:00"), 108000);
}

TEST(Values, DurationsThatAreNone) {
  for (const char* text :
       {"", "s", "-1", "-1s", "1w", "1 s", "1s ", "10:00", "1:2:3:4", "1-2", "00:60:00", "00:00:60",
        "a-00:00:01", "-00:00:01", "nan", "inf", "1e999", "999999999-00:00:00"})
    EXPECT_THROW(parse_duration(text), Error) << text;
}

TEST(Values, DurationTextReadsBack) {
  for (double seconds : {0.0, 0.25, 1.0, 90.0, 119.5, 120.0, 121.0, 600.0, 3599.0, 3600.0, 7200.0, 7201.0,
                         86399.0, 86400.0, 108000.0, 108001.0, 1e7})
    EXPECT_EQ(parse_duration(duration_text(seconds)), seconds) << duration_text(seconds);
  EXPECT_EQ(duration_text(600), "10m");
  EXPECT_EQ(duration_text(0.25), "0.25s");
  EXPECT_EQ(duration_text(108000), "1-06:00:00");
}

TEST(Values, SeedLists) {
  EXPECT_EQ(parse_seeds("1..4,7"), (std::vector<std::int64_t>{1, 2, 3, 4, 7}));
  EXPECT_EQ(parse_seeds("0"), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(parse_seeds("9,3..3"), (std::vector<std::int64_t>{9, 3}));
  EXPECT_EQ(parse_seeds("9223372036854775807").front(), 9223372036854775807);
  EXPECT_EQ(parse_seeds("1..100000").size(), 100000u);
  for (const char* text : {"", ",", "1,", "1..", "..4", "4..1", "1...4", "-1", "1;2", "1..4,4", "1..100001",
                           "0..9223372036854775807", "9223372036854775808", "1 ,2"})
    EXPECT_THROW(parse_seeds(text), Error) << text;
}

TEST(Values, Sizes) {
  EXPECT_EQ(parse_size("1000x800"), (Grid{1000, 800}));
  EXPECT_EQ(parse_size("0x0"), (Grid{0, 0}));
  EXPECT_EQ(parse_size("1073741824x1"), (Grid{1073741824, 1}));
  for (const char* text :
       {"", "x", "5", "5x", "x5", "5X5", "-1x5", "5x5x5", "1073741825x1", "99999999999999999999x1"})
    EXPECT_THROW(parse_size(text), Error) << text;
}

TEST(Values, NumbersMustBeWhole) {
  EXPECT_EQ(parse_integer("-12"), -12);
  EXPECT_EQ(parse_real("1e-3"), 1e-3);
  EXPECT_TRUE(parse_flag("true"));
  EXPECT_FALSE(parse_flag("false"));
  for (const char* text : {"", "1.0", "1e3", "+1", " 1", "1 ", "0x1", "9223372036854775808"})
    EXPECT_THROW(parse_integer(text), Error) << text;
  for (const char* text : {"", "nan", "inf", "1,5", "1 "}) EXPECT_THROW(parse_real(text), Error) << text;
  for (const char* text : {"", "1", "yes", "True"}) EXPECT_THROW(parse_flag(text), Error) << text;
}

TEST(Values, NearestWordIsNearOrEmpty) {
  const std::vector<std::string> names = {"time", "steps", "threads"};
  EXPECT_EQ(nearest_word("tmie", names), "time");
  EXPECT_EQ(nearest_word("step", names), "steps");
  EXPECT_EQ(nearest_word("thread", names), "threads");
  EXPECT_EQ(nearest_word("frobnicate", names), "");
}

}  // namespace
}  // namespace lcn
