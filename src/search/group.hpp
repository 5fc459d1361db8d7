#pragma once
#include <cstdint>

#include "search/chain.hpp"
#include "support/host_device.hpp"

namespace lcn {

// Speculative execution of one chain. A rejected proposal leaves drawing, counts and bandit weights as they
// were, so the steps up to the next accepted one can be tested at the same time, against the same base. An
// epoch: the members of a group, each a team with its own counter over the shared drawing and counts, take
// the next steps in order, one after another, until one of them accepts; of all that accepted the lowest step
// commits, the steps up to it count as executed, and the next epoch begins behind it. What was tested beyond
// is forgotten and tested again. So the trajectory is that of run_chain() bit for bit, for any number of
// members and any timing between them.
//
// The group concept (HostGroup in search/host_group.hpp; kernels/search/block_group.cuh is the device's):
//   use_table(table)             of every member's counter
//   walk(limit, step) -> lowest  members call step(counter, team, i) for i = 0, 1, ... each once, in this
//   order of beginning,
//                                up to `limit` (not included) or until an accepted i is known; returns the
//                                lowest accepted i, or `limit`. Every i up to the result has ended, and its
//                                member still holds the move.
//   outcome(i)                   of i up to walk()'s result, until finish()
//   finish(lowest, accepted)     commits the move of step `lowest` if `accepted`; all members' counters know
//   the new tuple tuple()                      of the present drawing

inline constexpr std::int32_t kEpochSteps = 64;  // at most; members wait for each other at its end

// run_chain() over a group.
template <class Group, class SaveBest>
LCN_HD void run_chain_group(const ProposalGraph& graph, Group& group, const ChainRound& round,
                            ChainScalars& scalars, SaveBest&& save_best) {
  group.use_table(round.energy == EnergyKind::table ? round.table : nullptr);
  for (std::int64_t done = 0; done < round.steps;) {
    const std::int64_t base = round.first_step + done, left = round.steps - done;
    const std::int32_t limit = left < kEpochSteps ? static_cast<std::int32_t>(left) : kEpochSteps;
    const std::int32_t lowest = group.walk(limit, [&](auto& counter, const auto& team, std::int32_t i) {
      return try_step(graph, counter, team, round, scalars, base + i);
    });
    const bool accepted = lowest < limit;
    const std::int32_t executed = accepted ? lowest + 1 : limit;
    for (std::int32_t i = 0; i < executed; ++i) tally(scalars, group.outcome(i));
    group.finish(lowest, accepted);
    done += executed;
    if (accepted && group.tuple() < scalars.best) {
      scalars.best = group.tuple();
      scalars.best_step = round.first_step + done;
      save_best();
    }
  }
  if (!round.ends) return;
  scalars.vertex_bandit.end_round();
  scalars.position_bandit.end_round();
}

}  // namespace lcn
