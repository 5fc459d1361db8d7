#include "layout/spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "support/error.hpp"

namespace lcn {
namespace {

std::string usage_message(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

TEST(Spec, NameAlone) {
  Spec spec = Spec::parse("random");
  EXPECT_EQ(spec.name(), "random");
  EXPECT_EQ(spec.integer("rounds", 50, 0, 100), 50);
  EXPECT_DOUBLE_EQ(spec.real("rate", 0.5, 0, 1), 0.5);
  EXPECT_EQ(spec.text("init", "snake"), "snake");
  EXPECT_NO_THROW(spec.finish());
}

TEST(Spec, ValuesOverrideFallbacksAtBothEndsOfTheRange) {
  Spec spec = Spec::parse("a:rounds=100,rate=0,low=-3,init=x=y,empty=");
  EXPECT_EQ(spec.integer("rounds", 50, 0, 100), 100);
  EXPECT_DOUBLE_EQ(spec.real("rate", 0.5, 0, 1), 0);
  EXPECT_EQ(spec.integer("low", 0, -3, 3), -3);
  EXPECT_EQ(spec.text("init", ""), "x=y");
  EXPECT_EQ(spec.text("empty", "z"), "");
  EXPECT_NO_THROW(spec.finish());
}

TEST(Spec, MalformedTextIsRefused) {
  for (const char* text : {"", ":a=1", "x:", "x:a", "x:=1", "x:a=1,", "x:a=1,,b=2"})
    EXPECT_NE(usage_message([&] { Spec::parse(text); }), "") << text;
  EXPECT_THAT(usage_message([] { Spec::parse("x:a=1,a=2"); }),
              testing::HasSubstr("the key a is given twice"));
}

TEST(Spec, ValuesAreCheckedForTypeAndRange) {
  const auto integer = [](const std::string& value) {
    return usage_message([&] { Spec::parse("x:k=" + value).integer("k", 0, 0, 9); });
  };
  for (const char* value : {"", "a", "1.5", "1x", "0x1"})
    EXPECT_THAT(integer(value), testing::HasSubstr("is not an integer")) << value;
  for (const char* value : {"-1", "10", "99999999999999999999"})
    EXPECT_THAT(integer(value), testing::HasSubstr("x: k=" + std::string(value) + " is out of range"))
        << value;
  const auto real = [](const std::string& value) {
    return usage_message([&] { Spec::parse("x:k=" + value).real("k", 0, 0, 9); });
  };
  for (const char* value : {"", "a", "nan", "inf", "1,"}) EXPECT_NE(real(value), "") << value;
  for (const char* value : {"-0.1", "9.01"})
    EXPECT_THAT(real(value), testing::HasSubstr("out of range")) << value;
}

TEST(Spec, UnknownKeysAreErrorsThatListTheKnownOnes) {
  Spec spec = Spec::parse("fmmm:iteration=3");
  spec.integer("iterations", 1, 0, 10);
  spec.real("spring", 1, 0, 10);
  EXPECT_THAT(
      usage_message([&] { spec.finish(); }),
      testing::AllOf(testing::HasSubstr("unknown key iteration;"), testing::HasSubstr("iterations, spring")));
  EXPECT_THAT(usage_message([&] { Spec::parse("random:k=1").finish(); }),
              testing::HasSubstr("has no parameters"));
}

}  // namespace
}  // namespace lcn
