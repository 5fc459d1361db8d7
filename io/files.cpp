#include "io/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "support/error.hpp"

namespace lcn {
namespace {

// Owns a file descriptor. close() reports what the kernel held back until then (NFS, quotas).
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int close() {
    const int rc = ::close(fd_);
    fd_ = -1;
    return rc;
  }

 private:
  int fd_;
};

Error write_failure(const std::string& path, const char* call, int code) {
  const char* advice = code == ENOSPC || code == EDQUOT ? " Free space or choose another output folder."
                       : code == ENOENT                 ? " Make its folder first, or choose another."
                       : code == EACCES || code == EROFS || code == EPERM
                           ? " Choose a folder that you may write to."
                           : "";
  return Error(ErrorKind::environment, "POSIX", call, code,
               fmt::format("{}: cannot be written ({}).{}", path, std::strerror(code), advice));
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// A link's target, which is what an atomic write replaces.
std::string target_of(const std::string& path) {
  std::error_code none;
  return std::filesystem::is_symlink(path, none) ? std::filesystem::weakly_canonical(path, none).string()
                                                 : path;
}

void refuse_special_file(const std::string& path) {
  if (is_special_file(path))
    throw Error(ErrorKind::environment,
                fmt::format("{}: is a device or a pipe, which an archive cannot be written to", path));
}

// Error naming `path` when this process may not do `what` (of access(2)) with `place`.
void check_access(const std::string& place, int what, const std::string& path) {
  if (::faccessat(AT_FDCWD, place.c_str(), what, AT_EACCESS) != 0)
    throw write_failure(path, "faccessat", errno);
}

void sync_folder(const std::string& folder) {
  Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.get() < 0) throw write_failure(folder, "open", errno);
  // Some network file systems cannot fsync a folder (EINVAL); their rename is durable by itself.
  if (::fsync(descriptor.get()) != 0 && errno != EINVAL) throw write_failure(folder, "fsync", errno);
}

void write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      throw write_failure(path, "write", errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::string read_text_file(const std::string& path) {
  const auto failure = [&](int code) {
    return input_error(fmt::format("{}: cannot be read ({})", path, std::strerror(code)));
  };
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) throw failure(errno);
  struct stat info {};
  if (::fstat(descriptor.get(), &info) != 0) throw failure(errno);
  if (S_ISDIR(info.st_mode)) throw failure(EISDIR);
  std::string text;
  text.reserve(static_cast<std::size_t>(info.st_size > 0 ? info.st_size : 0));
  char buffer[1 << 16];
  while (true) {
    const ssize_t count = ::read(descriptor.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw failure(errno);
    if (count == 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

void make_folder(const std::string& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code) throw write_failure(path, "mkdir", code.value());
}

bool is_special_file(const std::string& path) {
  std::error_code none;
  const std::filesystem::file_status status = std::filesystem::status(path, none);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> count{0};
  return fmt::format("{}.{}.{}.tmp", path, ::getpid(), count++);
}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

void publish_file(const std::string& temporary, const std::string& path) {
  TemporaryFile guard(temporary);
  refuse_special_file(path);
  Descriptor descriptor(::open(temporary.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) throw write_failure(temporary, "open", errno);
  if (::fsync(descriptor.get()) != 0) throw write_failure(temporary, "fsync", errno);
  if (descriptor.close() != 0) throw write_failure(temporary, "close", errno);
  if (::rename(temporary.c_str(), path.c_str()) != 0) throw write_failure(path, "rename", errno);
  guard.keep();
  sync_folder(folder_of(path));
}

void rename_file(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) throw write_failure(to, "rename", errno);
}

void write_file_atomically(const std::string& given, std::string_view bytes) {
  if (is_special_file(given)) {
    Descriptor descriptor(::open(given.c_str(), O_WRONLY | O_CLOEXEC));
    if (descriptor.get() < 0) throw write_failure(given, "open", errno);
    write_all(descriptor.get(), bytes, given);
    if (descriptor.close() != 0) throw write_failure(given, "close", errno);
    return;
  }
  const std::string path = target_of(given);
  const std::string temporary = temporary_name(path);
  Descriptor descriptor(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (descriptor.get() < 0) throw write_failure(path, "open", errno);
  TemporaryFile guard(temporary);
  write_all(descriptor.get(), bytes, path);
  if (descriptor.close() != 0) throw write_failure(path, "close", errno);
  guard.keep();
  publish_file(temporary, path);
}

void check_output_file(const std::string& path, bool special) {
  if (!special) refuse_special_file(path);
  if (is_special_file(path)) return check_access(path, W_OK, path);
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) throw write_failure(path, "open", EISDIR);
  check_access(folder_of(target_of(path)) + "/.", W_OK | X_OK, path);
}

void check_output_folder(const std::string& path) {
  std::string existing = path;
  std::error_code none;
  while (!std::filesystem::exists(existing, none) && folder_of(existing) != existing)
    existing = folder_of(existing);
  check_access(existing + "/.", W_OK | X_OK, path);
}

FileLock::FileLock(const std::string& path, bool wait) {
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw write_failure(path, "open", errno);
  int rc = 0;
  do rc = ::flock(descriptor_, LOCK_EX | (wait ? 0 : LOCK_NB));
  while (rc != 0 && errno == EINTR);
  if (rc == 0) return;
  const int code = errno;
  ::close(descriptor_);
  if (code == EWOULDBLOCK)
    throw Error(ErrorKind::environment, "POSIX", "flock", code,
                fmt::format("{}: is locked by another process (wait for it to end)", path));
  throw write_failure(path, "flock", code);
}

FileLock::~FileLock() {
  ::close(descriptor_);
}

namespace {

// 0 or the error code of fcntl.
int lock_byte(int descriptor, short kind, std::int64_t byte) {
  struct flock range {};
  range.l_type = kind;
  range.l_whence = SEEK_SET;
  range.l_start = byte;
  range.l_len = 1;
  int rc = 0;
  do rc = ::fcntl(descriptor, F_OFD_SETLK, &range);
  while (rc != 0 && errno == EINTR);
  return rc == 0 ? 0 : errno;
}

}  // namespace

ByteLocks::ByteLocks(const std::string& path) : path_(path) {
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw write_failure(path, "open", errno);
}

ByteLocks::~ByteLocks() {
  ::close(descriptor_);
}

bool ByteLocks::take(std::int64_t byte) {
  const int code = lock_byte(descriptor_, F_WRLCK, byte);
  if (code == EAGAIN || code == EACCES) return false;
  if (code != 0)
    throw Error(ErrorKind::environment, "POSIX", "fcntl", code,
                fmt::format("{}: cannot be locked ({}). Use an output folder on a file system with locks "
                            "(Lustre: mount option flock).",
                            path_, std::strerror(code)));
  return true;
}

void ByteLocks::release(std::int64_t byte) {
  if (const int code = lock_byte(descriptor_, F_UNLCK, byte); code != 0)
    throw write_failure(path_, "fcntl", code);
}

}  // namespace lcn
