#include "search/weight_table.hpp"

#include <algorithm>
#include <cmath>

namespace lcn {

std::vector<std::int64_t> linear_table(std::int64_t m) {
  std::vector<std::int64_t> table(static_cast<std::size_t>(m) + 1);
  for (std::int64_t c = 0; c <= m; ++c) table[static_cast<std::size_t>(c)] = c * kEnergyOne;
  return table;
}

std::vector<std::int64_t> power_table(std::int64_t m, std::int64_t K, double p, double slope) {
  std::vector<std::int64_t> table(static_cast<std::size_t>(m) + 1);
  // The sum over m edges stays below 2^62 with room for the slopes: entries at most 2^60 / m.
  const double w_max = std::min(std::ldexp(1.0, 40 - kEnergyBits),
                                std::ldexp(1.0, 60 - kEnergyBits) / static_cast<double>(m + 1) / 2);
  const double k = static_cast<double>(std::max<std::int64_t>(K, 1));
  std::int64_t previous = 0;
  for (std::int64_t c = 1; c <= m; ++c) {
    const double level = static_cast<double>(c);
    const double power = (k / p) * std::exp(p * std::log(level / k));
    std::int64_t entry;
    if (power < w_max)
      entry = std::llround((power + slope * level) * static_cast<double>(kEnergyOne));
    else
      entry = previous + static_cast<std::int64_t>((1.0 + slope) * static_cast<double>(kEnergyOne));
    previous = std::max(entry, previous);
    table[static_cast<std::size_t>(c)] = previous;
  }
  return table;
}

}  // namespace lcn
