#pragma once
#include <cstdint>
#include <string>

namespace lcn {

// "1 unit", "2 units"; `many` where an s does not do.
inline std::string plural(std::int64_t count, const std::string& one, const std::string& many = {}) {
  return std::to_string(count) + " " + (count == 1 ? one : many.empty() ? one + "s" : many);
}

}  // namespace lcn
