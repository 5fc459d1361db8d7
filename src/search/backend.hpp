#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "layout/layout.hpp"
#include "search/population.hpp"
#include "search/solve.hpp"

namespace lcn {

// What a machine offers to a unit. The search's decisions are the same on every backend; the real-valued
// layouts, and what `auto` stands for, may differ.
struct SolveBackend {
  std::string name = "cpu";
  int host_threads = 0;  // CPU threads for batched start drawings; 0: the unit's own
  // Makes the unit's replicas.
  std::function<std::unique_ptr<Population>(const Graph& graph, const Grid& grid, int replicas, int threads)>
      population;
  // Several layouts of one provider's spec at once, for starts request.index, request.index + 1, ...; nullopt
  // when this backend has nothing faster than the provider itself. May be empty. Not asked when only steps
  // limit the unit: its starts, and so its trajectory, are then those of the CPU.
  std::function<std::optional<std::vector<Layout>>(const std::string& spec, const LayoutRequest& request,
                                                   int count)>
      layouts;
  // How many layouts of a spec it can make within so many seconds; the batch is cut to that. May be empty:
  // any number.
  std::function<int(const std::string& spec, const Graph& graph, double seconds)> layouts_within;
  // Replaces what is `auto` (start, search) or 0 (replicas); what it leaves is the CPU's choice. May be
  // empty.
  std::function<void(const Graph& graph, const Grid& grid, const LowerBound& bound, SolveOptions& options)>
      choose;
};

const SolveBackend& cpu_backend();

// solve() on another backend. Same contract.
SolveResult solve_on(const SolveBackend& backend, const SolveInput& input, const SolveOptions& options,
                     const SolveCallbacks& callbacks = {});
SolveOptions resolve_options_on(const SolveBackend& backend, const Graph& graph, const Grid& grid,
                                const LowerBound& bound, SolveOptions options);

}  // namespace lcn
