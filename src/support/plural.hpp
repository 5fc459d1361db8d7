#pragma once
#include <concepts>
#include <string>

namespace lcn {

// "1 unit", "2 units"; `many` where an s does not do.
inline std::string plural(std::integral auto count, const std::string& one, const std::string& many = {}) {
  return std::to_string(count) + " " + (count == 1 ? one : many.empty() ? one + "s" : many);
}

}  // namespace lcn
