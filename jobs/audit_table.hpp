#pragma once
#include <optional>
#include <string>
#include <vector>

#include "jobs/audit_report.hpp"

namespace lcn {

// What `lcn audit` prints. All numbers are recomputed, none is copied where it can be computed.

// ACCEPT line, arms, ratios, gates and warnings of a report that has passed; with a share of the end-to-end
// time also what each ratio means for the whole. Of a report that lacks evidence: its REJECT or
// INSUFFICIENT_EVIDENCE lines, and without a rejection the medians and ratios that can be computed from what
// it states.
std::string audit_text(const AuditedReport& report, std::optional<double> end_to_end_share);

// Ratios of one name that several reports of one benchmark have: geometric mean, interval, least, greatest.
// Only for reports that have passed, alone and together.
std::string aggregate_text(const std::vector<AuditedReport>& reports, std::optional<double> end_to_end_share);

}  // namespace lcn
