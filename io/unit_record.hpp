#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "crossings/tuple.hpp"
#include "geometry/point.hpp"

namespace lcn {

// One row of the archive's /runs and what hangs on it: what rank 0 verifies, and what a unit file stores.
// Plain data; field names are the archive's column names (docs/format.md).
struct TraceRow {
  double seconds = 0;
  std::int64_t step = 0, K = 0, n_K = 0, Phi = 0, C = 0;
};

struct ScheduleRow {
  std::int64_t stage = 0, steps = 0, temperature = 0, table_K = 0;
};

struct ReplicaRow {  // per-rung telemetry
  std::int64_t rung = 0;
  double temperature = 0;
  std::int64_t attempts_even = 0, accepts_even = 0, attempts_odd = 0, accepts_odd = 0;
  double rejection_rate = 0, hot_fraction = 0;
  std::int64_t round_trips = 0, families = 0;
};

struct UnitRecord {
  std::string unit;             // unit id, 16 hex digits
  std::string instance;         // instance name
  std::string instance_sha256;  // hex
  std::int64_t repetition = 1, root_seed = 0;
  std::string config;  // one-line JSON: all of the configuration that may change the result
  std::string status;  // ok, target, optimal, interrupted, failed, rejected
  std::string error;   // reason of failed or rejected, else empty
  // final and initial are verified by the oracle. In files, what a failed or rejected unit has not got is -1.
  Tuple final, initial, claimed;
  std::int64_t lower_bound = 0;
  std::string certificate;  // one-line JSON {rule, n, m, vertices}
  bool optimal = false;
  std::int64_t target_K = -1;  // -1: none
  bool target_reached = false;
  double time_to_target = 0;  // NaN when censored
  double time_to_best = 0;
  std::string best_stage;
  double wall_time = 0;
  std::int64_t proposals_attempted = 0, proposals_valid = 0, proposals_evaluated = 0, proposals_accepted = 0;
  std::int64_t replica_steps = 0, exchanges_attempted = 0, exchanges_accepted = 0, round_trips = 0;
  // Of ranks that shared the unit's replicas (1: none did), summed over them; exchange_time is rank 0's.
  std::int64_t ranks = 1, state_bytes = 0, exchange_bytes = 0, rank_exchanges = 0, migrations = 0;
  std::string channel = "none";  // none, mpi, nccl
  double exchange_time = 0;
  std::string backend, start_provider, start_sha256, state_sha256, device;
  std::int64_t rank = 0;
  std::string host;
  std::string provenance;  // key of the job's text in /provenance; set when the unit file is written
  std::string checksum;    // of the row and its tables; set when the unit file is written
  Drawing drawing;         // best; empty when failed
  std::vector<std::string> stages;
  std::vector<TraceRow> trace;
  std::vector<ScheduleRow> schedule;
  std::vector<ReplicaRow> replicas;
};

// How much a row is worth: 2 finished (ok, target, optimal), 1 interrupted, 0 failed or rejected.
int standing(const UnitRecord& row);
// Whether a clock could end the unit; if not, its result is a function of seed and configuration only.
bool time_limited(const std::string& config);

// The unit id: first 16 hex digits of a sha256 over all that may change the result (docs/format.md).
std::string unit_id_of(const std::string& instance_sha256, std::uint64_t root_seed, std::int64_t repetition,
                       const std::string& config);

// For transport between ranks: a self-describing byte string (CBOR). from_bytes throws Error(internal) when
// it is cut.
std::string to_bytes(const UnitRecord& record);
UnitRecord record_from_bytes(const std::string& bytes);

}  // namespace lcn
