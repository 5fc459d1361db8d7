#include "io/archive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "io/files.hpp"
#include "io/unit_file.hpp"
#include "jobs/commands.hpp"
#include "support/error.hpp"
#include "tests/io/sample_record.hpp"
#include "tests/io/test_folder.hpp"

namespace lcn {
namespace {

using ::testing::HasSubstr;

struct Result {
  int code;
  std::string out, err;
};

Result archive(const std::vector<std::string>& args) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  int code = -1;
  std::string thrown;
  try {
    code = archive_command(args);
  } catch (const Error& error) {
    code = exit_code(error.kind());
    thrown = error.what();
  }
  std::string out = ::testing::internal::GetCapturedStdout();
  return {code, std::move(out), ::testing::internal::GetCapturedStderr() + thrown};
}

// A run of two planned units of which the first is done; `tuple_C` other than 1 is a wrong row.
std::string make_run(const TestFolder& folder, std::int64_t tuple_C = 1) {
  const Instance instance = sample_instance();
  UnitRecord record = identify(sample_record(instance));
  record.final.C = record.claimed.C = tuple_C;
  write_unit_file(folder.path(), record, instance, "{}");
  folder.write("plan.json", R"({"units":[{"unit":")" + record.unit + R"("},{"unit":"00bb000000000002"}]})");
  return folder.path();
}

TEST(ArchiveCommand, AnIncompleteMergeIsExit75UnlessPartial) {
  const TestFolder folder;
  const std::string run = make_run(folder);
  const Result incomplete = archive({"merge", run});
  EXPECT_EQ(incomplete.code, 75);
  EXPECT_THAT(incomplete.err, HasSubstr("00bb000000000002"));
  EXPECT_FALSE(std::filesystem::exists(run + "/archive.h5"));
  const Result partial = archive({"merge", run, "--partial"});
  EXPECT_EQ(partial.code, 0);
  EXPECT_THAT(partial.out, HasSubstr("1 unit, 0 duplicates"));
  EXPECT_THAT(archive({"info", run + "/archive.h5"}).out, HasSubstr("kreuz-ß"));
  EXPECT_EQ(archive({"info", run}).out, archive({"info", run + "/archive.h5"}).out)
      << "a run stands for its archive";
  EXPECT_EQ(archive({"verify", run + "/archive.h5"}).code, 0);
}

TEST(ArchiveCommand, VerifyRejectsAWrongRow) {
  const TestFolder folder;
  const std::string run = make_run(folder, 2);
  ASSERT_EQ(archive({"merge", run, "--partial"}).code, 0);
  const Result wrong = archive({"verify", run + "/archive.h5"});
  EXPECT_EQ(wrong.code, 5);
  EXPECT_THAT(wrong.out, HasSubstr("stored tuple (1, 2, 2, 2) but the drawing has (1, 2, 2, 1)"));
  EXPECT_EQ(archive({"export", run + "/archive.h5", "--best", "--out", run + "/best"}).code, 5);
  EXPECT_EQ(archive({"export", run + "/archive.h5", "--best", "--out", run + "/archive.h5"}).code, 4)
      << "no folder: told before drawings are recounted";
}

TEST(ArchiveCommand, Exports) {
  const TestFolder folder;
  const std::string run = make_run(folder);
  ASSERT_EQ(archive({"merge", run, "--partial", "--out", run + "/b.h5"}).code, 0);
  const Result csv = archive({"export", run + "/b.h5", "--csv"});
  EXPECT_EQ(csv.out, archive_csv(run + "/b.h5"));
  EXPECT_EQ(archive({"export", run + "/b.h5", "--csv", "--out", run + "/b.csv"}).code, 0);
  EXPECT_EQ(read_text_file(run + "/b.csv"), csv.out);
  EXPECT_EQ(archive({"export", run + "/b.h5", "--best", "--out", run + "/best"}).code, 0);
  EXPECT_TRUE(read_instance(run + "/best/kreuz-ß.json").drawing.has_value());
}

TEST(ArchiveCommand, BadUseIsExit2) {
  const TestFolder folder;
  const std::string run = make_run(folder);
  EXPECT_EQ(archive({}).code, 2);
  EXPECT_THAT(archive({"verfy"}).err, HasSubstr("did you mean verify?"));
  EXPECT_EQ(archive({"merge", run, "--part"}).code, 2) << "no guessing";
  EXPECT_EQ(archive({"merge", run, run}).code, 2) << "--out is missing";
  EXPECT_EQ(archive({"merge", run, "--out", run}).code, 4) << "a folder";
  EXPECT_FALSE(std::filesystem::exists(run + ".lock")) << "told before anything is done";
  EXPECT_EQ(archive({"merge", run + "/none", "--out", run + "/x.h5"}).code, 2);
  EXPECT_EQ(archive({"export", run}).code, 2);
  EXPECT_EQ(archive({"export", run, "--csv", "--best"}).code, 2);
  const Result damaged = archive({"info", run + "/plan.json"});
  EXPECT_EQ(damaged.code, 5) << "no HDF5 file";
  EXPECT_THAT(damaged.err, ::testing::StartsWith(run + "/plan.json: cannot be read ("));
  EXPECT_THAT(damaged.err, ::testing::EndsWith("[H5Fopen code -1]"));
  EXPECT_THAT(archive({"info", run}).err, HasSubstr("holds no archive.h5"));
  EXPECT_EQ(archive({"info", run + "/none.h5"}).code, 2);
  EXPECT_EQ(archive({"info", "--help"}).code, 0);
}

}  // namespace
}  // namespace lcn
