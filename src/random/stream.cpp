#include "random/stream.hpp"

#include <cmath>
#include <numbers>
#include <string>

namespace lcn {
namespace {

void append_little_endian(std::string& bytes, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
}

}  // namespace

StreamKey derive_key(const SeedPath& path, Purpose purpose, std::string_view algorithm) {
  std::string bytes;
  append_little_endian(bytes, path.root_seed, 8);
  bytes.append(reinterpret_cast<const char*>(path.instance.data()), path.instance.size());
  append_little_endian(bytes, path.repetition, 8);
  append_little_endian(bytes, static_cast<std::uint32_t>(purpose), 4);
  bytes.append(algorithm);
  const Sha256 digest = sha256(bytes);
  const auto word = [&](int at) {
    std::uint32_t w = 0;
    for (int i = 3; i >= 0; --i) w = (w << 8) | digest[static_cast<std::size_t>(at + i)];
    return w;
  };
  return {word(0), word(4)};
}

std::uint32_t Stream::next() {
  if (used_ == 4) {
    words_ = philox(key_, replica_, static_cast<std::uint32_t>(block_),
                    static_cast<std::uint32_t>(block_ >> 32), 0);
    ++block_;
    used_ = 0;
  }
  return words_.w[used_++];
}

std::uint32_t Stream::below(std::uint32_t n) {
  return static_cast<std::uint32_t>(between(0, static_cast<std::int64_t>(n) - 1));
}

std::int64_t Stream::between(std::int64_t low, std::int64_t high) {
  const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  const auto word64 = [this] {
    const std::uint64_t upper = next();
    return (upper << 32) | next();
  };
  if (range == 0) return static_cast<std::int64_t>(word64());
  const std::uint64_t limit = ~std::uint64_t{0} - (~std::uint64_t{0} % range + 1) % range;
  std::uint64_t word = word64();
  while (word > limit) word = word64();
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + word % range);
}

double Stream::real() {
  const std::uint64_t upper = next();
  return static_cast<double>(((upper << 32) | next()) >> 11) * 0x1.0p-53;
}

double Stream::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - real()));
  return radius * std::cos(2.0 * std::numbers::pi * real());
}

}  // namespace lcn
