#include "search/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "geometry/drawing_hash.hpp"
#include "layout/admission.hpp"
#include "layout/layout.hpp"
#include "search/backend.hpp"
#include "search/driver.hpp"
#include "search/population.hpp"
#include "search/search.hpp"
#include "search/starts.hpp"
#include "support/error.hpp"

namespace lcn {

const SolveBackend& cpu_backend() {
  static const SolveBackend backend = [] {
    SolveBackend cpu;
    cpu.population = [](const Graph& graph, const Grid& grid, int replicas, int threads) {
      return make_cpu_population(graph, grid, replicas, threads);
    };
    return cpu;
  }();
  return backend;
}

SolveOptions resolve_options_on(const SolveBackend& backend, const Graph& graph, const Grid& grid,
                                const LowerBound& bound, SolveOptions options) {
  if (backend.choose) backend.choose(graph, grid, bound, options);
  if (options.start == "auto") options.start = default_start(graph, grid, bound);
  if (options.search == "auto") options.search = default_search(graph, grid);
  if (options.replicas <= 0) options.replicas = default_replicas(graph, grid, options);
  return options;
}

SolveOptions resolve_options(const Graph& graph, const Grid& grid, const LowerBound& bound,
                             SolveOptions options) {
  return resolve_options_on(cpu_backend(), graph, grid, bound, std::move(options));
}

SolveResult solve(const SolveInput& input, const SolveOptions& options, const SolveCallbacks& callbacks) {
  return solve_on(cpu_backend(), input, options, callbacks);
}

SolveResult solve_on(const SolveBackend& backend, const SolveInput& input, const SolveOptions& given,
                     const SolveCallbacks& callbacks) {
  const UnitClock clock;
  const SolveOptions options = resolve_options_on(backend, input.graph, input.grid, input.bound, given);
  if (!options.time_limited && options.steps <= 0)
    throw usage_error("a unit without a time limit needs a number of steps (--steps)");
  const std::unique_ptr<Search> search = make_search(options.search);
  SolveResult result;
  const Starts starts = make_starts(backend, input, options, options.replicas * search->starts_per_replica(),
                                    clock, callbacks.stop);
  result.start_provider = starts.provider;
  result.start_sha256 = drawing_sha256(starts.drawings);
  result.schedule.push_back({-1, static_cast<std::int64_t>(starts.drawings.size()), 0, 0});

  const std::unique_ptr<Population> population =
      backend.population(input.graph, input.grid, options.replicas, options.threads);
  result.backend = population->backend();
  for (int r = 0; r < population->size(); ++r)
    population->load(r, starts.drawings[static_cast<std::size_t>(r) % starts.drawings.size()]);
  int best_slot = 0;
  for (int r = 1; r < population->size(); ++r)
    if (population->tuple(r) < population->tuple(best_slot)) best_slot = r;
  result.start = population->drawing(best_slot);
  result.initial = population->tuple(best_slot);

  std::vector<ScheduleRound> recorded;
  SolveInput task = input;
  if (input.replay) {
    for (const ScheduleRound& round : *input.replay)
      if (round.stage >= 0) recorded.push_back(round);
    task.replay = &recorded;
  }
  Driver driver(*population, starts.drawings, options, task, callbacks, clock, result);
  driver.set_algorithm(options.search);
  if (input.graph.m() > 0) search->run(driver, result);
  if (result.status.empty()) result.status = "ok";
  result.best = driver.best_drawing();
  result.claimed = driver.best();
  for (int r = 0; r < population->size(); ++r) {
    const ChainScalars& s = population->scalars(r);
    result.proposals_attempted += s.attempted;
    result.proposals_evaluated += s.evaluated;
    result.proposals_valid += s.valid;
    result.proposals_accepted += s.accepted;
  }
  result.state_sha256 = population_sha256(*population);
  result.wall_time = clock.seconds();
  return result;
}

}  // namespace lcn
