#include "jobs/study_report.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "stats/anytime.hpp"
#include "stats/median_ratio.hpp"
#include "stats/proportion.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

class StudyAnalysis {
 public:
  explicit StudyAnalysis(const StudyCheck& check) : check_(check), manifest_(check.manifest) {}

  StudyReport run() {
    const Configuration& budget = manifest_.budget();
    report_.by_time = budget.time.has_value();
    report_.budget = report_.by_time ? *budget.time : static_cast<double>(*budget.steps);
    for (std::size_t u = 0; u < manifest_.order.size(); ++u) {
      const UnitRecord& record = check_.records[u];
      double& ceiling = ceilings_[manifest_.order[u].instance];
      if (!record.trace.empty()) ceiling = std::max(ceiling, static_cast<double>(record.trace.front().K));
    }
    for (std::size_t u = 0; u < manifest_.order.size(); ++u) {
      const StudyUnit& unit = manifest_.order[u];
      places_[{unit.configuration, unit.instance, unit.repetition}] = u;
      report_.outcomes.push_back(outcome(unit, check_.records[u]));
    }
    for (std::size_t c = 0; c < manifest_.configurations.size(); ++c)
      for (std::size_t i = 0; i < manifest_.instances.size(); ++i) report_.cells.push_back(cell(c, i));
    compare();
    return std::move(report_);
  }

 private:
  double on_axis(const TraceRow& row) const {
    return report_.by_time ? row.seconds : static_cast<double>(row.step);
  }

  StudyOutcome outcome(const StudyUnit& unit, const UnitRecord& record) const {
    StudyOutcome result;
    result.has_result = record.final.K >= 0;
    result.tuple = record.final;
    result.optimal = record.optimal;
    result.time = report_.budget;
    const std::optional<std::int64_t> target = manifest_.instances[unit.instance].target;
    std::vector<AnytimePoint> points;
    for (const TraceRow& row : record.trace) {
      const double at = on_axis(row);
      if (result.has_result && target && !result.reached && row.K <= *target && at <= report_.budget)
        result.reached = true, result.time = at;
      if (result.has_result) points.push_back({at, static_cast<double>(row.K)});
    }
    result.area = anytime_mean(points, report_.budget, ceilings_.at(unit.instance));
    return result;
  }

  const StudyOutcome& at(std::size_t configuration, std::size_t instance, std::int64_t repetition) const {
    return report_.outcomes[places_.at({configuration, instance, repetition})];
  }

  StudyCell cell(std::size_t configuration, std::size_t instance) const {
    StudyCell cell;
    cell.configuration = manifest_.configurations[configuration].name;
    cell.instance = manifest_.instances[instance].name;
    cell.target = manifest_.instances[instance].target;
    std::vector<double> K, areas;
    std::vector<TimeToEvent> times;
    for (const std::int64_t repetition : manifest_.seeds) {
      const StudyOutcome& o = at(configuration, instance, repetition);
      ++cell.units;
      cell.reached += o.reached;
      times.push_back({o.time, o.reached});
      areas.push_back(o.area);
      if (!o.has_result) {
        ++cell.failed;
        continue;
      }
      if (K.empty() || o.tuple < cell.best) cell.best = o.tuple;
      K.push_back(static_cast<double>(o.tuple.K));
    }
    if (!K.empty()) {
      const auto [least, most] = std::minmax_element(K.begin(), K.end());
      cell.least_K = *least;
      cell.most_K = *most;
      cell.median_K = median(K);
      cell.area = median(areas);
    }
    if (cell.target) {
      const double confidence = 1 - manifest_.rule.alpha;
      cell.reached_interval = wilson_interval(cell.reached, cell.units, confidence);
      cell.time_to_target = median_time(times, confidence);
    }
    return cell;
  }

  void compare() {
    std::size_t baseline = 0;
    while (manifest_.configurations[baseline].name != manifest_.baseline)
      if (++baseline == manifest_.configurations.size())
        throw Error(ErrorKind::rejected, "manifest: its baseline is none of its configurations");
    std::vector<PairedConfiguration> configurations;
    for (std::size_t c = 0; c < manifest_.configurations.size(); ++c) {
      if (c == baseline) continue;
      PairedConfiguration paired{manifest_.configurations[c].name, {}};
      for (std::size_t i = 0; i < manifest_.instances.size(); ++i) {
        PairedInstance instance{manifest_.instances[i].name, {}};
        for (const std::int64_t repetition : manifest_.seeds)
          instance.pairs.push_back({at(c, i, repetition), at(baseline, i, repetition)});
        paired.instances.push_back(std::move(instance));
      }
      configurations.push_back(std::move(paired));
    }
    report_.comparisons =
        compare_configurations(configurations, manifest_.rule, manifest_.budget().root_seed);
  }

  const StudyCheck& check_;
  const StudyManifest& manifest_;
  StudyReport report_;
  std::map<std::tuple<std::size_t, std::size_t, std::int64_t>, std::size_t> places_;  // in the order
  // By instance: before a unit's first drawing its curve stands at the worst start of all units.
  std::map<std::size_t, double> ceilings_;
};

}  // namespace

StudyReport analyse_study(const StudyCheck& check) {
  if (!check.problems.empty() || !check.missing.empty())
    throw Error(ErrorKind::internal, "a study is analysed before it is verified");
  return StudyAnalysis(check).run();
}

}  // namespace lcn
