#pragma once
#include <optional>
#include <string>
#include <vector>

#include "search/backend.hpp"
#include "search/driver.hpp"
#include "search/solve.hpp"

namespace lcn {

// The admitted start drawings of a unit: slot r of the population begins at drawings[r % size].
struct Starts {
  std::vector<Drawing> drawings;  // at least one, all valid
  std::string provider;           // what made them
  bool cut = false;               // `stop` ended the list early
  bool quick = false;             // made because the time was over: a replay makes it again
};

// options.start is one provider's spec or several joined by '+', each asked in turn; at most `most` starts,
// and at most kMostStarts.
// In time mode further starts are made only while they fit a sixth of the budget (a replay takes the recorded
// number). Warm starts replace providers. A provider that does not apply is passed over unless it is the only
// one. Backends with batched layouts make up to kMostStarts at once. A planar graph's planar drawing
// ends the list: K = 0. `stop` ends the list after the first
// start. When the time is over before there is any, a quick one is made (snake), which a replay repeats; when
// `stop` turns true before, Stopped is thrown: providers look every iteration, admission several times a
// second. Throws Error(unit) when no valid start is found, not even the quick one until
// latest_first_drawing(), and at once when the grid has too few points.
Starts make_starts(const SolveBackend& backend, const SolveInput& input, const SolveOptions& options,
                   int most, const UnitClock& clock, const std::function<bool()>& stop = {});

// The batched layouts of ranks that share a unit (input.channel): each rank makes and admits a band of them,
// so that within the same sixth there are more of them, or less of it is used. The same drawings on every
// rank, whatever the band. Called on all ranks; nullopt on all where there is no batch (no time limit,
// several providers, a replay, warm starts, a provider without batches) or where the time was over before it
// was made: one rank then makes the starts. Stopped on all when `stop` came on one. Error(unit) when no
// rank finds a valid start.
std::optional<Starts> share_starts(const SolveBackend& backend, const SolveInput& input,
                                   const SolveOptions& options, int most, const UnitClock& clock,
                                   const std::function<bool()>& stop = {});

// Why make_starts finds none whatever the seed, as far as that is known beforehand: more vertices than points
// of the grid, or an obstacle for each provider of `start`. Empty when nothing is known. Error(usage) for an
// unknown provider.
std::string start_obstacle(const Graph& graph, const Grid& grid, const Drawing* input,
                           const std::string& start);

inline constexpr int kMostStarts = 512;

// Without a drawing that is admitted and counted a unit has no result. From now on, or from the end of its
// time, it may take this long (seconds of the clock) for such a step: a sixth of the budget and 5 s.
double latest_first_drawing(const SolveOptions& options, const UnitClock& clock);

// What `auto` means, from graph size, density, degree, grid and budget; the evidence is in docs/decisions.md.
std::string default_start(const Graph& graph, const Grid& grid, const LowerBound& bound);
std::string default_search(const Graph& graph, const Grid& grid);
int default_replicas(const Graph& graph, const Grid& grid, const SolveOptions& options);

}  // namespace lcn
