#include "search/fixed_point.hpp"

#include <algorithm>
#include <cmath>

namespace lcn {

std::int64_t to_fixed(double value) {
  const double limit = 1099511627776.0;  // 2^40 units: a temperature times -ln u stays below 2^62
  return std::llround(std::clamp(value * static_cast<double>(kEnergyOne), -limit, limit));
}

double from_fixed(std::int64_t value) {
  return static_cast<double>(value) / static_cast<double>(kEnergyOne);
}

const NegLogTable& neg_log_table() {
  static const NegLogTable table = [] {
    NegLogTable t{};
    for (int i = 0; i <= 256; ++i)
      t.entries[static_cast<std::size_t>(i)] =
          static_cast<std::uint32_t>(std::llround(std::log1p(i / 256.0) * 16777216.0));
    return t;
  }();
  return table;
}

}  // namespace lcn
