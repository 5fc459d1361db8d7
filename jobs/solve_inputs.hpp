#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/contest_json.hpp"
#include "support/stop.hpp"

namespace lcn {

// The instances of a job, and what could not be read: in a batch the others go on.
struct LoadedInstances {
  std::vector<std::shared_ptr<const Instance>> instances;  // distinct contents, in the order of the paths
  std::vector<std::string> problems;                       // one line each, naming file and place
  std::vector<std::string> warnings;
};

// Reads files and folders. Error(input) when nothing at all can be read.
LoadedInstances load_instances(const std::vector<std::string>& paths);

// Drawings to start from: --start file:PATH (a contest JSON drawing) or archive:FILE (the best drawing of
// each instance).
class WarmStarts {
 public:
  static bool is_warm(const std::string& start);  // has one of the two forms
  // The same start with its path, if relative, taken from `folder`.
  static std::string below(const std::string& folder, const std::string& start);
  // Error(usage) or Error(input) when it cannot be read.
  explicit WarmStarts(const std::string& start);

  // "file:SHA256" or "archive:SHA256", of the file's bytes: what a unit's identity holds.
  const std::string& canonical() const { return canonical_; }
  // A valid drawing of this instance; an invalid one is repaired with a warning. Error(input) when there is
  // none, or when it is a drawing of another graph; Error(unit) when it cannot be repaired;
  // Stopped when `stop` turned true.
  Drawing drawing(const Instance& instance, std::vector<std::string>& warnings,
                  const StopFunction& stop = {}) const;

 private:
  std::string start_, canonical_;
  std::shared_ptr<const Instance> file_;
  std::map<std::string, Drawing> archive_;  // by the instance's sha256, hex
};

}  // namespace lcn
