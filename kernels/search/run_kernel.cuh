#pragma once
#include <cstdint>

#include "crossings/direct_counter.hpp"
#include "kernels/search/block_team.cuh"
#include "search/chain.hpp"

namespace lcn {

// What the device knows of a slot, and the host mirrors between rounds.
struct SlotState {
  ChainScalars scalars;
  Tuple tuple;
  std::int64_t temperature = 0;
  std::int32_t cell = 0;  // where the slot's drawing and counts are
};

// Device memory of all replicas. Contents live in cells, which slots exchange; best drawings stay with their
// slots.
template <class Index>
struct ReplicaArrays {
  SlotState* slots = nullptr;
  GridPoint* points = nullptr;               // n a cell
  typename Index::Count* counts = nullptr;   // m a cell
  typename Index::Count* pending = nullptr;  // m a slot; only where replicas do not fit into shared memory
  GridPoint* best = nullptr;                 // n a slot
};

struct DeviceRound {
  StreamKey key;
  std::int64_t first_step = 0, steps = 0;
  EnergyKind energy = EnergyKind::table;
  const std::int64_t* table = nullptr;
  const std::uint32_t* neg_log = nullptr;
};

// Dynamic shared memory of a team, in this order, each part at a multiple of 16 bytes.
struct TeamLayout {
  int exchange = 0, star_changes = 0, rings = 0, points = 0, counts = 0, pending = 0, bytes = 0;

  // `replica`: whether drawing and counts of 16 bits are in shared memory too.
  __host__ __device__ static TeamLayout of(std::int32_t n, std::int32_t m, int warps, bool replica) {
    TeamLayout layout;
    int at = kStarCapacity * static_cast<int>(sizeof(StarEdge));
    const auto take = [&](int& part, int bytes) {
      part = at;
      at += (bytes + 15) / 16 * 16;
    };
    take(layout.exchange, warps > 1 ? static_cast<int>(sizeof(TeamMemory)) : 0);
    take(layout.star_changes, kStarCapacity * static_cast<int>(sizeof(std::int32_t)));
    take(layout.rings, warps * kSieveRing * static_cast<int>(sizeof(std::int32_t)));
    take(layout.points, replica ? n * static_cast<int>(sizeof(GridPoint)) : 0);
    take(layout.counts, replica ? m * 2 : 0);
    take(layout.pending, replica ? m * 2 : 0);
    layout.bytes = at;
    return layout;
  }
};

// Block r runs round.steps proposals of slot r. InShared: drawing and counts are in shared memory during the
// round.
template <class Index, bool Exact, bool OneWarp, bool InShared>
__global__ void __launch_bounds__(OneWarp ? kWarpLanes : kMaxTeamLanes)
    run_kernel(const ProposalGraph graph, DirectArrays<Index> arrays, const ReplicaArrays<Index> replicas,
               const DeviceRound round) {
  using Count = typename Index::Count;
  extern __shared__ __align__(16) unsigned char memory[];
  const TeamLayout layout =
      TeamLayout::of(graph.n, graph.m, OneWarp ? 1 : static_cast<int>(blockDim.x) / kWarpLanes, InShared);
  const BlockTeam<OneWarp> team(reinterpret_cast<TeamMemory*>(memory + layout.exchange),
                                reinterpret_cast<std::int32_t*>(memory + layout.rings));
  const auto slot = static_cast<std::size_t>(blockIdx.x);
  SlotState& state = replicas.slots[slot];
  const auto cell = static_cast<std::size_t>(state.cell);
  GridPoint* const points = replicas.points + cell * static_cast<std::size_t>(graph.n);
  Count* const counts = replicas.counts + cell * static_cast<std::size_t>(graph.m);

  arrays.star = reinterpret_cast<StarEdge*>(memory);
  arrays.star_changes = reinterpret_cast<std::int32_t*>(memory + layout.star_changes);
  if constexpr (InShared) {
    arrays.points = reinterpret_cast<GridPoint*>(memory + layout.points);
    arrays.counts = reinterpret_cast<Count*>(memory + layout.counts);
    arrays.pending = reinterpret_cast<Count*>(memory + layout.pending);
    team.for_each(graph.n, [&](std::int32_t v) { arrays.points[v] = points[v]; });
    team.for_each(graph.m, [&](std::int32_t e) { arrays.counts[e] = counts[e]; });
  } else {
    arrays.points = points;
    arrays.counts = counts;
    arrays.pending = replicas.pending + slot * static_cast<std::size_t>(graph.m);
  }

  DirectCounter<Index, Exact, BlockTeam<OneWarp>> counter(arrays, team);
  counter.set_tuple(state.tuple);
  ChainScalars scalars = state.scalars;
  const ChainRound chain{round.key,         static_cast<std::uint32_t>(blockIdx.x),
                         round.first_step,  round.steps,
                         state.temperature, round.energy,
                         round.table,       round.neg_log};
  run_chain(graph, counter, team, chain, scalars, [&] {
    GridPoint* const best = replicas.best + slot * static_cast<std::size_t>(graph.n);
    team.for_each(graph.n, [&](std::int32_t v) { best[v] = arrays.points[v]; });
  });
  team.sync();  // every lane has read its state

  if constexpr (InShared) {
    team.for_each(graph.n, [&](std::int32_t v) { points[v] = arrays.points[v]; });
    team.for_each(graph.m, [&](std::int32_t e) { counts[e] = arrays.counts[e]; });
  }
  if (team.leader()) {
    state.scalars = scalars;
    state.tuple = counter.tuple();
  }
}

}  // namespace lcn
