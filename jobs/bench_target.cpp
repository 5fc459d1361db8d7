#include "jobs/bench_target.hpp"

#include <fmt/format.h>

#include "bounds/lower_bound.hpp"
#include "jobs/backends.hpp"
#include "search/search.hpp"
#include "search/solve.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

BenchmarkSearch run_search(const Instance& instance, const LowerBound& bound, const std::string& device,
                           std::int64_t seed, const TargetPlan& plan) {
  SolveOptions options;
  options.time = plan.budget;
  options.replicas = device == "gpu" ? plan.gpu_replicas : plan.cpu_replicas;
  options.threads = plan.threads;
  options.start = plan.start;
  options.search = plan.search;
  options.device = device;
  options.target_K = plan.target_K;
  const SolveInput input{.graph = instance.graph,
                         .grid = instance.grid,
                         .input = instance.drawing ? &*instance.drawing : nullptr,
                         .seed = {plan.root_seed, instance.hash, static_cast<std::uint64_t>(seed)},
                         .bound = bound,
                         .warm_starts = {},
                         .checkpoint = {}};
  const std::int64_t replicas =
      resolve_options_on(backend_of(device), instance.graph, instance.grid, bound, options).replicas;
  const SolveResult result = solve_on(backend_of(device), input, options, {});
  BenchmarkSearch search;
  search.arm = device + "/" + instance.name;
  search.seed = seed;
  search.reached = result.target_reached && result.time_to_target <= plan.budget;
  search.seconds = search.reached ? result.time_to_target : plan.budget;
  search.wall_seconds = result.wall_time;
  search.K = result.claimed.K;
  search.proposals_attempted = result.proposals_attempted;
  search.proposals_valid = result.proposals_valid;
  search.proposals_accepted = result.proposals_accepted;
  search.replica_steps = result.replica_steps;
  search.chain_steps = result.replica_steps / replicas;
  search.exchanges_attempted = result.exchanges_attempted;
  search.round_trips = result.round_trips;
  return search;
}

}  // namespace

std::vector<LowerBound> check_target(const std::vector<Instance>& instances, const TargetPlan& plan) {
  if (plan.search != "auto") make_search(plan.search);
  std::vector<LowerBound> bounds;
  for (const Instance& instance : instances) {
    bounds.push_back(lower_bound(instance.graph));
    if (plan.target_K < bounds.back().value)
      throw usage_error(fmt::format("--target {}: the proven bound of {} is {} (no drawing reaches it)",
                                    plan.target_K, instance.name, bounds.back().value));
  }
  return bounds;
}

void search_to_target(const std::vector<Instance>& instances, const std::vector<LowerBound>& bounds, bool gpu,
                      bool cpu, const TargetPlan& plan, BenchmarkReport& report) {
  report.searches = BenchmarkSearches{plan.target_K, plan.budget, plan.start, plan.search, {}};
  for (std::int64_t seed = 1; seed <= plan.runs; ++seed)
    for (std::size_t i = 0; i < instances.size(); ++i) {
      if (gpu) report.searches->runs.push_back(run_search(instances[i], bounds[i], "gpu", seed, plan));
      if (cpu) report.searches->runs.push_back(run_search(instances[i], bounds[i], "cpu", seed, plan));
    }
  for (const SearchesOfArm& arm : searches_by_arm(*report.searches)) {
    const auto metric = [&](const char* name, double value) {
      report.metrics.push_back({fmt::format("{}/{}", name, arm.name), value});
    };
    metric("searches", static_cast<double>(arm.runs));
    metric("searches_reached", static_cast<double>(arm.reached));
    if (arm.time.median) metric("time_to_target_median_s", *arm.time.median);
  }
}

}  // namespace lcn
