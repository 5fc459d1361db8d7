#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bounds/lower_bound.hpp"
#include "geometry/point.hpp"
#include "search/solve.hpp"

namespace lcn {

// Raised by hand whenever the same configuration and seed give another result than before: units of different
// versions are different units.
inline constexpr int kAlgorithmVersion = 1;

// All of the configuration that may change a result, as asked for; the same for every unit of a run. Threads,
// ranks and hosts are not in it.
struct Configuration {
  std::uint64_t root_seed = 0;
  std::optional<double> time{};         // seconds
  std::optional<std::int64_t> steps{};  // proposals per replica
  int replicas = 0;                     // 0: chosen by graph size
  std::string start = "auto";           // warm starts: "file:SHA256" or "archive:SHA256", by content
  std::string search = "auto";
  std::optional<std::int64_t> target_K{};
  std::string backend = "cpu";  // part of the identity in time mode only
  bool shared = false;          // ranks share each unit's replicas; likewise
  int algorithm_version = kAlgorithmVersion;

  // The `config` column: one line of JSON, keys in alphabetical order.
  std::string json() const;
};
Configuration configuration_from_json(
    const std::string& text);  // Error(input) for anything that json() did not write

// First 16 hex digits of the sha256 over a text of all fields of the configuration, the instance and the
// repetition.
std::string unit_id(const Configuration& configuration, const std::string& instance_sha256,
                    std::int64_t repetition);

struct PlannedInstance {
  std::string name, path, sha256;
  std::int64_t n = 0, m = 0;
  Grid grid{};
  LowerBound bound{};       // computed once, kept here
  SolveOptions resolved{};  // what auto stands for: start, search, replicas
};

struct PlannedUnit {
  std::string id;
  std::size_t instance = 0;  // index into Plan::instances
  std::int64_t repetition = 1;
};

// RUN/plan.json (docs/format.md): what a run consists of, in the order in which units are handed out.
struct Plan {
  Configuration configuration;
  std::vector<PlannedInstance> instances;
  std::vector<PlannedUnit> units;

  // Adds the units of these repetitions for the instances given by index, by seed, then by instance, so that
  // an early end leaves whole seeds. Units that are there already keep their place. Returns the indices of
  // all units asked for, in that order.
  std::vector<std::size_t> add(const std::vector<std::size_t>& instances,
                               const std::vector<std::int64_t>& repetitions);
  std::optional<std::size_t> find_instance(const std::string& sha256) const;
};

std::string plan_json(const Plan& plan);
// `place` names the file in errors. Error(input) for broken JSON, another schema_version or missing keys.
Plan parse_plan(const std::string& text, const std::string& place);

// Throws Error(usage) naming the first field that differs: a run has one configuration.
void require_same(const Configuration& stored, const Configuration& asked, const std::string& folder);

// One line of JSON {rule, n, m, vertices}: the `certificate` column.
std::string certificate_json(const Certificate& certificate);

}  // namespace lcn
