#include "io/archive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "io/files.hpp"
#include "io/unit_file.hpp"
#include "support/error.hpp"
#include "tests/io/sample_record.hpp"
#include "tests/io/small_disk.hpp"
#include "tests/io/test_folder.hpp"

namespace lcn {
namespace {

using ::testing::HasSubstr;

std::string plan_of(std::initializer_list<std::string> units) {
  std::string text = R"({"schema_version":1,"units":[)";
  for (const std::string& unit : units)
    text += (text.back() == '[' ? "" : ",") + (R"({"unit":")" + unit + R"("})");
  return text + "]}";
}

UnitRecord unit(int index, const Instance& instance = sample_instance()) {
  UnitRecord record = sample_record(instance);
  record.repetition = index + 1;
  record.config = R"({"steps":1000,"time":null})";
  record.root_seed = 5;
  return identify(record);
}

// Ids of the three units, ascending as `unit` numbers them or not.
const std::string kUnits[3] = {unit(0).unit, unit(1).unit, unit(2).unit};

UnitRecord failed_unit(int index) {
  UnitRecord record = unit(index);
  record.status = "failed";
  record.error = "no valid drawing found";
  record.drawing.clear();
  return record;
}

std::string store(const std::string& run, const UnitRecord& record,
                  const Instance& instance = sample_instance()) {
  return write_unit_file(run, record, instance, R"({"job":1})");
}

template <class Function>
std::string error_of(ErrorKind kind, Function function) {
  try {
    function();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(ArchiveMerge, RowsAndTablesInTheOrderOfThePlan) {
  const TestFolder run;
  run.write("plan.json", plan_of({kUnits[2], kUnits[0], kUnits[1]}));
  for (int i : {0, 2}) store(run.path(), unit(i));
  store(run.path(), failed_unit(1));
  const MergeReport report = merge_run(run.path());
  EXPECT_TRUE(report.written && report.complete());
  EXPECT_EQ(report.units, 3);
  const std::vector<UnitRecord> rows = read_archive_rows(report.archive);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].unit, kUnits[2]);
  EXPECT_EQ(rows[1].unit, kUnits[0]);
  EXPECT_EQ(rows[2].status, "failed");
  EXPECT_EQ(rows[2].error, "no valid drawing found");
  UnitRecord expected = unit(0);
  expected.provenance = rows[1].provenance;
  EXPECT_TRUE(equal_records(read_archive_unit(report.archive, kUnits[0]), expected));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_archive_unit(report.archive, "ffff"); }),
              HasSubstr("has no unit ffff"));
  EXPECT_TRUE(verify_archive(report.archive).mismatches.empty());
  EXPECT_EQ(verify_archive(report.archive).drawings, 2);
}

TEST(ArchiveMerge, SameInputsGiveTheSameBytes) {
  const TestFolder run;
  for (int i : {0, 1, 2}) store(run.path(), unit(i));
  merge_archives({run.path()}, run.path() + "/a.h5");
  merge_archives({run.path()}, run.path() + "/b.h5");
  EXPECT_TRUE(read_text_file(run.path() + "/a.h5") == read_text_file(run.path() + "/b.h5"));
}

TEST(ArchiveMerge, MissingUnitsAreListedAndNothingIsWrittenUnlessPartial) {
  const TestFolder run;
  run.write("plan.json", plan_of({kUnits[0], kUnits[1], kUnits[2]}));
  store(run.path(), unit(0));
  const std::string cut = store(run.path(), unit(1));
  std::filesystem::resize_file(cut, std::filesystem::file_size(cut) / 2);
  const MergeReport report = merge_run(run.path());
  EXPECT_FALSE(report.written || report.complete());
  EXPECT_EQ(report.missing, (std::vector<std::string>{kUnits[1], kUnits[2]}));
  ASSERT_EQ(report.unreadable.size(), 1u);
  EXPECT_THAT(report.unreadable[0], HasSubstr(cut));
  EXPECT_FALSE(std::filesystem::exists(report.archive));
  const MergeReport partial = merge_run(run.path(), {.partial = true});
  EXPECT_TRUE(partial.written);
  EXPECT_EQ(read_archive_rows(partial.archive).size(), 1u);
}

TEST(ArchiveMerge, UnitsOfAnOlderArchiveStayWhenTheirFilesAreDamaged) {
  const TestFolder run;
  run.write("plan.json", plan_of({kUnits[0], kUnits[1]}));
  for (int i : {0, 1}) store(run.path(), unit(i));
  const std::string archive = merge_run(run.path()).archive, before = read_text_file(archive);
  const std::string cut = unit_file_path(run.path(), kUnits[1]);
  std::filesystem::resize_file(cut, 700);
  const MergeReport report = merge_run(run.path());
  EXPECT_TRUE(report.written && report.complete());
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_THAT(report.warnings[0], AllOf(HasSubstr(cut), HasSubstr("taken from the older archive")));
  EXPECT_TRUE(read_text_file(archive) == before);
}

TEST(ArchiveMerge, UnitsOfAnOlderArchiveStayWhenTheirFilesAreGone) {
  const TestFolder run;
  const std::string first = store(run.path(), unit(0));
  merge_run(run.path());
  std::filesystem::remove(first);
  store(run.path(), unit(1));
  EXPECT_EQ(merge_run(run.path()).units, 2);
  EXPECT_TRUE(verify_archive(run.path() + "/archive.h5").mismatches.empty());
}

TEST(ArchiveMerge, ArchivesFoldersAndUnitFilesTogether) {
  const TestFolder a, b;
  store(a.path(), unit(0));
  store(b.path(), unit(1));
  const std::string file = store(b.path(), unit(2));
  const std::string archive = merge_run(a.path()).archive;
  const std::string out = a.path() + "/out ü.h5";
  EXPECT_EQ(merge_archives({archive, file, b.path()}, out).units, 3);
  EXPECT_EQ(merge_archives({archive, file, b.path()}, out).duplicates, 1);
  EXPECT_TRUE(verify_archive(out).mismatches.empty());
}

TEST(ArchiveMerge, DuplicatesWithEqualResultKeepTheFirst) {
  const TestFolder a, b;
  store(a.path(), unit(0));
  UnitRecord again = unit(0);
  again.host = "elsewhere";
  store(b.path(), again);
  const MergeReport report = merge_archives({a.path(), b.path()}, a.path() + "/out.h5");
  EXPECT_EQ(report.duplicates, 1);
  EXPECT_TRUE(report.warnings.empty());
  EXPECT_EQ(read_archive_rows(report.archive)[0].host, unit(0).host);
}

TEST(ArchiveMerge, DifferentResultsAreRefusedWithAStepBudgetAndKeptWithAWarningInTimeMode) {
  for (const bool timed : {false, true}) {
    const TestFolder a, b;
    UnitRecord first = unit(0), second = unit(0);
    first.config = second.config = timed ? R"({"steps":null,"time":60.0})" : R"({"steps":1000,"time":null})";
    first = identify(first);
    second = identify(second);
    second.final = second.claimed = {2, 1, 4, 2};
    store(a.path(), first);
    store(b.path(), second);
    const std::string out = a.path() + "/out.h5";
    if (!timed) {
      EXPECT_THAT(error_of(ErrorKind::rejected,
                           [&] {
                             merge_archives({a.path(), b.path()}, out);
                           }),
                  HasSubstr("unit " + kUnits[0]));
      EXPECT_FALSE(std::filesystem::exists(out));
    } else {
      const MergeReport report = merge_archives({a.path(), b.path()}, out);
      ASSERT_EQ(report.warnings.size(), 1u);
      EXPECT_EQ(read_archive_rows(out)[0].final, first.final);
    }
  }
}

TEST(ArchiveMerge, AFinishedUnitReplacesItsFailure) {
  const TestFolder a, b;
  store(a.path(), failed_unit(0));
  UnitRecord interrupted = unit(1);
  interrupted.status = "interrupted";
  interrupted.drawing[0] = {1, 1};
  store(a.path(), interrupted);
  store(b.path(), unit(0));
  store(b.path(), unit(1));
  for (const bool swapped : {false, true}) {
    const std::string out = a.path() + (swapped ? "/1.h5" : "/2.h5");
    merge_archives(swapped ? std::vector{b.path(), a.path()} : std::vector{a.path(), b.path()}, out);
    EXPECT_EQ(read_archive_rows(out)[0].status, "ok");
    EXPECT_EQ(read_archive_unit(out, kUnits[1]).drawing, unit(1).drawing);
    EXPECT_TRUE(verify_archive(out).mismatches.empty());
  }
}

TEST(ArchiveMerge, MixedConfigurationsAreRefusedByField) {
  const TestFolder run;
  store(run.path(), unit(0));
  UnitRecord other = unit(1);
  other.config = R"({"steps":2000,"time":null})";
  const std::string path = store(run.path(), identify(other));
  EXPECT_THAT(error_of(ErrorKind::rejected, [&] { merge_run(run.path()); }),
              HasSubstr("mixed configurations: steps is 1000 and 2000"));
  std::filesystem::remove(path);
  other = unit(1);
  other.root_seed = 6;
  store(run.path(), identify(other));
  EXPECT_THAT(error_of(ErrorKind::rejected, [&] { merge_run(run.path()); }), HasSubstr("root_seed"));
  EXPECT_FALSE(std::filesystem::exists(run.path() + "/archive.h5"));
}

TEST(ArchiveMerge, BadInputs) {
  const TestFolder run;
  error_of(ErrorKind::input, [&] { merge_run(run.path()); });
  error_of(ErrorKind::input, [&] { merge_archives({run.path() + "/none"}, run.path() + "/out.h5"); });
  const std::string broken = run.write("archive.h5", "no HDF5");
  EXPECT_THAT(error_of(ErrorKind::input, [&] { merge_run(run.path()); }),
              HasSubstr(broken + " cannot be read"));
  error_of(ErrorKind::rejected, [&] { merge_archives({broken}, run.path() + "/out.h5"); });
  error_of(ErrorKind::rejected, [&] { verify_archive(broken); });
  run.write("plan.json", "{}");
  EXPECT_THAT(error_of(ErrorKind::input, [&] { merge_run(run.path()); }), HasSubstr("plan.json"));
  store(run.path(), unit(0));
  error_of(ErrorKind::environment,
           [&] { merge_archives({unit_file_path(run.path(), kUnits[0])}, run.path() + "/no/out.h5"); });
}

// Ten thousand units with LCN_LONG_TESTS=1: what docs/performance.md says about merging.
TEST(ArchiveMerge, TheTimeOfAMergeGrowsWithTheNumberOfUnits) {
  const char* wish = std::getenv("LCN_LONG_TESTS");
  const int most = wish && std::string(wish) == "1" ? 10'000 : 200;
  const TestFolder run;
  const Instance instance = sample_instance();
  std::vector<double> seconds;
  int written = 0;
  for (const int count : {most / 4, most}) {
    for (; written < count; ++written) {
      UnitRecord record = sample_record(instance);
      record.repetition = written;
      for (int i = 0; i < 600; ++i) record.schedule.push_back({1, 500, 1 << 20, 7});
      record.replica_steps = 300'300;
      for (int i = 0; i < 100; ++i) record.drawing.push_back({i, i % 7});
      store(run.path(), identify(record));
    }
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(merge_run(run.path()).units, count);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    std::printf("%d units merged in %.2f s, archive of %.1f MB\n", count, seconds.back(),
                static_cast<double>(std::filesystem::file_size(run.path() + "/archive.h5")) / 1e6);
  }
  EXPECT_LT(seconds[1], 8 * seconds[0]) << "four times the units";
  EXPECT_EQ(read_archive_rows(run.path() + "/archive.h5").size(), static_cast<std::size_t>(most));
}

// An archive is derived from unit files: damage to it stops nothing, and it is kept aside.
TEST(ArchiveMerge, ADamagedArchiveIsMadeAnew) {
  const TestFolder run;
  run.write("plan.json", plan_of({kUnits[0], kUnits[1]}));
  for (int i : {0, 1}) store(run.path(), unit(i));
  const std::string archive = merge_run(run.path()).archive, good = read_text_file(archive);
  for (const std::size_t size : {std::size_t{0}, std::size_t{100}, good.size() / 2, good.size() - 8}) {
    run.write("archive.h5", good.substr(0, size));
    const MergeReport report = merge_run(run.path());
    EXPECT_TRUE(report.written);
    ASSERT_EQ(report.warnings.size(), 1u) << size;
    EXPECT_THAT(report.warnings[0], HasSubstr(archive + ": "));
    EXPECT_THAT(report.warnings[0], HasSubstr("it is made anew"));
    EXPECT_TRUE(read_text_file(archive) == good);
    EXPECT_EQ(read_text_file(archive + ".damaged").size(), size);
  }
  // what only the archive had is missing, and nothing is written
  std::filesystem::remove(unit_file_path(run.path(), kUnits[1]));
  run.write("archive.h5", good.substr(0, 100));
  const MergeReport report = merge_run(run.path());
  EXPECT_FALSE(report.written);
  EXPECT_EQ(report.missing, std::vector<std::string>{kUnits[1]});
  EXPECT_EQ(read_text_file(archive).size(), 100u);
}

TEST(ArchiveMerge, FullDiskKeepsTheOlderArchive) {
  const SmallDisk disk;
  if (!disk.mounted()) GTEST_SKIP() << "no permission to mount a small tmpfs";
  const TestFolder run;
  store(run.path(), unit(0));
  const std::string out = disk.path() + "/a.h5";
  merge_archives({run.path()}, out);
  const std::string before = read_text_file(out);
  UnitRecord large = unit(1);
  for (std::uint32_t v = 0; v < 400'000; ++v)  // coordinates that do not compress
    large.drawing.push_back({(v * 2'654'435'761u) >> 8, (v * 2'246'822'519u) >> 8});
  store(run.path(), large);
  EXPECT_THAT(error_of(ErrorKind::environment, [&] { merge_archives({run.path()}, out); }),
              HasSubstr("No space left on device"));
  EXPECT_TRUE(read_text_file(out) == before);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(disk.path())) ++files;
  EXPECT_EQ(files, 2u) << "archive and lock";
  EXPECT_TRUE(verify_archive(out).mismatches.empty());

  // Whatever step it is that finds the disk full.
  std::filesystem::remove(unit_file_path(run.path(), kUnits[1]));
  for (std::size_t free_bytes = 0; free_bytes <= 60'000; free_bytes += 4096) {
    const std::string filler = disk.path() + "/filler";
    std::filesystem::remove(filler);
    std::ofstream(filler) << std::string(std::filesystem::space(disk.path()).available - free_bytes, 'f');
    try {
      merge_archives({run.path()}, out);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::environment) << error.what();
    }
    EXPECT_TRUE(read_text_file(out) == before) << free_bytes;
  }
}

TEST(ArchiveExport, CsvHasEveryColumnAndSeed) {
  const TestFolder run;
  UnitRecord record = unit(1);
  record.error = "a \"quoted\", text\nof two lines";
  store(run.path(), record);
  const std::string csv = archive_csv(merge_run(run.path()).archive);
  std::string header;
  for (const RunColumn& column : run_columns()) header += std::string(column.name) + ",";
  EXPECT_EQ(csv.substr(0, csv.find('\n')), header + "seed");
  EXPECT_THAT(csv, HasSubstr(R"("a ""quoted"", text)"));
  EXPECT_THAT(csv, HasSubstr(",FALSE,nan,"));
  EXPECT_THAT(csv, HasSubstr("kreuz-ß"));
  EXPECT_THAT(csv, ::testing::EndsWith(",2\n"));
}

TEST(ArchiveExport, BestDrawingPerInstance) {
  const TestFolder run;
  const Drawing square = {{0, 0}, {10, 10}, {0, 10}, {10, 0}};
  const Instance other =
      parse_instance(graph_json(Graph::from_edges(4, {{0, 1}, {2, 3}}), {20, 20}, &square), "kreuz-ß", "o");
  store(run.path(), unit(0));
  UnitRecord better = unit(1);
  better.drawing[1] = {1, 8};
  better.final = better.claimed = {};
  store(run.path(), better);
  store(run.path(), unit(2, other), other);
  const std::string folder = run.path() + "/best";
  const std::string archive = merge_run(run.path()).archive;
  const std::vector<std::string> paths = export_best(archive, folder);
  ASSERT_EQ(paths.size(), 2u);
  EXPECT_EQ(paths[0], folder + "/kreuz-ß.json");
  EXPECT_EQ(*read_instance(paths[0]).drawing, better.drawing);
  EXPECT_EQ(paths[1], folder + "/kreuz-ß-" + to_hex(other.hash).substr(0, 8) + ".json");
  EXPECT_EQ(read_best_drawings(archive)[0].row.unit, kUnits[1]);
  EXPECT_THAT(archive_info(archive), HasSubstr("3 units of 2 instances, 1 job, "));
}

TEST(ArchiveExport, AChangedDrawingIsNotExported) {
  const TestFolder run;
  UnitRecord record = unit(0);
  record.drawing[1] = {1, 8};
  store(run.path(), record);
  const std::string archive = merge_run(run.path()).archive;
  error_of(ErrorKind::rejected, [&] { export_best(archive, run.path() + "/best"); });
  EXPECT_FALSE(std::filesystem::exists(run.path() + "/best"));
}

}  // namespace
}  // namespace lcn
