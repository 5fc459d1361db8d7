#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "search/population.hpp"

namespace lcn {

// boltzmann: systematic resampling with weights exp(-(1/T' - 1/T) E) (Hukushima and Iba 2003; integer weights
// of 30 bits). truncation: the worst eighth becomes copies drawn from the best quarter, ordered by energy (or
// tuple) and slot.
enum class Resampling { none, boltzmann, truncation };
Resampling parse_resampling(const std::string& text);  // Error(usage)

// First slot of an island when `replicas` slots are cut into `islands` contiguous parts; island == islands
// gives replicas.
int island_begin(int replicas, int islands, int island);

// How many copies of each slot systematic resampling makes: weights w, one draw u in [0, 2^32); sums to
// w.size().
std::vector<int> systematic_copies(const std::vector<std::uint64_t>& weights, std::uint32_t draw);

// Resamples every island on its own. Copies keep the slot's own random stream. Decided on the host from
// integers, keyed by (round, island): the same for every backend.
void resample(Population& population, Resampling kind, int islands, StreamKey key, std::int64_t round,
              EnergyKind energy, const std::vector<std::int64_t>& table, std::int64_t old_temperature,
              std::int64_t new_temperature);

// Elite sharing: the best replica of all (ties: lowest slot) replaces the worst of every other island (0, 2,
// 4, ...) that does not hold it; the other half of the islands stays independent.
void share_elite(Population& population, int islands, EnergyKind energy,
                 const std::vector<std::int64_t>& table);

}  // namespace lcn
