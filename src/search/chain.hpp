#pragma once
#include <cstdint>

#include "crossings/tuple.hpp"
#include "random/philox.hpp"
#include "search/fixed_point.hpp"
#include "search/proposal.hpp"
#include "search/weight_table.hpp"
#include "support/host_device.hpp"

namespace lcn {

// One chain, written once for host and device over a team (search/team.hpp) and a crossing counter. Code here
// runs in every lane with equal values; only the team's and the counter's functions share work.
//
// The counter concept (BitCounter on the CPU, DirectCounter anywhere):
//   x(v), y(v), count(e), crosses(e, f)        the present drawing
//   evaluate(v, x, y) -> bool                  test a move; false: V1-V4 would break, nothing is pending
//   energy_change(table), pending_tuple()      of the pending move
//   commit(), discard()                        end it
//   tuple(), energy(table)                     of the present drawing
//   use_table(table)                           optional: the table of the moves to come

// What belongs to a replica beside its drawing; plain data, part of the trajectory (hashed, copied, sent
// between ranks).
struct ChainScalars {
  Tuple best;  // best tuple since load, and where it was found
  std::int64_t best_step = 0;
  Bandit vertex_bandit, position_bandit;
  std::int64_t attempted = 0, valid = 0, evaluated = 0, accepted = 0;
  std::int64_t family = 0;  // the ancestor at the start of annealing
};

// One round of one replica.
struct ChainRound {
  StreamKey key;
  std::uint32_t replica = 0;
  std::int64_t first_step = 0, steps = 0;
  bool ends = true;              // the bandits learn at the end of a round, not of its parts
  std::int64_t temperature = 0;  // units of 2^-20, see fixed_point.hpp
  EnergyKind energy = EnergyKind::table;
  const std::int64_t* table = nullptr;     // m + 1 weights
  const std::uint32_t* neg_log = nullptr;  // 257 entries
};

// exp-staged acceptance of the tuple (design section 5): K first, then n_K and Phi on a plateau, then C.
LCN_HD inline bool accept_tuple(const Tuple& now, const Tuple& next, std::int64_t neg_log_u,
                                std::int64_t temperature) {
  // A change d is accepted when d <= T * unit * (-ln u); temperature carries 20 fraction bits, neg_log_u 16.
  const std::int64_t threshold = (temperature * neg_log_u) >> 16;
  const std::int64_t K_change = next.K - now.K;
  if (K_change < 0) return true;
  if (K_change > 0) return K_change * kEnergyOne <= threshold;
  const std::int64_t unit = 2 * now.K - 1 > 1 ? 2 * now.K - 1 : 1;
  const std::int64_t plateau = unit * (next.n_K - now.n_K) + (next.Phi - now.Phi);
  if (plateau < 0) return true;
  // Compare with shifted-down fixed point: plateau values reach 2^40.
  const std::int64_t scaled = (threshold >> 10) * unit;  // units of 2^-10
  if (plateau > 0) return plateau < (std::int64_t{1} << 50) && (plateau << 10) <= scaled;
  const std::int64_t C_change = next.C - now.C;
  return C_change <= 0 || (C_change << 10) <= scaled;
}

// What came of one step that was drawn, tested and decided, but not committed.
struct alignas(8) StepOutcome {
  std::uint8_t vertex_arm = 0, position_arm = 0;
  bool moves = false;     // the proposal leaves its place
  bool valid = false;     // and keeps V1-V4
  bool accepted = false;  // the counter holds the pending move: commit() or discard() must follow
  bool improved = false;  // accepted, and the energy falls
};

// Draws, tests and decides the step; nothing of the drawing changes.
template <class Counter, class Team>
LCN_HD StepOutcome try_step(const ProposalGraph& graph, Counter& counter, const Team& team,
                            const ChainRound& round, const ChainScalars& scalars, std::int64_t step) {
  const StepDraws draws{round.key, round.replica, static_cast<std::uint64_t>(step)};
  const Draw4 first = draws.block(0);
  const std::int32_t vertex_arm = scalars.vertex_bandit.pick(first.w[0] >> 16);
  const std::int32_t position_arm = scalars.position_bandit.pick(first.w[0] & 0xffffu);
  StepOutcome outcome;
  outcome.vertex_arm = static_cast<std::uint8_t>(vertex_arm);
  outcome.position_arm = static_cast<std::uint8_t>(position_arm);
  const Proposal proposal = propose(graph, counter, team, draws, first, vertex_arm, position_arm);
  outcome.moves = proposal.moves;
  if (!proposal.moves) return outcome;
  outcome.valid = counter.evaluate(proposal.vertex, proposal.x, proposal.y);
  if (!outcome.valid) return outcome;
  bool improves;
  if (round.energy == EnergyKind::table) {
    const std::int64_t change = counter.energy_change(round.table);
    outcome.accepted = change <= acceptance_threshold(round.neg_log, first.w[2], round.temperature);
    improves = change < 0;
  } else {
    const Tuple now = counter.tuple(), next = counter.pending_tuple();
    outcome.accepted = accept_tuple(now, next, neg_log(round.neg_log, first.w[2]), round.temperature);
    improves = next < now;
  }
  outcome.improved = outcome.accepted && improves;
  if (!outcome.accepted) counter.discard();
  return outcome;
}

LCN_HD inline void tally(ChainScalars& scalars, const StepOutcome& outcome) {
  ++scalars.attempted;
  ++scalars.vertex_bandit.tried[outcome.vertex_arm];
  ++scalars.position_bandit.tried[outcome.position_arm];
  scalars.evaluated += outcome.moves ? 1 : 0;
  scalars.valid += outcome.valid ? 1 : 0;
  if (!outcome.accepted) return;
  ++scalars.accepted;
  if (!outcome.improved) return;
  ++scalars.vertex_bandit.improved[outcome.vertex_arm];
  ++scalars.position_bandit.improved[outcome.position_arm];
}

// Runs round.steps proposals. Same drawing, scalars and round -> same result for every team and counter.
// save_best() is called right after a commit that improved scalars.best; it must copy the counter's drawing.
template <class Counter, class Team, class SaveBest>
LCN_HD void run_chain(const ProposalGraph& graph, Counter& counter, const Team& team, const ChainRound& round,
                      ChainScalars& scalars, SaveBest&& save_best) {
  if constexpr (requires { counter.use_table(round.table); })
    counter.use_table(round.energy == EnergyKind::table ? round.table : nullptr);
  for (std::int64_t i = 0; i < round.steps; ++i) {
    const StepOutcome outcome = try_step(graph, counter, team, round, scalars, round.first_step + i);
    tally(scalars, outcome);
    if (!outcome.accepted) continue;
    counter.commit();
    if (counter.tuple() < scalars.best) {
      scalars.best = counter.tuple();
      scalars.best_step = round.first_step + i + 1;
      save_best();
    }
  }
  if (!round.ends) return;
  scalars.vertex_bandit.end_round();
  scalars.position_bandit.end_round();
}

}  // namespace lcn
