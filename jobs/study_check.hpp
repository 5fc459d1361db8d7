#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "io/unit_record.hpp"
#include "jobs/study_manifest.hpp"

namespace lcn {

// A study's folder held against its manifest.
struct StudyCheck {
  StudyManifest manifest;
  std::string manifest_sha256;
  std::vector<UnitRecord> records;    // in the order of the manifest, with traces; `unit` empty where missing
  std::vector<std::string> problems;  // one line for each contradiction, naming file or unit
  std::vector<std::string> missing;   // one line for each unit that has no result yet
  std::int64_t drawings = 0;          // recounted by the oracle
};

// Looks at every file of every run: configurations, instances and units are those of the manifest, none
// missing, none extra; each unit was made by the manifest's program after the manifest was written as it is;
// drawings are recounted. O(m^2) per drawing. Error(input) when the folder is no study, Error(rejected) for a
// manifest that cannot be believed.
StudyCheck check_study(const std::string& folder);

}  // namespace lcn
