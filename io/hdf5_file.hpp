#pragma once
// Internal to io/: the serial C API of HDF5 with every return checked. Not included by other rooms.
#include <hdf5.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/error.hpp"

namespace lcn {

// Owns one HDF5 identifier and closes it. A failed close in a destructor can only follow another failure that
// has been thrown already, or concern an object that was read; File::close is checked.
class Hdf5Id {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Id() = default;
  Hdf5Id(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Id(Hdf5Id&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Id& operator=(Hdf5Id&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Id() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  hid_t release() { return std::exchange(id_, H5I_INVALID_HID); }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

// One member of a compound type of 8-byte numbers.
struct TableColumn {
  const char* name;
  bool real;  // double, else int64
};

// An HDF5 file: a new one, or one opened for reading from disk or from bytes in memory. Failures are Error:
// environment for a file that is written (disk full), rejected for one that is read, with the path, HDF5's
// call and its own reason, which HDF5 is kept from printing. For one thread at a time: the serial library has
// no locks. Text is stored as fixed-length UTF-8; bytes that are not UTF-8 become '?'.
class Hdf5File {
 public:
  static Hdf5File create(const std::string& path);
  static Hdf5File open(const std::string& path);
  static Hdf5File open_image(std::string bytes, const std::string& name);

  hid_t id() const { return file_; }
  const std::string& name() const { return name_; }

  void close();  // flush and close after writing, checked

  // Value of a call that returns a negative number on failure.
  template <class T>
  T check(T value, const char* call, const std::string& object = {}) const {
    if (value < 0) fail(call, object);
    return value;
  }
  [[noreturn]] void fail(const char* call, const std::string& object = {}) const;
  // For content that HDF5 can read but that is not as docs/format.md says.
  [[noreturn]] void wrong(const std::string& object, const std::string& problem) const;

  bool exists(const std::string& path) const;  // absolute path; also false when a parent is missing
  std::vector<std::string> links(const std::string& group) const;  // ascending by name
  // Makes the group; members keep the order of their creation when asked for.
  void make_group(const std::string& path, bool creation_order = false);
  void remove(const std::string& path);

  void write_text(const std::string& path, const std::string& text);  // scalar dataset
  std::string read_text(const std::string& path) const;
  void set_attribute(hid_t object, const char* name, const std::string& text);
  void set_attribute(hid_t object, const char* name, std::int64_t value);
  std::string text_attribute(const std::string& object, const char* name) const;
  std::int64_t integer_attribute(const std::string& object, const char* name) const;

  // 1-D datasets. The writer makes the dataset, then fills it in pieces that follow each other.
  Hdf5Id make_column(const std::string& path, hid_t type, hsize_t rows);
  void write_piece(hid_t dataset, hid_t memory_type, hsize_t first, hsize_t rows, const void* data);
  Hdf5Id open_dataset(const std::string& path) const;
  hsize_t rows(hid_t dataset, const std::string& path) const;  // wrong() unless one-dimensional
  void read_piece(hid_t dataset, hid_t memory_type, hsize_t first, hsize_t rows, void* data) const;

  // Whole small datasets: a table of 8-byte rows as a compound type, and an int32 matrix of two columns.
  Hdf5Id write_table(const std::string& path, const std::vector<TableColumn>& columns, hsize_t rows,
                     const void* data);
  // Bytes of all rows in memory order of `columns`.
  std::string read_table(const std::string& path, const std::vector<TableColumn>& columns) const;
  void write_pairs(const std::string& path, const std::vector<std::int32_t>& values);
  std::vector<std::int32_t> read_pairs(const std::string& path) const;

  Hdf5Id text_type(std::size_t width) const;  // fixed-length UTF-8, width >= 1
  Hdf5Id boolean_type() const;                // enum FALSE = 0, TRUE = 1 over int8

 private:
  Hdf5File(std::string name, bool writing) : name_(std::move(name)), writing_(writing) {}
  Hdf5Id table_type(const std::vector<TableColumn>& columns) const;
  Hdf5Id open_attribute(const std::string& object, const char* name) const;  // of one value
  Hdf5Id storage(const std::vector<hsize_t>& dimensions, std::size_t row_bytes) const;

  std::string name_;
  bool writing_;
  std::string image_;  // of a file that is read from memory
  Hdf5Id file_;
};

// `text` with every byte that is not part of valid UTF-8, and every NUL, replaced by '?'.
std::string valid_utf8(std::string text);
// The longest valid start of `text` of at most `bytes` bytes.
std::string cut_utf8(const std::string& text, std::size_t bytes);

}  // namespace lcn
