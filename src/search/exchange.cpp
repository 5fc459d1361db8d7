#include "search/exchange.hpp"

#include <algorithm>
#include <cmath>

#include "search/fixed_point.hpp"

namespace lcn {

bool accept_exchange(StreamKey key, std::int64_t round, int pair, std::int64_t temperature_a,
                     std::int64_t temperature_b, std::int64_t energy_a, std::int64_t energy_b) {
  using Wide = __int128;
  const std::uint32_t word =
      chain_draw(key, static_cast<std::uint32_t>(pair), static_cast<std::uint64_t>(round), 0).w[0];
  const std::int64_t L = neg_log(neg_log_table().entries.data(), word);
  // (1/Ta - 1/Tb)(Ea - Eb) >= -L, multiplied by Ta Tb 2^16.
  const Wide left = static_cast<Wide>(temperature_b - temperature_a) * (energy_a - energy_b);
  const Wide right = -static_cast<Wide>(L) * temperature_a * temperature_b / 65536;
  return left >= right;
}

std::vector<std::int64_t> geometric_ladder(double cold, double hot, int rungs) {
  std::vector<std::int64_t> ladder;
  for (int i = 0; i < rungs; ++i) {
    const double share = rungs > 1 ? static_cast<double>(i) / (rungs - 1) : 0.0;
    ladder.push_back(std::max<std::int64_t>(1, to_fixed(cold * std::pow(hot / cold, share))));
  }
  return ladder;
}

std::vector<std::int64_t> respace_ladder(const std::vector<std::int64_t>& temperatures,
                                         const std::vector<std::int64_t>& attempts,
                                         const std::vector<std::int64_t>& rejections) {
  const std::size_t rungs = temperatures.size();
  if (rungs < 3) return temperatures;
  std::vector<double> barrier(rungs, 0.0);
  for (std::size_t i = 0; i + 1 < rungs; ++i) {
    if (attempts[i] < 1) return temperatures;
    const double rate = static_cast<double>(rejections[i]) / static_cast<double>(attempts[i]);
    barrier[i + 1] = barrier[i] + std::max(rate, 0.01);
  }
  std::vector<std::int64_t> spaced = temperatures;
  for (std::size_t k = 1; k + 1 < rungs; ++k) {
    const double wanted = barrier.back() * static_cast<double>(k) / static_cast<double>(rungs - 1);
    std::size_t i = 0;
    while (i + 2 < rungs && barrier[i + 1] < wanted) ++i;
    const double share = (wanted - barrier[i]) / (barrier[i + 1] - barrier[i]);
    const double low = std::log(static_cast<double>(temperatures[i])),
                 high = std::log(static_cast<double>(temperatures[i + 1]));
    spaced[k] = std::llround(std::exp(low + share * (high - low)));
  }
  for (std::size_t k = 1; k < rungs; ++k) spaced[k] = std::max(spaced[k], spaced[k - 1] + 1);
  return spaced;
}

}  // namespace lcn
