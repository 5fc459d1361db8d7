#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/contest_json.hpp"
#include "io/unit_record.hpp"
#include "search/replica_channel.hpp"
#include "search/solve.hpp"

namespace lcn {

// The algorithm that runs a unit: `solve`, or a pretended one in tests.
using SolveFunction =
    std::function<SolveResult(const SolveInput&, const SolveOptions&, const SolveCallbacks&)>;

// All that a rank needs besides the instance to run one unit.
struct UnitTask {
  std::string unit;             // id
  std::string instance_sha256;  // hex
  std::int64_t repetition = 1;
  std::uint64_t root_seed = 0;
  std::string config;  // the unit's config column
  SolveOptions options;
  LowerBound bound;
  std::vector<Drawing> warm_starts;
  std::vector<ScheduleRound> replay;  // not empty: repeat these rounds
  std::string checkpoint;             // not empty: go on from here
  // All ranks compute this unit together, over this channel (mpi or nccl). Numbers grow from unit to unit.
  bool shared = false;
  std::string channel = "mpi";
  std::int64_t number = 0;
};
std::string to_bytes(const UnitTask& task);
UnitTask task_from_bytes(const std::string& bytes);  // Error(internal) when cut

// What comes back: the record with claimed values, the start drawing that rank 0 needs to verify `initial`,
// and what an interrupted unit needs to go on.
struct UnitOutcome {
  UnitRecord record;
  Drawing start;
  std::string checkpoint = {};
};
std::string to_bytes(const UnitOutcome& outcome);
UnitOutcome outcome_from_bytes(const std::string& bytes);

std::string to_bytes(const Drawing& drawing);
Drawing drawing_from_bytes(const std::string& bytes);

// The instance as it travels: name, path and text; parsed anew where it arrives.
std::string to_bytes(const Instance& instance);
Instance instance_from_bytes(const std::string& bytes);

// Runs the unit on this thread. An error inside becomes a record of status `failed` with the reason; only
// Error(environment) is thrown. `final` and `initial` are filled later, by the verifier.
// `channel` joins the ranks that compute the unit together; null when it is this rank's alone.
UnitOutcome run_unit(const UnitTask& task, const Instance& instance, const SolveFunction& solve,
                     const SolveCallbacks& callbacks, ReplicaChannel* channel = nullptr);

// A record with the identity of the task and nothing else.
UnitRecord record_of(const UnitTask& task, const Instance& instance);

}  // namespace lcn
