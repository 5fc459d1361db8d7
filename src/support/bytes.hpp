#pragma once
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/error.hpp"

namespace lcn {

// Plain values one after another, as they are in memory: for messages between ranks of one program and for
// checkpoints, which only the program that wrote them reads. Vectors and strings carry their length.
class ByteWriter {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const std::vector<T>& values) {
    put(static_cast<std::uint64_t>(values.size()));
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  void put(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes_ += text;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads what a ByteWriter wrote, in the same order. Error(input) when the bytes end too early.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void get(T& value) { std::memcpy(&value, next(sizeof value), sizeof value); }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void get(std::vector<T>& values) {
    const std::size_t size = length(sizeof(T));
    values.resize(size);
    if (size > 0) std::memcpy(values.data(), next(size * sizeof(T)), size * sizeof(T));
  }
  void get(std::string& text) {
    const std::size_t size = length(1);
    text.assign(next(size), size);
  }
  template <class T>
  T get() {
    T value{};
    get(value);
    return value;
  }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  std::size_t length(std::size_t unit) {
    const auto size = get<std::uint64_t>();
    if (size > (bytes_.size() - at_) / unit) throw input_error("saved state is cut");
    return static_cast<std::size_t>(size);
  }
  const char* next(std::size_t size) {
    if (size > bytes_.size() - at_) throw input_error("saved state is cut");
    at_ += size;
    return bytes_.data() + at_ - size;
  }
  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace lcn
