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
#include "support/stop.hpp"

namespace lcn {

// What all replicas of a round share.
struct PopulationRound {
  StreamKey key;
  std::int64_t first_step = 0, steps = 0;
  bool ends = true;  // false: a first part of the round; the bandits learn when the last part ends
  std::uint32_t first_replica = 0;  // slot s runs the stream of replica first_replica + s
  EnergyKind energy = EnergyKind::table;
  const std::vector<std::int64_t>* table =
      nullptr;  // m + 1 weights; also defines energies when energy is tuple
};

// Sums over replicas.
struct ProposalTotals {
  std::int64_t attempted = 0, valid = 0, evaluated = 0, accepted = 0;
};

// The replicas of one unit on one backend. Slot r runs the random stream of replica r; contents move between
// slots by copy and swap. All decisions are integers, so every backend and every number of threads and ranks
// gives the same contents. Slots of other ranks (search/distributed_population.hpp) are not owned: what is
// said of a single slot holds for owned slots only, and changes of others are left to their owners.
class Population {
 public:
  virtual ~Population() = default;
  virtual int size() const = 0;
  virtual bool owns(int /*slot*/) const { return true; }
  // While drawings are counted, in load() and restart(), `stop` is asked where that takes long (host memory
  // only); they then throw Stopped, and the slot waits for another load.
  virtual void watch(StopFunction /*stop*/) {}
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
  // Contents are drawing, counts, tuple, bandits and family; counters and best stay the slot's own.
  virtual void copy(int from, int to) = 0;
  virtual void swap(int a, int b) = 0;

  // Of every slot, owned or not.
  virtual std::vector<std::int64_t> energies(
      const std::vector<std::int64_t>& table) = 0;  // sums of table[c(e)]
  virtual std::vector<Tuple> tuples();
  virtual std::vector<std::int64_t> families();  // ChainScalars::family
  virtual ProposalTotals totals();
  virtual std::vector<Sha256> hashes();  // slot_sha256
  // Executes copies and swaps that wait, on all ranks: before something is asked of one rank's slot only.
  virtual void settle() {}
  // A digest of every call that decides contents, to be compared between ranks; 0 where all slots are owned.
  virtual std::int64_t decisions() const { return 0; }

  // Contents as bytes, for another rank: a StateHeader, then x, y of each vertex and the count of each edge
  // as int32. The same size for every slot.
  virtual std::size_t state_bytes() const;
  virtual void write_state(int slot, void* state) const;
  // Error(internal) when the counts are not those of the drawing.
  virtual void read_state(int slot, const void* state);
  // The same in memory of the device where the replicas are, for several slots at once: states[i], aligned to
  // 8 bytes, belongs to slots[i]; slots that are read are all different. Returns when the memory may be used.
  // Error(internal) where replicas are in host memory, and when the counts read do not have the tuple in the
  // header.
  virtual void write_device_states(std::span<const int> slots, std::span<void* const> states);
  virtual void read_device_states(std::span<const int> slots, std::span<void* const> states);

  virtual Drawing drawing(int slot) const = 0;
  virtual Drawing best_drawing(int slot) const = 0;
  virtual std::vector<std::int32_t> counts(int slot) const = 0;
  virtual const char* backend() const = 0;
};

// Of one slot's drawings, counts, tuple and scalars.
Sha256 slot_sha256(const Population& population, int slot);
// Of all slots in order: equal hashes, equal trajectories.
Sha256 population_sha256(Population& population);

struct StateHeader {
  Tuple tuple;
  Bandit vertex_bandit, position_bandit;
  std::int64_t family = 0;
};

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
