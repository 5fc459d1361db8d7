#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bounds/lower_bound.hpp"
#include "crossings/tuple.hpp"
#include "geometry/point.hpp"
#include "graph/graph.hpp"
#include "random/stream.hpp"

namespace lcn {

// The resolved configuration of one unit: everything but threads may change the result.
struct SolveOptions {
  double time = 60;  // seconds of wall clock from start drawing to result
  std::int64_t steps =
      0;  // proposals per replica; 0: no limit of steps. Whichever of time and steps comes first
  bool time_limited =
      true;          // false: only steps end the unit (the result is then a pure function of the seed)
  int replicas = 0;  // total per unit; 0: chosen by graph size (never by threads)
  int ranks = 1;     // that share the unit's replicas
  int threads = 1;   // CPU threads that share the unit's replicas; no influence on a result by steps
  std::string start = "auto";            // a start provider's spec (layout/layout.hpp) or auto: the portfolio
  std::string search = "auto";           // a search's spec (search/factory.cpp) or auto
  std::string device = "cpu";            // cpu | gpu, resolved
  std::optional<std::int64_t> target_K;  // stop as soon as K <= target
  int gpu_team = 0, gpu_group = 0;       // how a GPU takes a replica: lanes of a team, teams; no influence
};

struct Improvement {
  double seconds = 0;     // since the unit's start
  std::int64_t step = 0;  // proposals per replica so far
  std::string stage;
  Tuple tuple;  // claimed
};

// What ran in one round: enough, with the start drawings and the seed, to repeat it exactly.
struct ScheduleRound {
  std::int64_t stage = 0;        // index into SolveResult::stages
  std::int64_t steps = 0;        // proposals per replica
  std::int64_t temperature = 0;  // fixed point (search/fixed_point.hpp)
  std::int64_t table_K = 0;      // K of the weight table
};

// One rung of a tempering ladder, or one island of annealing.
struct RungTelemetry {
  std::int64_t rung = 0;
  double temperature = 0;
  std::int64_t attempts_even = 0, accepts_even = 0, attempts_odd = 0, accepts_odd = 0;
  double rejection_rate = 0;
  double hot_fraction = 0;  // share of visits by replicas last seen at the hot end
  std::int64_t round_trips = 0;
  std::int64_t families = 0;  // annealing: distinct ancestors alive at the end
};

// What ranks that share a unit sent each other, summed over ranks: bytes = (2 * accepted exchanges between
// ranks + migrations) * state_bytes, counted where they are sent.
struct ExchangeTraffic {
  int ranks = 1;
  std::string channel = "none";
  std::int64_t state_bytes = 0, bytes = 0;
  std::int64_t exchanges = 0, migrations = 0;  // between ranks
  double seconds = 0;                          // that rank 0 spent in the channel, waiting included
};

struct SolveResult {
  std::string status;      // ok, target, optimal, interrupted
  Drawing start, best;     // empty when the unit was interrupted before its search began
  Tuple initial, claimed;  // of start and best, by the fast path
  std::vector<std::string> stages;
  std::string best_stage;
  std::vector<Improvement> trace;
  std::vector<ScheduleRound> schedule;
  std::vector<RungTelemetry> rungs;
  double time_to_best = 0, wall_time = 0;
  double time_to_target = 0;  // meaningful when target_reached
  bool target_reached = false;
  std::int64_t proposals_attempted = 0, proposals_valid = 0, proposals_evaluated = 0, proposals_accepted = 0;
  std::int64_t replica_steps = 0, exchanges_attempted = 0, exchanges_accepted = 0, round_trips = 0;
  std::string start_provider;  // what made the start drawing, with its parameters
  std::string backend;         // "cpu"
  Sha256 start_sha256{};       // of the admitted start drawings (int32 x, y pairs, little-endian, in order)
  Sha256 state_sha256{};       // of the final state of all replicas: equal states, equal trajectories
  std::string checkpoint;  // of an interrupted unit, rank 0 only: all that is needed to go on; empty when it
                           // was interrupted before its start drawings were complete or, when it goes on
                           // from a checkpoint, before they were counted
  ExchangeTraffic traffic;
};

struct SolveCallbacks {
  // Asked at round boundaries, between iterations of a layout, and several times a second while drawings are
  // admitted and counted; true ends the unit with status interrupted.
  std::function<bool()> stop;
  // Called at round boundaries from the calling thread when the best tuple improved.
  std::function<void(const Tuple&, const Drawing&, const Improvement&)> improved;
  // Called after each part of a round, before ranks that share the unit meet. What it throws fails the unit.
  std::function<void()> between_rounds;
};

class ReplicaChannel;

struct SolveInput {
  const Graph& graph;
  Grid grid;
  const Drawing* input = nullptr;  // coordinates of the file, if any
  SeedPath seed;
  LowerBound bound;                                    // K = bound.value ends the unit as optimal
  std::vector<Drawing> warm_starts;                    // from file: or archive:, used instead of a provider
  const std::vector<ScheduleRound>* replay = nullptr;  // repeat exactly these rounds
  std::string checkpoint = {};  // not empty: go on where SolveResult::checkpoint was taken
  // Not null: this rank is one of several that call with the same input and options and share the unit's
  // replicas (search/replica_channel.hpp); all get the same result.
  ReplicaChannel* channel = nullptr;
};

// Runs one unit on the CPU (search/backend.hpp: on others). Same admitted start, seed and steps -> same
// trajectory for every number of threads. Throws Error(unit) when no valid drawing is found, Error(usage) for
// an unknown spec.
SolveResult solve(const SolveInput& input, const SolveOptions& options, const SolveCallbacks& callbacks = {});

// What `auto` stands for on this graph, for --dry-run and the archive: the explicit start and search specs
// and replicas.
SolveOptions resolve_options(const Graph& graph, const Grid& grid, const LowerBound& bound,
                             SolveOptions options);

struct SearchInfo {
  std::string name, description, parameters;
};
const std::vector<SearchInfo>& searches();  // for --help

}  // namespace lcn
