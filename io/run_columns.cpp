#include "io/run_columns.hpp"

namespace lcn {
namespace {

template <class Record>
auto& integer_in(const RunMember& member, Record& record) {
  if (const auto* in_tuple = std::get_if<TupleMember>(&member))
    return record.*(in_tuple->tuple).*(in_tuple->member);
  return record.*std::get<std::int64_t UnitRecord::*>(member);
}

std::vector<RunColumn> make_columns() {
  using R = UnitRecord;
  const auto of = [](Tuple R::*tuple, std::int64_t Tuple::*member) { return TupleMember{tuple, member}; };
  return {
      {"unit", "", "unit id: hash of instance, seeds and configuration", &R::unit},
      {"instance", "", "instance name", &R::instance},
      {"instance_sha256", "", "sha256 of the instance file; key in /instances", &R::instance_sha256},
      {"repetition", "1", "repetition: the value in --seeds", &R::repetition},
      {"root_seed", "1", "root seed: --root-seed", &R::root_seed},
      {"config", "", "all of the configuration that may change the result, as JSON", &R::config},
      {"status", "", "ok, target, optimal, interrupted, failed or rejected", &R::status},
      {"error", "", "reason of a failed or rejected unit, else empty", &R::error},
      {"K", "crossings", "most crossings on one edge, verified; -1 when failed", of(&R::final, &Tuple::K)},
      {"n_K", "edges", "edges with K crossings (0 when K = 0), verified; -1 when failed",
       of(&R::final, &Tuple::n_K)},
      {"Phi", "crossings^2", "sum over edges of squared crossings, verified; -1 when failed",
       of(&R::final, &Tuple::Phi)},
      {"C", "crossings", "crossings of the drawing, verified; -1 when failed", of(&R::final, &Tuple::C)},
      {"initial_K", "crossings", "K of the start drawing, verified; -1 when there was none",
       of(&R::initial, &Tuple::K)},
      {"initial_n_K", "edges", "n_K of the start drawing, verified; -1 when there was none",
       of(&R::initial, &Tuple::n_K)},
      {"initial_Phi", "crossings^2", "Phi of the start drawing, verified; -1 when there was none",
       of(&R::initial, &Tuple::Phi)},
      {"initial_C", "crossings", "C of the start drawing, verified; -1 when there was none",
       of(&R::initial, &Tuple::C)},
      {"claimed_K", "crossings", "K as the search reported it (diagnostic); -1 when nothing was reported",
       of(&R::claimed, &Tuple::K)},
      {"claimed_n_K", "edges", "n_K as the search reported it (diagnostic); -1 when nothing was reported",
       of(&R::claimed, &Tuple::n_K)},
      {"claimed_Phi", "crossings^2",
       "Phi as the search reported it (diagnostic); -1 when nothing was reported",
       of(&R::claimed, &Tuple::Phi)},
      {"claimed_C", "crossings", "C as the search reported it (diagnostic); -1 when nothing was reported",
       of(&R::claimed, &Tuple::C)},
      {"lower_bound", "crossings", "no drawing of the graph has a smaller K", &R::lower_bound},
      {"certificate", "",
       "proof of lower_bound: {rule, n, m, vertices} as JSON; long vertex lists only in /instances",
       &R::certificate},
      {"optimal", "1", "K equals lower_bound", &R::optimal},
      {"target_K", "crossings", "target of the run; -1 for none", &R::target_K},
      {"target_reached", "1", "K <= target_K was reached; FALSE when censored", &R::target_reached},
      {"time_to_target", "s", "time from the unit's start to the target; NaN when censored",
       &R::time_to_target},
      {"time_to_best", "s", "time from the unit's start to the final drawing", &R::time_to_best},
      {"best_stage", "", "stage of the search that found the final drawing", &R::best_stage},
      {"wall_time", "s", "time from the unit's start to its result", &R::wall_time},
      {"proposals_attempted", "proposals", "proposals drawn", &R::proposals_attempted},
      {"proposals_valid", "proposals", "proposals that moved a vertex and kept V1-V4", &R::proposals_valid},
      {"proposals_evaluated", "proposals", "proposals whose crossings were counted", &R::proposals_evaluated},
      {"proposals_accepted", "proposals", "proposals accepted", &R::proposals_accepted},
      {"replica_steps", "steps", "steps summed over replicas", &R::replica_steps},
      {"exchanges_attempted", "exchanges", "replica exchanges attempted", &R::exchanges_attempted},
      {"exchanges_accepted", "exchanges", "replica exchanges accepted", &R::exchanges_accepted},
      {"round_trips", "1", "round trips of replicas between the ends of the ladder", &R::round_trips},
      {"ranks", "1", "ranks that shared the unit's replicas", &R::ranks},
      {"channel", "", "how these ranks exchanged replicas: none, mpi or nccl", &R::channel},
      {"state_bytes", "bytes", "size of a replica's state as it is sent; 0 when none was", &R::state_bytes},
      {"exchange_bytes", "bytes",
       "states sent, summed over ranks: (2 rank_exchanges + migrations) state_bytes", &R::exchange_bytes},
      {"rank_exchanges", "exchanges", "accepted exchanges of states between ranks", &R::rank_exchanges},
      {"migrations", "copies", "replicas copied from one rank to another", &R::migrations},
      {"exchange_time", "s", "time that rank 0 spent in exchanges between ranks, waiting included",
       &R::exchange_time},
      {"backend", "", "what computed the unit: cpu or gpu", &R::backend},
      {"start_provider", "", "what made the start drawing, with its parameters", &R::start_provider},
      {"start_sha256", "", "sha256 of the admitted start drawings", &R::start_sha256},
      {"state_sha256", "", "sha256 of the final state of all replicas", &R::state_sha256},
      {"device", "", "name of the processor or GPU", &R::device},
      {"rank", "1", "rank that computed the unit", &R::rank},
      {"host", "", "host that computed the unit", &R::host},
      {"provenance", "", "key of the job's text in /provenance", &R::provenance},
      {"checksum", "",
       "set of columns, and sha256 of the row with drawing and tables, in lcn's own coding; empty in older "
       "files",
       &R::checksum},
  };
}

}  // namespace

std::int64_t RunColumn::integer(const UnitRecord& record) const {
  return integer_in(member, record);
}
std::int64_t& RunColumn::integer(UnitRecord& record) const {
  return integer_in(member, record);
}

const std::vector<RunColumn>& run_columns() {
  static const std::vector<RunColumn> columns = make_columns();
  return columns;
}

}  // namespace lcn
