#pragma once
#include <cstdint>

#include "crossings/direct_counter.hpp"
#include "kernels/search/block_group.cuh"
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
  bool ends = true;
  std::uint32_t first_replica = 0;
  EnergyKind energy = EnergyKind::table;
  const std::int64_t* table = nullptr;
  const std::uint32_t* neg_log = nullptr;
};

// Dynamic shared memory of a block, each part at a multiple of 16 bytes. What belongs to a member of a group
// is there once for each, one member's after another's.
struct BlockLayout {
  int group = 0, exchange = 0, star = 0, star_changes = 0, rings = 0, points = 0, counts = 0, pending = 0,
      bytes = 0;
  int count_bytes = 0;  // of one array of counts

  // A block of `members` teams of `warps`, one team a member. `replica`: whether drawing and counts of 16
  // bits are in shared memory too.
  __host__ __device__ static BlockLayout of(std::int32_t n, std::int32_t m, int warps, int members,
                                            bool replica) {
    BlockLayout layout;
    int at = 0;
    const auto take = [&](int& part, int bytes) {
      part = at;
      at += (bytes + 15) / 16 * 16;
    };
    layout.count_bytes = replica ? (m * 2 + 15) / 16 * 16 : 0;
    take(layout.group, members > 1 ? static_cast<int>(sizeof(GroupMemory)) : 0);
    take(layout.exchange, warps > 1 ? members * static_cast<int>(sizeof(TeamMemory)) : 0);
    take(layout.star, members * kStarCapacity * static_cast<int>(sizeof(StarEdge)));
    take(layout.star_changes, members * kStarCapacity * static_cast<int>(sizeof(std::int32_t)));
    take(layout.rings, members * warps * kSieveRing * static_cast<int>(sizeof(std::int32_t)));
    take(layout.points, replica ? n * static_cast<int>(sizeof(GridPoint)) : 0);
    take(layout.counts, layout.count_bytes);
    take(layout.pending, members * layout.count_bytes);
    layout.bytes = at;
    return layout;
  }
};

// Block r runs round.steps proposals of slot r, by one team (Scope warp or block: members = 1) or by a group
// of `members` teams (Grouped; Scope warp or part). InShared: drawing and counts are in shared memory during
// the round; groups need that.
template <class Index, bool Exact, TeamScope Scope, bool Grouped, bool InShared>
__global__ void __launch_bounds__(Scope == TeamScope::warp && !Grouped ? kWarpLanes : kMaxTeamLanes)
    run_kernel(const ProposalGraph graph, DirectArrays<Index> arrays, const ReplicaArrays<Index> replicas,
               const DeviceRound round, const int members) {
  static_assert(!Grouped || InShared, "the members' pending counts are in shared memory");
  using Count = typename Index::Count;
  using Team = BlockTeam<Scope>;
  extern __shared__ __align__(16) unsigned char memory[];
  const int lanes = static_cast<int>(blockDim.x) / (Grouped ? members : 1), warps = lanes / kWarpLanes;
  const int member = Grouped ? static_cast<int>(threadIdx.x) / lanes : 0;
  const BlockLayout layout = BlockLayout::of(graph.n, graph.m, warps, Grouped ? members : 1, InShared);
  const Team team(reinterpret_cast<TeamMemory*>(memory + layout.exchange) + member,
                  reinterpret_cast<std::int32_t*>(memory + layout.rings) + member * warps * kSieveRing,
                  member, lanes);
  // For what the whole block does, whatever its parts.
  const BlockTeam<Scope == TeamScope::warp && !Grouped ? TeamScope::warp : TeamScope::block> block(nullptr);
  const auto slot = static_cast<std::size_t>(blockIdx.x);
  SlotState& state = replicas.slots[slot];
  const auto cell = static_cast<std::size_t>(state.cell);
  GridPoint* const points = replicas.points + cell * static_cast<std::size_t>(graph.n);
  Count* const counts = replicas.counts + cell * static_cast<std::size_t>(graph.m);

  arrays.star = reinterpret_cast<StarEdge*>(memory + layout.star) + member * kStarCapacity;
  arrays.star_changes =
      reinterpret_cast<std::int32_t*>(memory + layout.star_changes) + member * kStarCapacity;
  if constexpr (InShared) {
    arrays.points = reinterpret_cast<GridPoint*>(memory + layout.points);
    arrays.counts = reinterpret_cast<Count*>(memory + layout.counts);
    arrays.pending = reinterpret_cast<Count*>(memory + layout.pending + member * layout.count_bytes);
    block.for_each(graph.n, [&](std::int32_t v) { arrays.points[v] = points[v]; });
    block.for_each(graph.m, [&](std::int32_t e) { arrays.counts[e] = counts[e]; });
  } else {
    arrays.points = points;
    arrays.counts = counts;
    arrays.pending = replicas.pending + slot * static_cast<std::size_t>(graph.m);
  }

  DirectCounter<Index, Exact, Team> counter(arrays, team);
  counter.set_tuple(state.tuple);
  ChainScalars scalars = state.scalars;
  const ChainRound chain{round.key,        round.first_replica + blockIdx.x,
                         round.first_step, round.steps,
                         round.ends,       state.temperature,
                         round.energy,     round.table,
                         round.neg_log};
  const auto save_best = [&] {
    GridPoint* const best = replicas.best + slot * static_cast<std::size_t>(graph.n);
    block.for_each(graph.n, [&](std::int32_t v) { best[v] = arrays.points[v]; });
  };
  if constexpr (Grouped) {
    BlockGroup<DirectCounter<Index, Exact, Team>, Team> group(
        reinterpret_cast<GroupMemory*>(memory + layout.group), counter, team);
    run_chain_group(graph, group, chain, scalars, save_best);
  } else {
    run_chain(graph, counter, team, chain, scalars, save_best);
  }
  block.sync();  // every lane has read its state

  if constexpr (InShared) {
    block.for_each(graph.n, [&](std::int32_t v) { points[v] = arrays.points[v]; });
    block.for_each(graph.m, [&](std::int32_t e) { counts[e] = arrays.counts[e]; });
  }
  if (block.leader()) {
    state.scalars = scalars;
    state.tuple = counter.tuple();
  }
}

}  // namespace lcn
