#pragma once
#include <optional>
#include <string>
#include <vector>

#include "jobs/study_check.hpp"
#include "stats/kaplan_meier.hpp"
#include "stats/paired_study.hpp"

namespace lcn {

// What a complete study says, computed from its verified rows (docs/studies.md states every number's source).

// One configuration on one instance.
struct StudyCell {
  std::string configuration, instance;
  std::optional<std::int64_t> target;
  std::int64_t units = 0, failed = 0;
  Tuple best;  // of those that did not fail
  std::optional<double> least_K, median_K, most_K;
  std::int64_t reached = 0;                  // of all units
  std::optional<Interval> reached_interval;  // Wilson; none without a target
  MedianTime time_to_target;                 // Kaplan-Meier, on the study's axis
  std::optional<double> area;                // median over the units of the mean K; none where all failed
};

struct StudyReport {
  bool by_time = true;                 // the axis: seconds, else proposals per replica
  double budget = 0;                   // on that axis
  std::vector<StudyOutcome> outcomes;  // in the order of the manifest
  std::vector<StudyCell> cells;        // by configuration, then instance
  std::vector<StudyComparison> comparisons;
};

// `check` must have no problems and nothing missing. Deterministic.
StudyReport analyse_study(const StudyCheck& check);

std::string study_report_json(const StudyCheck& check, const StudyReport& report);
// The verdicts with the rule's inputs, apart from the summary; `report_sha256` is that of the report's text.
std::string study_decision_json(const StudyCheck& check, const StudyReport& report,
                                const std::string& report_sha256);
std::string study_report_text(const StudyCheck& check, const StudyReport& report);  // tables for a person

}  // namespace lcn
