#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lcn {

// A benchmark report as a file tells it (docs/benchmark-format.md), for `lcn audit`. Nothing in it is
// believed yet, and it has its own reader: what the writer in io/report does wrong must not be read wrong
// likewise.

// What an audit has to say about a report. `place` is a JSON pointer, or a line and column of broken JSON.
struct AuditFinding {
  enum class Kind { reject, insufficient, warning };
  Kind kind = Kind::reject;
  std::string place;
  std::string text;  // "problem (why)"
};

class AuditFindings {
 public:
  void reject(const std::string& place, const std::string& text);
  void lacks(const std::string& place, const std::string& text);
  void warn(const std::string& place, const std::string& text);
  bool rejected() const;
  bool insufficient() const;  // something lacks; it may be rejected, too
  const std::vector<AuditFinding>& all() const { return all_; }

 private:
  std::vector<AuditFinding> all_;
};

// A number or a text is not set, a list is empty, when the report has no such key or one of another type; the
// findings then say so.
struct AuditedArm {
  std::string place, name, work_unit;         // the report's work unit unless the arm names another
  std::int64_t work_units = 0;                // 0: not known
  std::optional<double> median, least, most;  // as stated
  std::vector<double> samples;                // milliseconds; empty: no raw samples that can be used
  bool samples_given = false;                 // also when they cannot be used
};

struct AuditedInterval {
  double low = 0, high = 0;
  std::optional<double> confidence;
  std::string method;
  std::int64_t resamples = 0;  // 0: not known
};

struct AuditedRatio {
  std::string place, name, numerator, denominator;
  std::optional<double> value;  // as stated
  std::optional<AuditedInterval> interval;
};

struct AuditedGate {
  std::string place, name, compared;
  std::optional<bool> passed;
  std::optional<std::int64_t> values_compared;
};

struct AuditedMetric {
  std::string place, name;
  double value = 0;
};

// One search towards a target; read only when every field of it can be used.
struct AuditedSearch {
  std::string place, arm;
  bool reached = false;
  double seconds = 0;
  std::int64_t seed = 0, K = 0, attempted = 0, valid = 0, accepted = 0, chain_steps = 0, replica_steps = 0;
};

struct AuditedSearches {
  std::int64_t target_K = 0;
  double budget = 0;  // seconds
  std::vector<AuditedSearch> runs;
};

struct AuditedDevice {
  std::string kind, name;
  std::optional<double> rated_clock_mhz, clock_mhz_before, clock_mhz_after;
};

struct AuditedBuild {
  std::string commit, build_type, sanitizers;
  std::optional<bool> dirty;  // not set: the build did not know
};

struct AuditedReport {
  std::string path, sha256;  // of the file
  AuditFindings findings;
  std::string name, scope, excluded, work_unit, order;
  std::optional<std::int64_t> warm_ups;
  std::vector<AuditedArm> arms;
  std::vector<AuditedRatio> ratios;
  std::vector<AuditedGate> gates;
  std::vector<AuditedMetric> metrics;
  std::optional<AuditedSearches> searches;
  AuditedDevice device;
  AuditedBuild build;

  const AuditedArm* arm(const std::string& arm_name) const;  // null when there is none
};

// Reads one report and finds what its form alone tells: broken JSON, an unknown schema_version (nothing else
// is then read), wrong types, missing keys, values that no report can have. Control characters in texts
// become
// '?'. Error(input) for a file that cannot be read.
AuditedReport read_audited_report(const std::string& path);

}  // namespace lcn
