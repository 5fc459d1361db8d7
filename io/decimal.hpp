#pragma once
#include <cstdint>
#include <string_view>

namespace lcn {

// The exact value of a decimal number's text ("5.0", "1e6", "-12.50e1"), which a double would round.
struct Decimal {
  bool integral = false;   // the value is an integer
  bool too_large = false;  // an integer beyond int64; `value` is then 0
  std::int64_t value = 0;
};

// `token` is a JSON number. Never throws.
Decimal parse_decimal(std::string_view token);

}  // namespace lcn
