#include "jobs/run_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>

#include "io/archive.hpp"
#include "io/unit_file.hpp"
#include "support/error.hpp"
#include "tests/io/sample_record.hpp"
#include "tests/io/test_folder.hpp"

namespace lcn {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const char* const kUnit = "a1b2c3d4e5f60718";

UnitRecord record_with(const std::string& status, bool timed = false) {
  UnitRecord record = sample_record(sample_instance(), kUnit);
  record.config = timed ? R"({"steps":null,"time":1.0})" : R"({"steps":1000,"time":null})";
  record.status = status;
  if (standing(record) == 0) {
    record.error = "no valid drawing found";
    record.drawing.clear();
  }
  return record;
}

TEST(RunFolderClaims, AUnitBelongsToOneJobUntilItIsStored) {
  const TestFolder folder;
  RunFolder first(folder.path());
  const std::string other = "ffffffffffffffff";
  {
    RunFolder second(folder.path());
    EXPECT_EQ(first.claim(kUnit, false), Claim::taken);
    EXPECT_EQ(first.claim(kUnit, false), Claim::taken) << "its own";
    EXPECT_EQ(second.claim(kUnit, false), Claim::elsewhere);
    EXPECT_EQ(second.claim(other, false), Claim::taken);
    EXPECT_EQ(first.claim(other, false), Claim::elsewhere);
    first.store_unit(record_with("ok"), sample_instance());
    EXPECT_EQ(second.claim(kUnit, false), Claim::finished);
    EXPECT_EQ(second.claim(kUnit, true), Claim::finished);
  }
  EXPECT_EQ(first.claim(other, false), Claim::taken) << "the job that had it has ended";
}

TEST(RunFolderPlan, AStepBudgetGoesOnWhereThisJobComputes) {
  const TestFolder folder;
  RunFolder run(folder.path());
  Plan mine{{.steps = 100}, {}, {}};
  EXPECT_EQ(run.extend_plan(mine, {1}).configuration.backend, "cpu");
  mine.configuration.backend = "gpu";
  mine.configuration.shared = true;
  const Plan extended = run.extend_plan(mine, {1});
  EXPECT_EQ(extended.configuration.backend, "gpu");
  EXPECT_TRUE(extended.configuration.shared);
}

TEST(RunFolderClaims, AFailedUnitIsFinishedUnlessItIsToRunAgain) {
  const TestFolder folder;
  RunFolder run(folder.path());
  run.store_unit(record_with("failed"), sample_instance());
  EXPECT_EQ(run.claim(kUnit, false), Claim::finished);
  EXPECT_EQ(run.claim(kUnit, true), Claim::taken);
}

TEST(RunFolderClaims, ADamagedUnitFileIsNotFinished) {
  const TestFolder folder;
  RunFolder run(folder.path());
  run.store_unit(record_with("ok"), sample_instance());
  fs::resize_file(unit_file_path(folder.path(), kUnit), 700);
  EXPECT_EQ(run.claim(kUnit, false), Claim::taken);
}

// Ten thousand finished units are not read again when a run goes on.
TEST(RunFolderFinished, TheRowOfANewerArchiveCounts) {
  const TestFolder folder;
  RunFolder run(folder.path());
  run.store_unit(record_with("failed"), sample_instance());
  ASSERT_TRUE(merge_run(folder.path()).written);
  const auto merged = fs::last_write_time(run.archive_path());
  const std::string file = unit_file_path(folder.path(), kUnit);
  fs::resize_file(file, 700);  // to see whether it is read
  std::vector<std::string> warnings;
  fs::last_write_time(file, merged - std::chrono::milliseconds(1));
  EXPECT_EQ(run.find_finished({kUnit}, warnings).at(kUnit).status, "failed");
  EXPECT_TRUE(warnings.empty());
  fs::last_write_time(file, merged);  // perhaps written in the same tick of a coarse clock
  EXPECT_TRUE(run.find_finished({kUnit}, warnings).empty());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("the unit is computed again"));
  fs::remove(file);
  EXPECT_EQ(run.find_finished({kUnit}, warnings).at(kUnit).status, "failed");
  std::ofstream(run.archive_path()) << "damaged";
  EXPECT_TRUE(run.find_finished({kUnit}, warnings).empty());
  EXPECT_THAT(warnings.back(), HasSubstr("Units without a file are computed again"));
}

TEST(RunFolderClaims, AKilledJobLosesItsClaims) {
  const TestFolder folder;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    RunFolder run(folder.path());
    const char taken = run.claim(kUnit, false) == Claim::taken ? 'y' : 'n';
    if (write(ready[1], &taken, 1) != 1) _exit(1);
    for (;;) pause();
  }
  char taken = '?';
  ASSERT_EQ(read(ready[0], &taken, 1), 1);
  EXPECT_EQ(taken, 'y');
  RunFolder run(folder.path());
  EXPECT_EQ(run.claim(kUnit, false), Claim::elsewhere);
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(run.claim(kUnit, false), Claim::taken);
  close(ready[0]);
  close(ready[1]);
}

TEST(RunFolderCheckpoint, OneThatIsCutIsDamaged) {
  const TestFolder folder;
  RunFolder run(folder.path());
  const std::string state(1000, 'x');
  run.store_checkpoint(record_with("interrupted"), state);
  std::vector<std::string> warnings;
  EXPECT_EQ(run.read_checkpoint(kUnit, warnings), state);
  EXPECT_THAT(warnings, testing::IsEmpty());
  for (const std::uintmax_t size : {1050, 100, 20, 0}) {
    fs::resize_file(folder.path() + "/checkpoints/" + kUnit, size);
    EXPECT_EQ(run.read_checkpoint(kUnit, warnings), "");
    EXPECT_THAT(warnings.back(), HasSubstr("damaged checkpoint")) << size;
  }
  std::ofstream(folder.path() + "/checkpoints/" + kUnit) << "checkpoint of something else";
  EXPECT_EQ(run.read_checkpoint(kUnit, warnings), "");
  EXPECT_THAT(warnings.back(), HasSubstr("another build"));
}

TEST(RunFolderStore, AFinishedUnitIsNeverReplaced) {
  for (const bool timed : {false, true}) {
    const TestFolder folder;
    RunFolder run(folder.path());
    run.store_unit(record_with("failed", timed), sample_instance());
    UnitRecord first = record_with("ok", timed);
    first.host = "first";
    run.store_unit(first, sample_instance());
    const std::string path = unit_file_path(folder.path(), kUnit);
    EXPECT_EQ(read_unit_file(path).host, "first") << "a failure is replaced";

    UnitRecord same = record_with("ok", timed);
    same.host = "second";
    run.store_unit(same, sample_instance());
    run.store_unit(record_with("failed", timed), sample_instance());
    EXPECT_EQ(read_unit_file(path).host, "first");

    UnitRecord better = same;
    better.drawing[1] = {1, 8};
    better.final = better.claimed = {};
    if (timed) {
      run.store_unit(better, sample_instance());
    } else {
      try {
        run.store_unit(better, sample_instance());
        ADD_FAILURE() << "a different result with a step budget";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::rejected);
        EXPECT_THAT(error.what(), HasSubstr("has the result (1, 2, 2, 1), this job found (0, 0, 0, 0)"));
      }
      EXPECT_TRUE(fs::exists(folder.path() + "/diagnostics/" + kUnit + ".json"));
    }
    EXPECT_EQ(read_unit_file(path).final, first.final);
    EXPECT_TRUE(run.stored().contains(kUnit));
  }
}

}  // namespace
}  // namespace lcn
