#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jobs/options.hpp"
#include "jobs/plan.hpp"
#include "stats/paired_study.hpp"

namespace lcn {

struct StudyConfiguration {
  std::string name;  // the section, and the folder of its run
  // With the study's seed and budget. A warm start still names a path; its backend is set when the device is
  // known.
  Configuration configuration;
};

// A study as its INI file asks for it (docs/studies.md).
struct Study {
  std::string name, question, hypothesis;
  std::vector<std::string> instances;  // files and folders; relative ones begin at the INI file's folder
  std::vector<std::int64_t> seeds;
  std::map<std::string, std::int64_t> targets;  // K that counts as success, by instance name
  std::optional<std::int64_t> target;           // on every other instance
  StudyRule rule;
  std::string baseline;
  int threads = 1;
  std::string device = "auto";
  bool allow_gpu_sharing = false;
  std::vector<StudyConfiguration> configurations;  // in the order of the file; at least two
};

// Error(input) for a file that cannot be read, Error(usage) "FILE:LINE: [SECTION]: ..." for what is wrong in
// it.
Study read_study_file(const std::string& path);

// The keys of [study] and of every other section, for --help and the check of docs/studies.md.
OptionTable study_keys();
OptionTable configuration_keys();

}  // namespace lcn
