#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lcn {

// SHA-256 (OpenSSL libcrypto). Deterministic; throws Error(internal) only if the library fails.
using Sha256 = std::array<std::uint8_t, 32>;
Sha256 sha256(std::string_view bytes);
Sha256 sha256_file(const std::string& path);  // Error(input) when the file cannot be read
std::string to_hex(std::span<const std::uint8_t> bytes);
inline std::string sha256_hex(std::string_view bytes) {
  return to_hex(sha256(bytes));
}

}  // namespace lcn
