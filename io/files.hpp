#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace lcn {

// The whole file. Error(input) "PATH: cannot be read (reason)" for a missing or unreadable file or a folder.
std::string read_text_file(const std::string& path);

// Makes a folder and its parents. Error(environment) when that fails.
void make_folder(const std::string& path);

// A name in the same folder as `path` for a file that is renamed to `path` when complete. Ends in ".tmp", and
// is different for every call of every process of a host.
std::string temporary_name(const std::string& path);

// Removes a file that was not published, also when an exception passes. Removing what is gone is no error.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  void keep() { path_.clear(); }

 private:
  std::string path_;
};

// A device, a pipe or a socket, perhaps behind symbolic links: what a rename would destroy.
bool is_special_file(const std::string& path);

// Last steps of an atomic write: fsync of the closed file `temporary`, rename to `path`, fsync of the folder.
// A special file is refused. Error(environment) names the path and the reason; the temporary file is then
// removed.
void publish_file(const std::string& temporary, const std::string& path);

// Error(environment) when it cannot; an older file of the new name is replaced.
void rename_file(const std::string& from, const std::string& to);

// Writes `bytes` so that a reader sees either the old file or the whole new one, also after a crash.
// Error(environment) (disk full, no permission): the old file is then untouched and no temporary file stays.
// Of a symbolic link the target is replaced, and special files (/dev/stdout) are written to as they are.
void write_file_atomically(const std::string& path, std::string_view bytes);

// Error(environment) now instead of after the work, where write_file_atomically(path) or publish_file(...,
// path) could not write: no folder, one without permission, a folder in the file's place; `special`: whether
// a device or a pipe will do. Changes nothing, and does not foresee a full disk.
void check_output_file(const std::string& path, bool special = true);

// The same for make_folder(path) and files in it: what exists of the path must be a folder with permission.
void check_output_folder(const std::string& path);

// Exclusive advisory lock (flock) on a file that is created when missing and stays behind; released by the
// destructor and by the death of the process.
class FileLock {
 public:
  // Waits for the lock when `wait`; otherwise Error(environment) when another process holds it.
  explicit FileLock(const std::string& path, bool wait = true);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_ = -1;
};

// Claims that several processes share in one file: advisory locks on single bytes (open file description
// locks of fcntl, which NFS passes on to its server). A claim ends with release(), the destructor and the
// death of the process, whatever kills it. The file is created when missing, stays empty and stays behind.
// Thread-safe.
class ByteLocks {
 public:
  explicit ByteLocks(const std::string& path);
  ~ByteLocks();
  ByteLocks(const ByteLocks&) = delete;
  ByteLocks& operator=(const ByteLocks&) = delete;

  // True when this object holds the byte now, false when another one does. Error(environment) when the file
  // system has no locks.
  bool take(std::int64_t byte);
  void release(std::int64_t byte);

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace lcn
