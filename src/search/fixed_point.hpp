#pragma once
#include <array>
#include <cstdint>

#include "support/host_device.hpp"

namespace lcn {

// Energies and temperatures are 64-bit integers in units of 2^-20; 1.0 is one crossing on an edge at level K
// of the weight table (or one crossing, for the plain sum). Real numbers become integers on the host, between
// rounds.
inline constexpr int kEnergyBits = 20;
inline constexpr std::int64_t kEnergyOne = std::int64_t{1} << kEnergyBits;

std::int64_t to_fixed(double value);  // nearest, saturating at +-2^40
double from_fixed(std::int64_t value);

// -ln(u) for a uniform 32-bit word, u = (word + 1/2) / 2^32, in units of 2^-16: exponent from the leading
// zeros, mantissa by a table of 257 entries with linear interpolation. All integer, so host and device agree.
// Built once on the host; absolute error below 2^-15.
struct NegLogTable {
  std::array<std::uint32_t, 257> entries;  // ln(1 + i/256) in units of 2^-24
};
const NegLogTable& neg_log_table();

LCN_HD inline int count_leading_zeros(std::uint32_t word) {
#ifdef __CUDA_ARCH__
  return __clz(static_cast<int>(word));
#else
  return word == 0 ? 32 : __builtin_clz(word);
#endif
}

// Result in units of 2^-16, at least 0, at most about 23.
LCN_HD inline std::int64_t neg_log(const std::uint32_t* table, std::uint32_t word) {
  constexpr std::int64_t kLn2 = 11629080;  // ln 2 in units of 2^-24
  if (word == 0) return (kLn2 * 33) >> 8;
  const int zeros = count_leading_zeros(word);
  const std::uint32_t mantissa =
      zeros == 31 ? 0u : (word << (zeros + 1));  // fraction bits after the leading one
  const std::uint32_t index = mantissa >> 24, rest = (mantissa >> 8) & 0xffffu;
  const std::int64_t low = table[index], high = table[index + 1];
  const std::int64_t log_mantissa = low + (((high - low) * rest) >> 16);  // 2^-24
  return (kLn2 * (zeros + 1) - log_mantissa) >> 8;
}

// Metropolis threshold: a move is accepted when its energy change is at most T * (-ln u).
LCN_HD inline std::int64_t acceptance_threshold(const std::uint32_t* table, std::uint32_t word,
                                                std::int64_t temperature) {
  return (temperature * neg_log(table, word)) >> 16;
}

}  // namespace lcn
