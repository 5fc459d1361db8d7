#include "io/unit_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/files.hpp"
#include "support/error.hpp"
#include "tests/io/sample_record.hpp"
#include "tests/io/small_disk.hpp"
#include "tests/io/test_folder.hpp"

namespace lcn {
namespace {

using ::testing::HasSubstr;

std::string rejection(const std::string& path) {
  try {
    read_unit_file(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::rejected);
    return error.what();
  }
  ADD_FAILURE() << "accepted " << path;
  return "";
}

TEST(UnitFile, GivesTheSameRecordBack) {
  const TestFolder folder;
  const Instance instance = sample_instance();
  UnitRecord record = sample_record(instance);
  const std::string path = write_unit_file(folder.path(), record, instance, R"({"a":1})");
  EXPECT_EQ(path, folder.path() + "/units/a1/a1b2c3d4e5f60718.h5");
  record.provenance = sha256_hex(R"({"a":1})").substr(0, 16);
  EXPECT_TRUE(equal_records(read_unit_file(path), record));
  EXPECT_TRUE(unit_file_valid(path));
}

TEST(UnitFile, LongCertificatesAndTablesSurvive) {
  const TestFolder folder;
  const Instance instance = sample_instance();
  UnitRecord record = sample_record(instance);
  record.certificate = R"({"rule":"density","n":99,"m":99,"vertices":[0)";
  for (int v = 1; v < 20'000; ++v) record.certificate += "," + std::to_string(v);
  record.certificate += "]}";
  for (int i = 0; i < 50'000; ++i) record.schedule.push_back({i % 3, 400, i * 1000, 50});
  record.drawing.assign(20'000, {7, 9});
  const std::string path = write_unit_file(folder.path(), record, instance, std::string(200'000, 'p'));
  record.provenance = sha256_hex(std::string(200'000, 'p')).substr(0, 16);
  EXPECT_TRUE(equal_records(read_unit_file(path), record));
}

TEST(UnitFile, AFailedUnitHasNoVerifiedTuple) {
  const TestFolder folder;
  const Instance instance = sample_instance();
  UnitRecord record = sample_record(instance);
  record.status = "failed";
  record.error = "no valid drawing found, byte \xff";
  record.initial = {};
  record.drawing.clear();
  record.trace.clear();
  record.schedule.clear();
  record.stages.clear();
  record.replicas.clear();
  const UnitRecord read = read_unit_file(write_unit_file(folder.path(), record, instance, "{}"));
  EXPECT_EQ(read.final, (Tuple{-1, -1, -1, -1}));
  EXPECT_EQ(read.initial, (Tuple{-1, -1, -1, -1}));
  EXPECT_EQ(read.claimed, record.claimed);
  EXPECT_EQ(read.error, "no valid drawing found, byte ?");
  EXPECT_TRUE(read.drawing.empty());
  EXPECT_TRUE(read.schedule.empty());
}

TEST(UnitFile, ACutFileIsRefusedAtEveryLength) {
  const TestFolder folder;
  const Instance instance = sample_instance();
  const std::string path = write_unit_file(folder.path(), sample_record(instance), instance, "{}");
  const std::string bytes = read_text_file(path);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{47}, std::size_t{100},
                                 bytes.size() / 4, bytes.size() / 2, bytes.size() - 1}) {
    write_file_atomically(path, bytes.substr(0, size));
    EXPECT_THAT(rejection(path), HasSubstr(path + ": cannot be read")) << size;
    EXPECT_FALSE(unit_file_valid(path)) << size;
  }
  write_file_atomically(
      path, bytes.substr(0, bytes.size() / 2) + std::string(bytes.size() - bytes.size() / 2, '\0'));
  EXPECT_FALSE(unit_file_valid(path)) << "second half zero";
  write_file_atomically(path, bytes);
  EXPECT_TRUE(unit_file_valid(path));
}

TEST(UnitFile, OtherFilesAreRefused) {
  const TestFolder folder;
  EXPECT_THAT(rejection(folder.write("text.h5", "no HDF5 at all")), HasSubstr("text.h5"));
  EXPECT_FALSE(unit_file_valid(folder.path() + "/missing.h5"));
  EXPECT_THROW(read_unit_file(folder.path() + "/missing.h5"), Error);
  const Instance instance = sample_instance();
  const std::string path = write_unit_file(folder.path(), sample_record(instance), instance, "{}");
  std::filesystem::rename(path, folder.path() + "/0000.h5");
  EXPECT_FALSE(unit_file_valid(folder.path() + "/0000.h5")) << "the name is another unit's";
}

TEST(UnitFile, FullDiskIsAnEnvironmentError) {
  const SmallDisk disk;
  if (!disk.mounted()) GTEST_SKIP() << "no permission to mount a small tmpfs";
  const Instance instance = sample_instance();
  UnitRecord record = sample_record(instance);
  try {
    write_unit_file(disk.path(), record, instance, std::string(2 << 20, 'p'));
    ADD_FAILURE() << "the disk was not full";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    EXPECT_THAT(error.what(), HasSubstr("No space left on device"));
  }
  EXPECT_FALSE(unit_file_valid(unit_file_path(disk.path(), record.unit)));
  // Whatever step it is that finds the disk full: nothing is left, and the process can go on.
  bool some_failed = false, some_worked = false;
  for (std::size_t free_bytes = 0; free_bytes <= 160'000; free_bytes += 8192) {
    const std::string filler = disk.path() + "/filler";
    std::filesystem::remove(filler);
    std::ofstream(filler) << std::string(std::filesystem::space(disk.path()).available - free_bytes, 'f');
    try {
      write_unit_file(disk.path(), record, instance, "{}");
      some_worked = true;
      EXPECT_TRUE(unit_file_valid(unit_file_path(disk.path(), record.unit)));
      std::filesystem::remove(unit_file_path(disk.path(), record.unit));
    } catch (const Error& error) {
      some_failed = true;
      EXPECT_EQ(error.kind(), ErrorKind::environment) << error.what();
    }
    EXPECT_TRUE(std::filesystem::is_empty(disk.path() + "/units/a1")) << free_bytes;
  }
  EXPECT_TRUE(some_failed && some_worked);
}

}  // namespace
}  // namespace lcn
