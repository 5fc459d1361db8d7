#pragma once
#include <Random123/philox.h>

#include <cstdint>

#include "support/host_device.hpp"

namespace lcn {

struct StreamKey {
  std::uint32_t k0 = 0, k1 = 0;
  friend bool operator==(const StreamKey&, const StreamKey&) = default;
};

struct Draw4 {
  std::uint32_t w[4];
};

// Philox4x32-10 (Salmon et al., SC 2011; Random123): a pure function of key and counter, the same on host and
// device.
LCN_HD inline Draw4 philox(StreamKey key, std::uint32_t c0, std::uint32_t c1, std::uint32_t c2,
                           std::uint32_t c3) {
  r123::Philox4x32_R<10>::ctr_type counter = {{c0, c1, c2, c3}};
  r123::Philox4x32_R<10>::key_type k = {{key.k0, key.k1}};
  const r123::Philox4x32_R<10>::ctr_type r = r123::Philox4x32_R<10>{}(counter, k);
  return {{r.v[0], r.v[1], r.v[2], r.v[3]}};
}

// The design's counter layout: (replica, step low, step high, draw).
LCN_HD inline Draw4 chain_draw(StreamKey key, std::uint32_t replica, std::uint64_t step, std::uint32_t draw) {
  return philox(key, replica, static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32), draw);
}

// Uniform in 0..n-1 from one 32-bit word by multiply-shift; bias below n / 2^32. n >= 1.
LCN_HD inline std::uint32_t bounded(std::uint32_t word, std::uint32_t n) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(word) * n) >> 32);
}

}  // namespace lcn
