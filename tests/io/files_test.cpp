#include "io/files.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "support/error.hpp"
#include "tests/io/small_disk.hpp"
#include "tests/io/test_folder.hpp"

namespace lcn {
namespace {

using ::testing::HasSubstr;

std::size_t files_in(const std::string& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

TEST(Files, AtomicWriteReplacesAndLeavesNothingElse) {
  const TestFolder folder;
  const std::string path = folder.path() + "/ü.txt";
  write_file_atomically(path, "one");
  write_file_atomically(path, std::string("two\0three", 9));
  EXPECT_EQ(read_text_file(path), std::string("two\0three", 9));
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(Files, WriteFailuresAreEnvironmentErrors) {
  const TestFolder folder;
  for (const std::string& path : {folder.path() + "/none/a", folder.path()}) {
    try {
      write_file_atomically(path, "x");
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::environment);
      EXPECT_NE(error.code(), 0);
      EXPECT_THAT(error.what(), HasSubstr(path));
    }
  }
  EXPECT_EQ(files_in(folder.path()), 0u);
  EXPECT_THROW(make_folder("/proc/lcn-cannot-be-made"), Error);
}

TEST(Files, OutputsThatCannotBeWrittenAreToldBefore) {
  const TestFolder folder;
  const std::string file = folder.path() + "/file", pipe = folder.path() + "/pipe";
  write_file_atomically(file, "old");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::size_t before = files_in(folder.path());
  const auto said = [](const std::function<void()>& check) {
    try {
      check();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::environment);
      return std::string(error.what());
    }
    return std::string();
  };
  for (const std::string& path : {file, folder.path() + "/new", pipe})
    EXPECT_EQ(said([&] { check_output_file(path); }), "");
  EXPECT_THAT(said([&] { check_output_file(pipe, false); }), HasSubstr("is a device or a pipe"));
  EXPECT_THAT(said([&] { check_output_file(folder.path() + "/none/a"); }),
              HasSubstr("none/a: cannot be written"));
  EXPECT_THAT(said([&] { check_output_file(file + "/a"); }), HasSubstr("Not a directory"));
  EXPECT_THAT(said([&] { check_output_file(folder.path()); }), HasSubstr("Is a directory"));
  for (const std::string& path : {folder.path(), folder.path() + "/a/b/c/", std::string("here/below")})
    EXPECT_EQ(said([&] { check_output_folder(path); }), "");
  for (const std::string& path : {file, file + "/below"})
    EXPECT_THAT(said([&] { check_output_folder(path); }), HasSubstr("Not a directory"));
  if (::geteuid() != 0) {  // whom permissions do not bind
    std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read);
    EXPECT_THAT(said([&] { check_output_file(folder.path() + "/new"); }), HasSubstr("Permission denied"));
    EXPECT_THAT(said([&] { check_output_folder(folder.path() + "/new"); }), HasSubstr("Permission denied"));
    std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
  }
  EXPECT_EQ(files_in(folder.path()), before);
}

TEST(Files, FullDiskKeepsTheOldFile) {
  const SmallDisk disk;
  if (!disk.mounted()) GTEST_SKIP() << "no permission to mount a small tmpfs";
  const std::string path = disk.path() + "/a";
  write_file_atomically(path, "old");
  try {
    write_file_atomically(path, std::string(4 << 20, 'x'));
    ADD_FAILURE() << "the disk was not full";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    EXPECT_THAT(error.what(), HasSubstr("No space left on device"));
  }
  EXPECT_EQ(read_text_file(path), "old");
  EXPECT_EQ(files_in(disk.path()), 1u);
}

TEST(Files, ReadFailuresAreInputErrors) {
  const TestFolder folder;
  for (const std::string& path : {folder.path(), folder.path() + "/none"}) {
    try {
      read_text_file(path);
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_THAT(error.what(), HasSubstr(path));
    }
  }
}

TEST(Files, LockExcludesOtherProcesses) {
  const TestFolder folder;
  const std::string path = folder.path() + "/lock";
  const auto child_gets_it = [&] {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        const FileLock lock(path, false);
      } catch (const Error&) {
        ::_exit(1);
      }
      ::_exit(0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  };
  {
    const FileLock lock(path);
    EXPECT_FALSE(child_gets_it());
  }
  EXPECT_TRUE(child_gets_it());
}

TEST(Files, SpecialFilesAreWrittenToAndLinksAreFollowed) {
  const TestFolder folder;
  const std::string pipe = folder.path() + "/pipe", link = folder.path() + "/link",
                    file = folder.path() + "/file";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  write_file_atomically(pipe, "through");
  char bytes[16] = {};
  EXPECT_EQ(read(reader, bytes, sizeof bytes), 7);
  EXPECT_STREQ(bytes, "through");
  close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));

  write_file_atomically(file, "old");
  std::filesystem::create_symlink(file, link);
  write_file_atomically(link, "new");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_text_file(file), "new");

  write_file_atomically(file + ".tmp", "archive");
  EXPECT_THROW(publish_file(file + ".tmp", pipe), Error);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

}  // namespace
}  // namespace lcn
