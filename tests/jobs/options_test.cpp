#include "jobs/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/error.hpp"

namespace lcn {
namespace {

using testing::HasSubstr;

OptionTable table() {
  OptionTable table("cook", "Cooks a meal.");
  table.positional("input", "FILE", 0, 2, "recipe");
  table.section("Budget")
      .duration("time", "60s", 0.1, 3600, "wall clock per meal")
      .integer("steps", "", 1, 1000, "steps")
      .integer("seed", "0", 0, OptionTable::kAnyInteger, "seed")
      .real("heat", "1.5", 0, 10, "kW")
      .seeds("seeds", "1", "repetitions");
  table.section("Output")
      .flag("json", "print JSON")
      .choice("device", "auto", {"auto", "cpu", "gpu"}, "where to compute")
      .size("grid", "10x10", "size of the plate")
      .text("out", "FILE", "", "where to write", [](const std::string& text) {
        if (text == "bad") throw usage_error("'bad' is refused");
      });
  table.with_config();
  table.preset({"fast", "a snack", {{"time", "5s"}, {"heat", "9"}}});
  table.preset({"slow", "a feast", {{"time", "1h"}}});
  return table;
}

std::string failure(const std::vector<std::string>& args) {
  try {
    table().parse(args);
  } catch (const Error& error) {
    EXPECT_EQ(exit_code(error.kind()), 2);
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return "";
}

class OptionsFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("lcn_options_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& text) const {
    const std::string path = (folder_ / "run.ini").string();
    std::ofstream(path) << text;
    return path;
  }
  std::filesystem::path folder_;
};

TEST(OptionTable, DefaultsAndTypes) {
  const Options options = table().parse({});
  EXPECT_EQ(options.seconds("time"), 60);
  EXPECT_FALSE(options.has("steps"));
  EXPECT_EQ(options.integer("seed"), 0);
  EXPECT_EQ(options.real("heat"), 1.5);
  EXPECT_EQ(options.seeds("seeds"), (std::vector<std::int64_t>{1}));
  EXPECT_FALSE(options.flag("json"));
  EXPECT_EQ(options.text("device"), "auto");
  EXPECT_EQ(options.size("grid"), (Grid{10, 10}));
  EXPECT_EQ(options.text("out"), "");
  EXPECT_EQ(options.source("time"), "default");
  EXPECT_FALSE(options.given("time"));
  EXPECT_TRUE(options.positional().empty());
}

TEST(OptionTable, CommandLineForms) {
  const Options options = table().parse({"a.json", "--time=10m", "--json", "--seed", "3", "b.json"});
  EXPECT_EQ(options.seconds("time"), 600);
  EXPECT_TRUE(options.flag("json"));  // the next word is no value of a flag
  EXPECT_EQ(options.integer("seed"), 3);
  EXPECT_EQ(options.positional(), (std::vector<std::string>{"a.json", "b.json"}));
  EXPECT_EQ(table().parse({"--json", "a.json"}).positional(), (std::vector<std::string>{"a.json"}));
  EXPECT_EQ(table().parse({"--", "--odd"}).positional(), (std::vector<std::string>{"--odd"}));
  EXPECT_FALSE(table().parse({"--json=false"}).flag("json"));
}

TEST(OptionTable, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(failure({"--tim", "5s"}), HasSubstr("unknown option --tim (did you mean time?)"));
  EXPECT_THAT(failure({"--frobnicate"}), HasSubstr("unknown option --frobnicate (see lcn cook --help)"));
  EXPECT_THAT(failure({"-x"}), HasSubstr("unknown option -x"));
  EXPECT_THAT(failure({"--time"}), HasSubstr("--time"));
  EXPECT_THAT(failure({"--time", "5s", "--time", "6s"}), HasSubstr("--time is given twice"));
  EXPECT_THAT(failure({"a", "b", "c"}),
              HasSubstr("'c' is one argument too many (usage: lcn cook [OPTIONS] [FILE...])"));
}

TEST(OptionTable, ChecksRanges) {
  EXPECT_THAT(failure({"--seed=-1"}), HasSubstr("lcn cook --seed: -1 is outside 0.."));
  EXPECT_THAT(failure({"--seed", "-1"}), HasSubstr("-1"));
  EXPECT_THAT(failure({"--steps", "0"}), HasSubstr("--steps: 0 is outside 1..1000"));
  EXPECT_THAT(failure({"--steps", "1e3"}), HasSubstr("'1e3' is no integer"));
  EXPECT_THAT(failure({"--time", "2h"}), HasSubstr("2h is outside 0.1s..1h"));
  EXPECT_THAT(failure({"--heat", "11"}), HasSubstr("11 is outside 0..10"));
  EXPECT_THAT(failure({"--device", "tpu"}), HasSubstr("'tpu' is none of auto, cpu, gpu"));
  EXPECT_THAT(failure({"--grid", "5"}), HasSubstr("WIDTHxHEIGHT"));
  EXPECT_THAT(failure({"--seeds", "4..1"}), HasSubstr("counts down"));
  EXPECT_THAT(failure({"--out", "bad"}), HasSubstr("--out: 'bad' is refused"));
  EXPECT_THAT(failure({"--json=1"}), HasSubstr("neither true nor false"));
}

TEST(OptionTable, DeclarationsAreChecked) {
  EXPECT_THROW(table().flag("json", "again"), Error);
  EXPECT_THROW(table().parse({}).integer("nothing"), Error);
  EXPECT_THROW(table().parse({}).integer("time"), Error);   // another type
  EXPECT_THROW(table().parse({}).integer("steps"), Error);  // not set
}

TEST_F(OptionsFile, PrecedenceAndSources) {
  const std::string path = write("# my run\npreset = fast\nseed = 7\nheat = 2  # kW\ninput = x.json\n");
  const Options options = table().parse({"--config", path, "--seed", "8"});
  EXPECT_EQ(options.integer("seed"), 8);  // command line over INI
  EXPECT_EQ(options.real("heat"), 2);     // INI over preset
  EXPECT_EQ(options.seconds("time"), 5);  // preset over default
  EXPECT_EQ(options.text("device"), "auto");
  EXPECT_EQ(options.source("seed"), "command line");
  EXPECT_EQ(options.source("heat"), path + ":4");
  EXPECT_EQ(options.source("time"), "preset fast");
  EXPECT_TRUE(options.given("time"));
  EXPECT_EQ(options.positional(), (std::vector<std::string>{"x.json"}));
  EXPECT_EQ(table().parse({"--config", path, "--preset", "slow"}).seconds("time"), 3600);
  EXPECT_EQ(table().parse({"--config", path, "y.json"}).positional(), (std::vector<std::string>{"y.json"}));
}

TEST_F(OptionsFile, ErrorsNameFileAndLine) {
  EXPECT_THAT(failure({"--config", write("seed = 1\n\nsteeps = 5\n")}),
              HasSubstr("run.ini:3: unknown key steeps (did you mean steps?)"));
  EXPECT_THAT(failure({"--config", write("\nseed = -1\n")}), HasSubstr("run.ini:2: seed: -1 is outside"));
  EXPECT_THAT(failure({"--config", write("seed = 1\njson\n")}),
              HasSubstr("run.ini:2: 'json' is not KEY = VALUE"));
  EXPECT_THAT(failure({"--config", write("seed = 1\nseed = 2\n")}),
              HasSubstr("run.ini:2: seed is set twice (first in line 1)"));
  EXPECT_THAT(failure({"--config", write("# [a]\n[budget]\nseed = 2\n")}),
              HasSubstr("run.ini:2: [budget] (lcn cook has no sections"));
  EXPECT_THAT(failure({"--config", write("seed = 1  # = 2\n#steps = 4\nsteps = 5\nheat = 20\n")}),
              HasSubstr("run.ini:4: heat: 20 is outside"));
  EXPECT_THAT(failure({"--config", write("config = other.ini\n")}), HasSubstr("unknown key config"));
  EXPECT_THAT(failure({"--config", write("preset = none\n")}), HasSubstr("'none' is none of fast, slow"));
  EXPECT_THAT(failure({"--config", (folder_ / "absent.ini").string()}),
              HasSubstr("absent.ini: cannot be read"));
}

TEST_F(OptionsFile, AByteOrderMarkIsAccepted) {
  EXPECT_EQ(table().parse({"--config", write("\xEF\xBB\xBFseed = 9\r\nheat = 2\r\n")}).integer("seed"), 9);
}

TEST_F(OptionsFile, DumpReadsBackToTheSameValues) {
  const Options first =
      table().parse({"a b.json", "--preset", "fast", "--seeds", "1..4,7", "--json", "--out", "my file"});
  const std::string text = first.dump_config();
  EXPECT_THAT(text, HasSubstr("time = 5s  # preset fast\n"));
  EXPECT_THAT(text, HasSubstr("seeds = 1..4,7  # command line\n"));
  EXPECT_THAT(text, HasSubstr("seed = 0  # default\n"));
  EXPECT_THAT(text, HasSubstr("# steps is not set\n"));
  const std::string path = write(text);
  const Options second = table().parse({"--config", path});
  EXPECT_EQ(second.positional(), first.positional());
  const OptionTable declared = table();
  for (const OptionSpec& spec : declared.specs()) {
    if (spec.name == "config" || spec.name == "dump-config") continue;
    ASSERT_EQ(second.has(spec.name), first.has(spec.name)) << spec.name;
  }
  EXPECT_EQ(second.seconds("time"), 5);
  EXPECT_EQ(second.seeds("seeds"), first.seeds("seeds"));
  EXPECT_TRUE(second.flag("json"));
  EXPECT_EQ(second.text("out"), "my file");
  EXPECT_THROW(table().parse({"--out", "a#b"}).dump_config(), Error);  // '#' would cut the value
}

TEST(OptionTable, HelpWrapsAndKeepsAlignment) {
  OptionTable table("cook", "Cooks.");
  const std::string word(30, 'w');
  table.epilogue("  name   " + word + " " + word + " " + word + "\n         a=1," + std::string(60, 'b') +
                 ",c=" + std::string(60, 'd') + "\n  short  text\n    " + std::string(120, 'x'));
  EXPECT_THAT(table.help(),
              testing::EndsWith("\n  name   " + word + " " + word + "\n         " + word + "\n         a=1," +
                                std::string(60, 'b') + ",\n         c=" + std::string(60, 'd') +
                                "\n  short  text\n    " + std::string(120, 'x') + "\n"));
}

TEST(OptionTable, HelpAndMarkdownNameEverything) {
  const OptionTable declared = table();
  const std::string help = declared.help();
  const std::string page = declared.markdown();
  for (const OptionSpec& spec : declared.specs()) {
    EXPECT_THAT(help, HasSubstr("--" + spec.name));
    EXPECT_THAT(page, HasSubstr("`--" + spec.name + "`"));
  }
  EXPECT_THAT(help, HasSubstr("usage: lcn cook [OPTIONS] [FILE...]"));
  EXPECT_THAT(help, HasSubstr("(0.1s..1h, default 60s)"));
  EXPECT_THAT(help, HasSubstr("(auto|cpu|gpu, default auto)"));
  EXPECT_THAT(help, HasSubstr("a snack: time=5s heat=9"));
  testing::internal::CaptureStdout();
  EXPECT_TRUE(table().parse({"--help", "--time", "5s"}).handled());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), help);
  testing::internal::CaptureStdout();
  EXPECT_TRUE(table().parse({"--dump-config"}).handled());
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("device = auto  # default\n"));
}

}  // namespace
}  // namespace lcn
