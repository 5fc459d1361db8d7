#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "crossings/tuple.hpp"
#include "geometry/point.hpp"
#include "graph/graph.hpp"
#include "search/chain.hpp"
#include "support/sha256.hpp"

namespace lcn {

// What all replicas of a round share.
struct PopulationRound {
  StreamKey key;
  std::int64_t first_step = 0, steps = 0;
  EnergyKind energy = EnergyKind::table;
  const std::vector<std::int64_t>* table =
      nullptr;  // m + 1 weights; also defines energies when energy is tuple
};

// The replicas of one unit on one backend. Slot r runs the random stream of replica r; contents move between
// slots by copy and swap. All decisions are integers, so every backend and every number of threads gives the
// same contents.
class Population {
 public:
  virtual ~Population() = default;
  virtual int size() const = 0;
  // Puts a valid drawing into a slot: counts, fresh bandits, zero telemetry, best = this drawing.
  virtual void load(int slot, const Drawing& drawing) = 0;
  // Replaces a slot's drawing only: bandits, telemetry and best stay.
  virtual void restart(int slot, const Drawing& drawing) = 0;
  // Runs `round` in every slot at its own temperature (units of 2^-20), one entry per slot.
  virtual void run(const PopulationRound& round, std::span<const std::int64_t> temperatures) = 0;
  // Valid after load or run.
  virtual const Tuple& tuple(int slot) const = 0;
  virtual const ChainScalars& scalars(int slot) const = 0;
  virtual ChainScalars& scalars(int slot) = 0;
  // Sum of table[c(e)] for every slot.
  virtual std::vector<std::int64_t> energies(const std::vector<std::int64_t>& table) = 0;
  virtual void copy(
      int from, int to) = 0;  // drawing, counts and bandits; telemetry counters and best stay the slot's own
  virtual void swap(int a, int b) = 0;  // the same contents, exchanged
  virtual Drawing drawing(int slot) const = 0;
  virtual Drawing best_drawing(int slot) const = 0;
  virtual std::vector<std::int32_t> counts(int slot) const = 0;
  virtual const char* backend() const = 0;
};

// Of every slot's drawing, counts, tuple and scalars in slot order: equal hashes, equal trajectories.
Sha256 population_sha256(const Population& population);

// Owns the arrays behind a ProposalGraph. The graph must outlive it.
class ProposalGraphData {
 public:
  ProposalGraphData(const Graph& graph, const Grid& grid);
  const ProposalGraph& view() const { return view_; }

 private:
  std::vector<std::int32_t> movable_;
  ProposalGraph view_;
};

enum class CounterKind { bits, direct1, direct32, direct128 };

// CPU replicas shared by `threads` threads. `counter` chooses the fast counter or the device's one with an
// emulated team of 1, 32 or 128 lanes (for tests). Picks the arithmetic by grid and the crossing store by
// memory.
std::unique_ptr<Population> make_cpu_population(const Graph& graph, const Grid& grid, int replicas,
                                                int threads, CounterKind counter = CounterKind::bits);

}  // namespace lcn
