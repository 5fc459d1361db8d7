#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "jobs/audit_report.hpp"
#include "random/philox.hpp"

namespace lcn {

// The gates of `lcn audit` that look at more than one value: docs/benchmark-format.md lists them with their
// limits. Each adds its findings to the report that it was given.

// Every gate for one report: correctness, times against the raw samples, ratios and intervals, rates, scope
// and device, and the warnings of drift, two groups of times, clocks, order and build.
void audit_report(AuditedReport& report);

// The gate for several reports whose ratios are to be summarised: no report is given twice, each has the
// scope and the device of the first, and two with a ratio of one name have one work unit. Findings are added
// to the report that differs.
void audit_together(std::vector<AuditedReport>& reports);

// The stream of the bootstrap interval of a ratio, as docs/benchmark-format.md defines it.
StreamKey interval_key(const std::string& report_name, const std::string& ratio_name);

// The median of the raw samples, or as stated where there are none. Nothing where neither is known.
std::optional<double> known_median(const AuditedArm& arm);

// The ratio of the known medians of its arms. Nothing where one is not known.
std::optional<double> recomputed_ratio(const AuditedReport& report, const AuditedRatio& ratio);

// The fewest samples of an arm for which an interval of its median is believed.
inline constexpr std::size_t kLeastIntervalSamples = 6;

}  // namespace lcn
