#pragma once
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "random/philox.hpp"
#include "random/purposes.hpp"
#include "support/sha256.hpp"

namespace lcn {

// What identifies the randomness of one unit. What paired runs share (start drawings) has no algorithm name
// in its key.
struct SeedPath {
  std::uint64_t root_seed = 0;
  Sha256 instance{};
  std::uint64_t repetition = 1;
};

// First 64 bits of sha256(root seed, instance sha256, repetition, purpose id, algorithm name): little-endian
// integers of 8, 32 bytes, 8, 4, then the name's bytes.
StreamKey derive_key(const SeedPath& path, Purpose purpose, std::string_view algorithm = {});

// A sequential reader of one counter stream, for host code: counter = (replica, index low, index high, 0).
class Stream {
 public:
  explicit Stream(StreamKey key, std::uint32_t replica = 0) : key_(key), replica_(replica) {}
  std::uint32_t next();                                       // 32 uniform bits
  std::uint32_t below(std::uint32_t n);                       // 0..n-1, n >= 1
  std::int64_t between(std::int64_t low, std::int64_t high);  // both ends included; unbiased by rejection
  double real();                                              // [0, 1), 53 bits
  double normal();                                            // standard normal (Box-Muller)
  template <class T>
  void shuffle(std::vector<T>& items) {  // Fisher-Yates from the back
    for (std::size_t i = items.size(); i > 1; --i)
      std::swap(items[i - 1], items[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(i) - 1))]);
  }

 private:
  StreamKey key_;
  std::uint32_t replica_;
  std::uint64_t block_ = 0;
  int used_ = 4;
  Draw4 words_{};
};

}  // namespace lcn
