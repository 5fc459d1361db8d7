#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobs/plan.hpp"
#include "jobs/study_file.hpp"

namespace lcn {

struct StudyInstance {
  std::string name, path, sha256;
  std::int64_t n = 0, m = 0, lower_bound = 0;
  std::optional<std::int64_t> target;  // K that counts as success, fixed before the study runs
};

// One unit of the study, in the order in which units are handed out.
struct StudyUnit {
  std::size_t pair = 0;           // the units of one instance and seed share it
  std::size_t configuration = 0;  // index into StudyManifest::configurations
  std::size_t instance = 0;       // index into StudyManifest::instances
  std::int64_t repetition = 1;
  std::string id;
  friend bool operator==(const StudyUnit&, const StudyUnit&) = default;
};

// What `auto` stands for in one configuration on one instance.
struct ResolvedMethod {
  std::string start, search;
  int replicas = 0;
  std::string start_sha256{};  // of the drawing of file: or archive: from which all its units start
};

struct ManifestConfiguration {
  std::string name;
  Configuration configuration;
  std::vector<ResolvedMethod> resolved;  // by instance
};

// STUDY/manifest.json (docs/studies.md): all that is fixed before the first unit runs.
struct StudyManifest {
  std::string name, question, hypothesis, baseline, device;
  StudyRule rule;
  std::vector<std::int64_t> seeds;
  int threads = 1;
  std::vector<StudyInstance> instances;
  std::vector<ManifestConfiguration> configurations;
  std::vector<StudyUnit> order;
  std::string binary_sha256;

  const Configuration& budget() const { return configurations.front().configuration; }
};

// Pairs (instance, seed) in random order, and the configurations of each pair in random order next to each
// other, so that what changes with time hits all alike. A pure function of root seed, instances, seeds and
// configurations.
std::vector<StudyUnit> run_order(const StudyManifest& manifest);

// `provenance`: JSON of the job that writes it. Both are recorded and compared with nothing.
std::string manifest_json(const StudyManifest& manifest, const std::string& provenance);
// `place` names the file in errors. Error(rejected) for broken JSON, another schema_version, missing keys, or
// an order that is not run_order().
StudyManifest parse_manifest(const std::string& text, const std::string& place);

// The first field in which two manifests differ, with both values: "/seeds/3 is 4 in ... and 5 now"; empty
// when they are of the same study. Paths, machine and time may differ.
std::string manifest_difference(const std::string& stored, const std::string& now);

}  // namespace lcn
