#include "search/resampling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/error.hpp"

namespace lcn {

Resampling parse_resampling(const std::string& text) {
  if (text == "none") return Resampling::none;
  if (text == "boltzmann") return Resampling::boltzmann;
  if (text == "truncation") return Resampling::truncation;
  throw usage_error("search: resample must be none, boltzmann or truncation, not '" + text + "'");
}

int island_begin(int replicas, int islands, int island) {
  return static_cast<int>(static_cast<std::int64_t>(replicas) * island / islands);
}

std::vector<int> systematic_copies(const std::vector<std::uint64_t>& weights, std::uint32_t draw) {
  using Wide = unsigned __int128;
  const auto count = static_cast<std::uint64_t>(weights.size());
  Wide total = 0;
  for (std::uint64_t w : weights) total += w;
  std::vector<int> copies(weights.size(), 0);
  // Pointers at (j + draw / 2^32) * total / count; pointer j falls to the slot whose cumulative weight first
  // exceeds it.
  Wide cumulative = 0;
  std::uint64_t j = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    cumulative += weights[i];
    while (j < count && ((static_cast<Wide>(j) << 32) + draw) * total < (cumulative * count << 32)) {
      ++copies[i];
      ++j;
    }
  }
  return copies;
}

namespace {

// The slots' order by energy, or by tuple where that is the energy.
class Ranking {
 public:
  Ranking(Population& population, EnergyKind energy, const std::vector<std::int64_t>& table) {
    if (energy == EnergyKind::tuple)
      tuples_ = population.tuples();
    else
      energies_ = population.energies(table);
  }
  bool better(int a, int b) const {
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    return tuples_.empty() ? energies_[i] < energies_[j] : tuples_[i] < tuples_[j];
  }
  const std::vector<std::int64_t>& energies() const { return energies_; }

 private:
  std::vector<std::int64_t> energies_;
  std::vector<Tuple> tuples_;
};

void resample_boltzmann(Population& population, int begin, int end, const std::vector<std::int64_t>& energies,
                        StreamKey key, std::int64_t round, int island, std::int64_t old_temperature,
                        std::int64_t new_temperature) {
  if (old_temperature <= 0 || new_temperature <= 0 || new_temperature >= old_temperature) return;
  const double step = 1.0 / static_cast<double>(new_temperature) - 1.0 / static_cast<double>(old_temperature);
  const std::int64_t lowest = *std::min_element(energies.begin() + begin, energies.begin() + end);
  std::vector<std::uint64_t> weights;
  for (int r = begin; r < end; ++r)
    weights.push_back(static_cast<std::uint64_t>(
        std::llround(std::exp(-step * static_cast<double>(energies[static_cast<std::size_t>(r)] - lowest)) *
                     1073741824.0)));
  const std::uint32_t draw =
      chain_draw(key, static_cast<std::uint32_t>(island), static_cast<std::uint64_t>(round), 0).w[0];
  std::vector<int> copies = systematic_copies(weights, draw);
  int source = 0;
  for (int i = 0; i < end - begin; ++i) {
    if (copies[static_cast<std::size_t>(i)] > 0) continue;
    while (copies[static_cast<std::size_t>(source)] < 2) ++source;
    population.copy(begin + source, begin + i);
    --copies[static_cast<std::size_t>(source)];
  }
}

void resample_truncation(Population& population, int begin, int end, const Ranking& ranking, StreamKey key,
                         std::int64_t round) {
  const int size = end - begin;
  const int replaced = size / 8, parents = std::max(1, size / 4);
  if (replaced == 0) return;
  std::vector<int> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), begin);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return ranking.better(a, b); });
  for (int i = 0; i < replaced; ++i) {
    const int target = order[static_cast<std::size_t>(size - 1 - i)];
    const std::uint32_t draw =
        chain_draw(key, static_cast<std::uint32_t>(target), static_cast<std::uint64_t>(round), 1).w[0];
    population.copy(order[bounded(draw, static_cast<std::uint32_t>(parents))], target);
  }
}

}  // namespace

void share_elite(Population& population, int islands, EnergyKind energy,
                 const std::vector<std::int64_t>& table) {
  const int replicas = population.size();
  islands = std::min(islands, replicas);
  const Ranking ranking(population, energy, table);
  int elite = 0;
  for (int r = 1; r < replicas; ++r)
    if (ranking.better(r, elite)) elite = r;
  for (int island = 0; island < islands; island += 2) {
    const int begin = island_begin(replicas, islands, island),
              end = island_begin(replicas, islands, island + 1);
    if (elite >= begin && elite < end) continue;
    int worst = begin;
    for (int r = begin + 1; r < end; ++r)
      if (ranking.better(worst, r)) worst = r;
    population.copy(elite, worst);
  }
}

void resample(Population& population, Resampling kind, int islands, StreamKey key, std::int64_t round,
              EnergyKind energy, const std::vector<std::int64_t>& table, std::int64_t old_temperature,
              std::int64_t new_temperature) {
  if (kind == Resampling::none) return;
  const int replicas = population.size();
  islands = std::min(islands, replicas);
  const Ranking ranking(population, energy, table);
  for (int island = 0; island < islands; ++island) {
    const int begin = island_begin(replicas, islands, island),
              end = island_begin(replicas, islands, island + 1);
    if (kind == Resampling::boltzmann)
      resample_boltzmann(population, begin, end, ranking.energies(), key, round, island, old_temperature,
                         new_temperature);
    else
      resample_truncation(population, begin, end, ranking, key, round);
  }
}

}  // namespace lcn
