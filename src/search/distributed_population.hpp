#pragma once
#include <functional>
#include <memory>

#include "search/population.hpp"
#include "search/replica_channel.hpp"
#include "search/solve.hpp"

namespace lcn {

// This rank's band of `replicas` slots that ranks share: bands follow each other in rank order and differ by
// one slot at most.
struct ReplicaBand {
  int begin = 0, end = 0;
};
ReplicaBand replica_band(int replicas, int rank, int ranks);

// All replicas of a unit, of which `make(count)` holds this rank's band. Every rank makes the same calls with
// the same values; a copy or swap between bands moves a state through the channel, the others stay local.
// Moves are collected and executed together before the next call that needs them. Contents equal those of
// one population with all replicas, whatever the number of ranks. `traffic` counts what this rank sends; it
// and the channel must outlive the population. Error(usage) with fewer replicas than ranks; Error(internal)
// for replicas on the CPU with a channel between GPUs.
std::unique_ptr<Population> make_distributed_population(
    ReplicaChannel& channel, int replicas, const std::function<std::unique_ptr<Population>(int)>& make,
    ExchangeTraffic& traffic);

}  // namespace lcn
