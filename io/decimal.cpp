#include "io/decimal.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace lcn {

Decimal parse_decimal(std::string_view token) {
  const bool negative = !token.empty() && token.front() == '-';
  std::string digits;         // without the point and leading zeros
  std::int64_t exponent = 0;  // value = digits * 10^exponent
  std::size_t i = negative ? 1 : 0;
  bool fraction = false;
  for (; i < token.size() && token[i] != 'e' && token[i] != 'E'; ++i) {
    if (token[i] < '0' || token[i] > '9') {  // the decimal point, in any locale
      fraction = true;
      continue;
    }
    if (!digits.empty() || token[i] != '0') digits += token[i];
    if (fraction) --exponent;
  }
  if (i < token.size()) {
    constexpr std::int64_t limit = 1'000'000'000'000;  // beyond every length of text that fits in memory
    const bool down = ++i < token.size() && token[i] == '-';
    std::int64_t power = 0;
    for (; i < token.size(); ++i)
      if (token[i] >= '0' && token[i] <= '9') power = std::min(limit, power * 10 + (token[i] - '0'));
    exponent += down ? -power : power;
  }
  while (!digits.empty() && digits.back() == '0') {
    digits.pop_back();
    ++exponent;
  }
  Decimal result;
  if (digits.empty()) {
    result.integral = true;
    return result;
  }
  if (exponent < 0) return result;
  result.integral = true;
  if (exponent > 18 || static_cast<std::int64_t>(digits.size()) + exponent > 19) {
    result.too_large = true;
    return result;
  }
  std::uint64_t magnitude = 0;  // 19 digits fit
  for (char c : digits) magnitude = magnitude * 10 + static_cast<std::uint64_t>(c - '0');
  for (; exponent > 0; --exponent) magnitude *= 10;
  if (magnitude > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    result.too_large = true;
    return result;
  }
  result.value = static_cast<std::int64_t>(magnitude);
  if (negative) result.value = -result.value;
  return result;
}

}  // namespace lcn
