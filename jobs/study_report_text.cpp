#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "jobs/study_report.hpp"
#include "support/plural.hpp"

// A study's report as JSON and as tables.

namespace lcn {
namespace {

using ReportJson = nlohmann::ordered_json;

constexpr int kStudyReportVersion = 1;

ReportJson tuple_entry(const Tuple& t) {
  return {t.K, t.n_K, t.Phi, t.C};
}

ReportJson number_or_null(const std::optional<double>& value) {
  return value ? ReportJson(*value) : ReportJson(nullptr);
}

ReportJson interval_entry(const Interval& interval) {
  return {interval.low, interval.high};
}

ReportJson difference_entry(const std::optional<MedianDifference>& d) {
  if (!d) return nullptr;
  return {{"median", d->value}, {"interval", interval_entry(d->interval)}};
}

ReportJson tally_entry(const WinsAndLosses& t) {
  return {{"wins", t.wins},       {"losses", t.losses}, {"ties", t.ties},
          {"effect", t.effect()}, {"p", t.p},           {"p_adjusted", t.p_adjusted}};
}

ReportJson cell_entry(const StudyCell& cell) {
  ReportJson j{{"configuration", cell.configuration},
               {"instance", cell.instance},
               {"units", cell.units},
               {"failed", cell.failed},
               {"best", cell.median_K ? tuple_entry(cell.best) : ReportJson(nullptr)},
               {"K",
                {{"min", number_or_null(cell.least_K)},
                 {"median", number_or_null(cell.median_K)},
                 {"max", number_or_null(cell.most_K)}}},
               {"area", number_or_null(cell.area)}};
  if (!cell.target) return j;
  j["target"] = *cell.target;
  j["reached"] = cell.reached;
  j["reached_share"] = static_cast<double>(cell.reached) / static_cast<double>(cell.units);
  j["reached_interval"] = interval_entry(*cell.reached_interval);
  j["censored"] = cell.units - cell.reached;
  j["time_to_target"] = {{"median", number_or_null(cell.time_to_target.median)},
                         {"low", number_or_null(cell.time_to_target.low)},
                         {"high", number_or_null(cell.time_to_target.high)}};
  return j;
}

ReportJson comparison_entry(const InstanceComparison& c) {
  return {{"instance", c.name},
          {"tuple", tally_entry(c.tuples)},
          {"target", tally_entry(c.successes)},
          {"K",
           {{"pairs", c.pairs_with_K},
            {"difference", difference_entry(c.K)},
            {"signed_rank",
             {{"n", c.K_test.n},
              {"positive", c.K_test.positive},
              {"p", c.K_test.p},
              {"exact", c.K_test.is_exact},
              {"p_adjusted", c.K_p_adjusted}}},
            {"deviation", c.K_deviation},
            {"pairs_needed", c.pairs_needed}}},
          {"area", difference_entry(c.area)}};
}

ReportJson unit_entry(const StudyManifest& manifest, const StudyUnit& unit, const UnitRecord& record,
                      const StudyOutcome& outcome) {
  ReportJson j{{"unit", unit.id},
               {"configuration", manifest.configurations[unit.configuration].name},
               {"instance", manifest.instances[unit.instance].name},
               {"repetition", unit.repetition},
               {"status", record.status},
               {"tuple", outcome.has_result ? tuple_entry(outcome.tuple) : ReportJson(nullptr)},
               {"area", outcome.area}};
  if (manifest.instances[unit.instance].target) {
    j["target_reached"] = outcome.reached;
    j["time_to_target"] = outcome.reached ? ReportJson(outcome.time) : ReportJson(nullptr);
  }
  return j;
}

// Rows of equal numbers of cells, the first is the header; all columns but the first are to the right.
std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  // characters, not bytes: names may be UTF-8
  const auto width = [](const std::string& text) {
    std::size_t n = 0;
    for (const char c : text) n += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return n;
  };
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widths[i] - width(row[i]), ' ');
      line += " " + (i == 0 ? row[i] + gap : gap + row[i]) + " ";
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string number(double value) {
  return fmt::format("{:.4g}", value);
}

// What no finished unit gives has no number.
std::string number(const std::optional<double>& value) {
  return value ? number(*value) : "none";
}

std::string with_interval(const std::optional<MedianDifference>& d) {
  return d ? fmt::format("{:+.3g} [{:+.3g}, {:+.3g}]", d->value, d->interval.low, d->interval.high) : "none";
}

std::string time_text(const std::optional<double>& time) {
  return time ? number(*time) : "not reached";
}

std::string time_text(const MedianTime& time) {
  if (!time.low) return "not reached";  // nor are the others, which come later
  return fmt::format("{} [{}, {}]", time_text(time.median), time_text(time.low), time_text(time.high));
}

std::string cells_text(const StudyReport& report, const StudyInstance& instance) {
  std::vector<std::vector<std::string>> rows{
      {"configuration", "units", "failed", "best tuple", "median K", "mean K of the run"}};
  if (instance.target) {
    rows[0].push_back(fmt::format("K <= {} reached", *instance.target));
    rows[0].push_back(report.by_time ? "median time, s" : "median proposals");
  }
  for (const StudyCell& cell : report.cells) {
    if (cell.instance != instance.name) continue;
    rows.push_back({cell.configuration, fmt::format("{}", cell.units), fmt::format("{}", cell.failed),
                    cell.median_K ? to_string(cell.best) : "none finished", number(cell.median_K),
                    number(cell.area)});
    if (!cell.target) continue;
    const Interval& share = *cell.reached_interval;
    rows.back().push_back(fmt::format("{}/{} [{:.0f} %, {:.0f} %]", cell.reached, cell.units, 100 * share.low,
                                      100 * share.high));
    rows.back().push_back(time_text(cell.time_to_target));
  }
  return aligned(rows);
}

std::vector<std::string> comparison_row(const std::string& name, const WinsAndLosses& t, const std::string& K,
                                        const std::string& K_p, const std::string& area,
                                        const std::string& needed) {
  return {name,
          fmt::format("{}/{}/{}", t.wins, t.losses, t.ties),
          fmt::format("{:+.2f}", t.effect()),
          fmt::format("{:.3g}", t.p_adjusted),
          K,
          K_p,
          area,
          needed};
}

std::string comparison_text(const StudyComparison& c, const std::string& baseline) {
  std::vector<std::vector<std::string>> rows{{c.name + " - " + baseline, "win/loss/tie", "effect", "p (sign)",
                                              "K", "p (signed rank)", "mean K of the run",
                                              "seeds for 1 in K"}};
  for (const InstanceComparison& i : c.instances)
    rows.push_back(comparison_row(i.name, i.tuples, with_interval(i.K), fmt::format("{:.3g}", i.K_p_adjusted),
                                  with_interval(i.area),
                                  i.pairs_with_K > 1 ? fmt::format("{}", i.pairs_needed) : "unknown"));
  rows.push_back(comparison_row("all", c.tuples, with_interval(c.K), "", with_interval(c.area), ""));
  return aligned(rows) + fmt::format("  {}: {}\n", to_string(c.verdict), c.reason);
}

}  // namespace

std::string study_report_json(const StudyCheck& check, const StudyReport& report) {
  const StudyManifest& m = check.manifest;
  ReportJson j{{"schema_version", kStudyReportVersion},
               {"kind", "study_report"},
               {"study", m.name},
               {"manifest_sha256", check.manifest_sha256},
               {"baseline", m.baseline},
               {"time_unit", report.by_time ? "s" : "proposals per replica"},
               {"budget", report.budget},
               {"confidence", 1 - m.rule.alpha},
               {"cells", ReportJson::array()},
               {"comparisons", ReportJson::array()},
               {"units", ReportJson::array()}};
  for (const StudyCell& cell : report.cells) j["cells"].push_back(cell_entry(cell));
  for (const StudyComparison& c : report.comparisons) {
    ReportJson instances = ReportJson::array();
    for (const InstanceComparison& i : c.instances) instances.push_back(comparison_entry(i));
    j["comparisons"].push_back({{"configuration", c.name},
                                {"instances", std::move(instances)},
                                {"tuple", tally_entry(c.tuples)},
                                {"K", difference_entry(c.K)},
                                {"area", difference_entry(c.area)}});
  }
  for (std::size_t u = 0; u < m.order.size(); ++u)
    j["units"].push_back(unit_entry(m, m.order[u], check.records[u], report.outcomes[u]));
  return j.dump(1) + "\n";
}

std::string study_decision_json(const StudyCheck& check, const StudyReport& report,
                                const std::string& report_sha256) {
  const StudyRule& rule = check.manifest.rule;
  ReportJson j{{"schema_version", kStudyReportVersion},
               {"kind", "study_decision"},
               {"study", check.manifest.name},
               {"manifest_sha256", check.manifest_sha256},
               {"report_sha256", report_sha256},
               {"baseline", check.manifest.baseline},
               {"rule",
                {{"alpha", rule.alpha},
                 {"min_pairs", rule.minimum_pairs},
                 {"min_effect", rule.minimum_effect},
                 {"comparisons", report.comparisons.size()}}},
               {"decisions", ReportJson::array()}};
  for (const StudyComparison& c : report.comparisons) {
    ReportJson shown_better = ReportJson::array(), shown_worse = ReportJson::array();
    for (const InstanceComparison& i : c.instances)
      if (i.tuples.p_adjusted <= rule.alpha)
        (i.tuples.wins > i.tuples.losses ? shown_better : shown_worse).push_back(i.name);
    ReportJson inputs = tally_entry(c.tuples);
    inputs["pairs_with_a_result"] = c.informative;
    inputs["instances_better"] = std::move(shown_better);
    inputs["instances_worse"] = std::move(shown_worse);
    j["decisions"].push_back({{"configuration", c.name},
                              {"verdict", to_string(c.verdict)},
                              {"reason", c.reason},
                              {"inputs", std::move(inputs)}});
  }
  return j.dump(1) + "\n";
}

std::string study_report_text(const StudyCheck& check, const StudyReport& report) {
  const StudyManifest& m = check.manifest;
  std::string text = fmt::format("{}: {}\n  expected: {}\n  {}, {} {} a unit, {}, {} recounted\n", m.name,
                                 m.question, m.hypothesis, plural(m.seeds.size(), "seed"), report.budget,
                                 report.by_time ? "s" : "proposals per replica",
                                 plural(m.order.size(), "unit"), plural(check.drawings, "drawing"));
  for (const StudyInstance& instance : m.instances)
    text += fmt::format("\n{} (n {}, m {}, bound {})\n{}", instance.name, instance.n, instance.m,
                        instance.lower_bound, cells_text(report, instance));
  text += fmt::format("\npaired differences, {:.3g} % intervals, p adjusted (Holm); negative K is better\n",
                      100 * (1 - m.rule.alpha));
  for (const StudyComparison& c : report.comparisons) text += comparison_text(c, m.baseline) + "\n";
  text.pop_back();
  return text;
}

}  // namespace lcn
