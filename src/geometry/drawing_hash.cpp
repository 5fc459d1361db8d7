#include "geometry/drawing_hash.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>

#include "support/error.hpp"

namespace lcn {
namespace {

void append(std::string& bytes, std::int64_t value) {
  if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorKind::internal,
                fmt::format("drawing hash: coordinate {} is beyond int32 (only admitted drawings are hashed)",
                            value));
  const auto word = static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>((word >> shift) & 0xff);
}

}  // namespace

Sha256 drawing_sha256(const std::vector<Drawing>& drawings) {
  std::string bytes;
  for (const Drawing& drawing : drawings) {
    for (const Point& p : drawing) {
      append(bytes, p.x);
      append(bytes, p.y);
    }
  }
  return sha256(bytes);
}

}  // namespace lcn
