#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "jobs/audit_gates.hpp"
#include "jobs/audit_report.hpp"
#include "jobs/audit_table.hpp"
#include "jobs/commands.hpp"
#include "support/error.hpp"

namespace lcn {

std::vector<OptionTable> audit_options() {
  OptionTable table(
      "audit",
      "Recomputes every claim of benchmark reports from their raw samples. Prints a table for each report "
      "that "
      "holds and a summary of several; else REJECT FILE: reason (exit 5) for what contradicts itself, "
      "INSUFFICIENT_EVIDENCE: FILE: what is missing (exit 6), and then no summary. docs/benchmark-format.md "
      "lists the gates.");
  table.positional("reports", "REPORT", 1, 10'000, "JSON files of lcn bench");
  table.section("Output")
      .flag("separately", "no summary: the reports may come from several devices and scopes")
      .real("end-to-end-share", "", 0, 1,
            "share of the end-to-end time that the measured part takes: also print what each ratio means for "
            "the whole (Amdahl's law)");
  return {table};
}

int audit_command(const std::vector<std::string>& args) {
  const Options options = audit_options().front().parse(args);
  if (options.handled()) return 0;
  std::optional<double> share;
  if (options.has("end-to-end-share")) share = options.real("end-to-end-share");

  std::vector<AuditedReport> reports;
  for (const std::string& path : options.positional()) {
    reports.push_back(read_audited_report(path));
    audit_report(reports.back());
  }
  const bool together = reports.size() > 1 && !options.flag("separately");
  if (together) audit_together(reports);

  for (const AuditedReport& report : reports) fmt::print("{}", audit_text(report, share));
  const auto any = [&](bool (AuditFindings::*says)() const) {
    return std::any_of(reports.begin(), reports.end(),
                       [&](const AuditedReport& r) { return (r.findings.*says)(); });
  };
  if (any(&AuditFindings::rejected)) return exit_code(ErrorKind::rejected);
  if (any(&AuditFindings::insufficient)) return exit_code(ErrorKind::insufficient);
  if (together) fmt::print("{}", aggregate_text(reports, share));
  return 0;
}

}  // namespace lcn
