#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "bounds/lower_bound.hpp"
#include "io/contest_json.hpp"
#include "io/report.hpp"

namespace lcn {

// Whole searches until K is reached, beside the speed of their steps: faster steps can be worse search.
struct TargetPlan {
  std::int64_t target_K = 0;
  double budget = 10;  // seconds of each search
  int runs = 5;        // of each arm and instance, with seeds 1, 2, ...
  std::string start, search;
  std::uint64_t root_seed = 0;
  int threads = 1, cpu_replicas = 0, gpu_replicas = 0;  // 0: chosen by graph size
};

// The instances' bounds; to be called before anything is measured. Error(usage) for a target below an
// instance's proven bound and for a search that does not exist.
std::vector<LowerBound> check_target(const std::vector<Instance>& instances, const TargetPlan& plan);

// Adds every search to report.searches and its rates and times to report.metrics. Seeds run one after the
// other, the arms of a seed in turn, so that what changes with time hits all alike. `bounds` as check_target
// gave them.
void search_to_target(const std::vector<Instance>& instances, const std::vector<LowerBound>& bounds, bool gpu,
                      bool cpu, const TargetPlan& plan, BenchmarkReport& report);

}  // namespace lcn
