#include "jobs/audit_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "jobs/audit_gates.hpp"
#include "stats/amdahl.hpp"
#include "stats/median_ratio.hpp"
#include "support/plural.hpp"

namespace lcn {
namespace {

std::string findings_text(const AuditedReport& report) {
  std::string text;
  for (const AuditFinding& finding : report.findings.all()) {
    if (finding.kind == AuditFinding::Kind::warning) continue;
    const bool rejects = finding.kind == AuditFinding::Kind::reject;
    text += rejects ? fmt::format("REJECT {}: ", report.path)
                    : fmt::format("INSUFFICIENT_EVIDENCE: {}: ", report.path);
    text += finding.place.empty() ? finding.text + "\n" : finding.place + " " + finding.text + "\n";
  }
  return text;
}

std::string warnings_text(const AuditedReport& report) {
  std::string text;
  for (const AuditFinding& finding : report.findings.all())
    if (finding.kind == AuditFinding::Kind::warning)
      text += fmt::format("  warning: {}: {}\n", finding.place, finding.text);
  return text;
}

std::string arms_text(const AuditedReport& report) {
  std::string text = fmt::format("  {:<24} {:>7} {:>12} {:>12} {:>12} {:>14}\n", "arm", "samples",
                                 "median ms", "min", "max", "work units/s");
  for (const AuditedArm& arm : report.arms) {
    const std::optional<double> middle = known_median(arm);
    if (!middle) continue;
    text += fmt::format("  {:<24} {:>7} {:>12.5f}", arm.name, arm.samples.size(), *middle);
    if (arm.samples.empty()) {
      text += " (as stated)\n";
      continue;
    }
    const auto [least, most] = std::minmax_element(arm.samples.begin(), arm.samples.end());
    text += fmt::format(" {:>12.5f} {:>12.5f} {:>14.5g}\n", *least, *most,
                        static_cast<double>(arm.work_units) / *middle * 1e3);
  }
  return text;
}

std::string whole_text(const RatioEstimate& ratio, double share) {
  std::string text = fmt::format("    as {:g} % of the end-to-end time: the whole is {:.3f} times as fast",
                                 100 * share, whole_speed_up(share, ratio.value));
  if (ratio.resamples > 0)
    text +=
        fmt::format(" [{:.3f}, {:.3f}]", whole_speed_up(share, ratio.low), whole_speed_up(share, ratio.high));
  return text + (share < 1 ? fmt::format("; never more than {:.3f}\n", 1 / (1 - share)) : "\n");
}

// Without an interval (no resamples) where the samples do not carry one.
std::optional<RatioEstimate> estimate(const AuditedReport& report, const AuditedRatio& ratio) {
  const std::optional<double> value = recomputed_ratio(report, ratio);
  if (!value) return std::nullopt;
  const std::vector<double>&top = report.arm(ratio.numerator)->samples,
        &bottom = report.arm(ratio.denominator)->samples;
  if (std::min(top.size(), bottom.size()) >= kLeastIntervalSamples)
    return median_ratio(top, bottom, interval_key(report.name, ratio.name));
  RatioEstimate only_value;
  only_value.value = *value;
  return only_value;
}

std::string ratio_text(const RatioEstimate& ratio) {
  return ratio.resamples > 0 ? fmt::format("{:.3f} [{:.3f}, {:.3f}]", ratio.value, ratio.low, ratio.high)
                             : fmt::format("{:.2f} (no interval)", ratio.value);
}

std::string ratios_text(const AuditedReport& report, std::optional<double> share) {
  std::string text;
  for (const AuditedRatio& ratio : report.ratios) {
    const std::optional<RatioEstimate> recomputed = estimate(report, ratio);
    if (!recomputed) continue;
    text += fmt::format("  {}: {}\n", ratio.name, ratio_text(*recomputed));
    if (share) text += whole_text(*recomputed, *share);
  }
  return text;
}

std::string accepted_text(const AuditedReport& report, std::optional<double> share) {
  const bool whole_already = report.scope == "end_to_end";
  std::string text =
      fmt::format("ACCEPT {}\n  {}, scope {} (without {}), {}, commit {:.12}{}\n", report.path, report.name,
                  report.scope, report.excluded, report.device.name, report.build.commit,
                  report.build.dirty.value_or(false) ? " and changes" : "");
  text += fmt::format("  work unit: {}\n", report.work_unit);
  text += arms_text(report);
  text += ratios_text(report, whole_already ? std::nullopt : share);
  if (share && whole_already)
    text += "  end_to_end times need no --end-to-end-share: the ratios are the whole\n";
  for (const AuditedGate& gate : report.gates)
    text += fmt::format("  gate {}: passed, {} ({})\n", gate.name,
                        plural(gate.values_compared.value_or(0), "value"), gate.compared);
  return text + warnings_text(report);
}

}  // namespace

std::string audit_text(const AuditedReport& report, std::optional<double> end_to_end_share) {
  if (report.findings.rejected()) return findings_text(report);
  if (!report.findings.insufficient()) return accepted_text(report, end_to_end_share);
  return findings_text(report) + "  not evidence, only what the report states:\n" + arms_text(report) +
         ratios_text(report, std::nullopt);
}

std::string aggregate_text(const std::vector<AuditedReport>& reports,
                           std::optional<double> end_to_end_share) {
  struct Group {
    std::vector<RatioSamples> samples;
    double least = 0, most = 0;
  };
  std::map<std::pair<std::string, std::string>, Group> groups;
  for (const AuditedReport& report : reports)
    for (const AuditedRatio& ratio : report.ratios) {
      const double value = *recomputed_ratio(report, ratio);
      Group& group = groups[{report.name, ratio.name}];
      group.least = group.samples.empty() ? value : std::min(group.least, value);
      group.most = group.samples.empty() ? value : std::max(group.most, value);
      group.samples.push_back({report.arm(ratio.numerator)->samples, report.arm(ratio.denominator)->samples});
    }
  const AuditedReport& first = reports.front();
  std::string text =
      fmt::format("aggregate of {} reports: scope {}, {}\n", reports.size(), first.scope, first.device.name);
  text += fmt::format("  {:<48} {:>7} {:>26} {:>10} {:>10}\n", "ratio", "reports", "geometric mean", "least",
                      "greatest");
  bool any = false;
  for (const auto& [name, group] : groups) {
    if (group.samples.size() < 2) continue;
    any = true;
    const RatioEstimate mean = geometric_mean_ratio(group.samples, interval_key(name.first, name.second));
    text += fmt::format("  {:<48} {:>7} {:>26} {:>10.3f} {:>10.3f}\n", name.first + ": " + name.second,
                        group.samples.size(), ratio_text(mean), group.least, group.most);
    if (end_to_end_share && first.scope != "end_to_end") text += whole_text(mean, *end_to_end_share);
  }
  return any ? text + "  intervals are of repeated timing of these workloads; they say nothing about others\n"
             : text + "  no ratio is in two reports\n";
}

}  // namespace lcn
