#include "jobs/audit_gates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "jobs/audit_json.hpp"
#include "random/stream.hpp"
#include "stats/drift.hpp"
#include "stats/kaplan_meier.hpp"
#include "stats/median_ratio.hpp"
#include "stats/two_groups.hpp"
#include "support/plural.hpp"

namespace lcn {
namespace {

constexpr double kTolerance = 1e-9;           // relative, of what is recomputed from the same samples
constexpr double kPublishedRounding = 0.005;  // a ratio published without samples has two decimals
constexpr std::int64_t kLeastResamples = 1'000, kMostResamples = 100'000;
constexpr double kDriftZ = 2.2, kDriftChange = 0.01;
constexpr double kTwoGroupsExplained = 0.9, kTwoGroupsApart = 0.01;
constexpr std::size_t kTwoGroupsSamples = 10;
constexpr double kClockTolerance = 0.03;

bool equal(double stated, double recomputed, double tolerance = kTolerance) {
  return std::isfinite(recomputed) && std::abs(stated - recomputed) <= tolerance * std::abs(recomputed);
}

// ---- correctness

void audit_correctness(AuditedReport& report) {
  for (const AuditedGate& gate : report.gates) {
    if (gate.passed == false)
      report.findings.reject(
          gate.place + "/passed",
          fmt::format("the correctness gate '{}' failed (the times are worth nothing)", gate.name));
    if (gate.values_compared == 0)
      report.findings.reject(gate.place + "/values_compared",
                             fmt::format("the correctness gate '{}' compared nothing", gate.name));
  }
}

// ---- times

void compare(AuditFindings& findings, const std::string& place, std::optional<double> stated,
             double recomputed) {
  if (stated && !equal(*stated, recomputed))
    findings.reject(place, fmt::format("is {} ms, but {} by the samples", *stated, recomputed));
}

bool in_order(const std::optional<double>& lower, const std::optional<double>& upper) {
  return !lower || !upper || *lower <= *upper;
}

std::string stated(const std::optional<double>& time) {
  return time ? fmt::format("{} ms", *time) : "not stated";
}

void audit_arm(const AuditedArm& arm, AuditFindings& findings) {
  if (!in_order(arm.least, arm.median) || !in_order(arm.median, arm.most) || !in_order(arm.least, arm.most)) {
    findings.reject(arm.place,
                    fmt::format("min <= median <= max does not hold for '{}' (min {}, median {}, "
                                "max {})",
                                arm.name, stated(arm.least), stated(arm.median), stated(arm.most)));
    return;
  }
  if (arm.samples.empty()) return;
  const auto [low, high] = std::minmax_element(arm.samples.begin(), arm.samples.end());
  compare(findings, arm.place + "/median", arm.median, median(arm.samples));
  compare(findings, arm.place + "/min", arm.least, *low);
  compare(findings, arm.place + "/max", arm.most, *high);
}

void warn_of_drift(const AuditedArm& arm, AuditFindings& findings) {
  const Drift d = drift(arm.samples);
  if (std::abs(d.z) >= kDriftZ && std::abs(d.change) >= kDriftChange)
    findings.warn(
        arm.place + "/samples",
        fmt::format("'{}' drifts: last third {:+.1f} % against the first (Spearman's rho {:.2f} with "
                    "the order, z {:.1f})",
                    arm.name, 100 * d.change, d.rank_correlation, d.z));
}

void warn_of_two_groups(const AuditedArm& arm, AuditFindings& findings) {
  if (arm.samples.size() < kTwoGroupsSamples) return;
  const TwoGroups g = two_groups(arm.samples);
  if (g.explained >= kTwoGroupsExplained && g.high_mean - g.low_mean >= kTwoGroupsApart * g.low_mean)
    findings.warn(
        arm.place + "/samples",
        fmt::format("'{}' is bimodal: {} samples around {:.5g} ms and {} around {:.5g} ms (the split "
                    "explains {:.0f} % of the variance)",
                    arm.name, g.low_count, g.low_mean, g.high_count, g.high_mean, 100 * g.explained));
}

void audit_arms(AuditedReport& report) {
  std::set<std::string> names;
  for (const AuditedArm& arm : report.arms) {
    if (!arm.name.empty() && !names.insert(arm.name).second)
      report.findings.reject(arm.place + "/name", fmt::format("a second arm is named '{}'", arm.name));
    audit_arm(arm, report.findings);
    warn_of_drift(arm, report.findings);
    warn_of_two_groups(arm, report.findings);
  }
}

// ---- ratios

void audit_interval(const AuditedReport& report, const AuditedRatio& ratio, const AuditedArm& top,
                    const AuditedArm& bottom, AuditFindings& findings) {
  const AuditedInterval& interval = *ratio.interval;
  const std::string place = ratio.place + "/interval";
  if (!top.samples_given || !bottom.samples_given) {
    findings.lacks(place, fmt::format("'{}' is claimed with an interval, but '{}' has no raw samples",
                                      ratio.name, top.samples_given ? bottom.name : top.name));
    return;
  }
  if (top.samples.empty() || bottom.samples.empty()) return;  // said where the samples are
  const std::size_t fewest = std::min(top.samples.size(), bottom.samples.size());
  if (fewest < kLeastIntervalSamples) {
    findings.lacks(place, fmt::format("{} of an arm (a 95 % interval of a median needs at least {})",
                                      plural(fewest, "sample"), kLeastIntervalSamples));
    return;
  }
  if (interval.confidence && *interval.confidence != 0.95)
    findings.reject(ratio.place + "/confidence", fmt::format("is {} (0.95)", *interval.confidence));
  if (interval.resamples == 0 || report.name.empty() || ratio.name.empty()) return;  // said already
  if (interval.resamples < kLeastResamples) {
    findings.lacks(ratio.place + "/resamples",
                   fmt::format("{} (an interval needs at least {})", plural(interval.resamples, "resample"),
                               kLeastResamples));
    return;
  }
  if (interval.resamples > kMostResamples) {
    findings.reject(ratio.place + "/resamples",
                    fmt::format("is {} (at most {})", interval.resamples, kMostResamples));
    return;
  }
  const RatioEstimate estimate =
      median_ratio(top.samples, bottom.samples, interval_key(report.name, ratio.name),
                   static_cast<int>(interval.resamples));
  const std::string method =
      estimate.paired ? "percentile bootstrap over rounds" : "percentile bootstrap over samples";
  if (!interval.method.empty() && interval.method != method)
    findings.reject(ratio.place + "/method",
                    fmt::format("is '{:.80}' ('{}' by the numbers of samples)", interval.method, method));
  if (!equal(interval.low, estimate.low) || !equal(interval.high, estimate.high))
    findings.reject(place, fmt::format("is [{}, {}], but [{}, {}] by the samples", interval.low,
                                       interval.high, estimate.low, estimate.high));
}

// Whether the two sides did the same work.
bool audit_work(const AuditedRatio& ratio, const AuditedArm& top, const AuditedArm& bottom,
                AuditFindings& findings) {
  if (top.work_unit != bottom.work_unit) {
    findings.reject(ratio.place, fmt::format("'{}' compares unequal work units ('{:.80}' against '{:.80}')",
                                             ratio.name, top.work_unit, bottom.work_unit));
    return false;
  }
  if (top.work_units > 0 && bottom.work_units > 0 && top.work_units != bottom.work_units) {
    findings.reject(ratio.place, fmt::format("'{}' compares unequal work ({} against {} work units a launch)",
                                             ratio.name, top.work_units, bottom.work_units));
    return false;
  }
  return true;
}

void audit_value(const AuditedReport& report, const AuditedRatio& ratio, bool with_samples,
                 AuditFindings& findings) {
  const std::optional<double> recomputed = recomputed_ratio(report, ratio);
  if (!recomputed || !ratio.value) return;
  const bool holds = with_samples ? equal(*ratio.value, *recomputed)
                                  : std::abs(*ratio.value - *recomputed) <= kPublishedRounding;
  if (!holds)
    findings.reject(ratio.place + "/value",
                    fmt::format("is {}, but the medians give {}", *ratio.value, *recomputed));
}

void audit_ratio(const AuditedReport& report, const AuditedRatio& ratio, AuditFindings& findings) {
  if (ratio.numerator.empty() || ratio.denominator.empty()) return;
  for (const auto& [key, name] :
       {std::pair{"/numerator", &ratio.numerator}, std::pair{"/denominator", &ratio.denominator}})
    if (!report.arm(*name))
      findings.reject(ratio.place + key, fmt::format("no arm is named '{:.80}'", *name));
  const AuditedArm* const top = report.arm(ratio.numerator);
  const AuditedArm* const bottom = report.arm(ratio.denominator);
  if (!top || !bottom || !audit_work(ratio, *top, *bottom, findings)) return;
  audit_value(report, ratio, top->samples_given && bottom->samples_given, findings);
  if (ratio.interval) audit_interval(report, ratio, *top, *bottom, findings);
}

void audit_ratios(AuditedReport& report) {
  std::set<std::string> names;
  for (const AuditedRatio& ratio : report.ratios) {
    if (!ratio.name.empty() && !names.insert(ratio.name).second)
      report.findings.reject(ratio.place + "/name", fmt::format("a second ratio is named '{}'", ratio.name));
    audit_ratio(report, ratio, report.findings);
  }
  if (!report.ratios.empty() && !report.order.starts_with("interleaved") &&
      !report.order.starts_with("random") && !report.order.empty())
    report.findings.warn("/order", fmt::format("'{:.80}': drift hits the arms of a ratio differently unless "
                                               "their samples are interleaved or in random order",
                                               report.order));
}

// ---- rates

// Which metric is the rate of a report's own work unit.
struct RateName {
  const char *work_unit, *metric;
};
constexpr RateName kRates[] = {
    {"proposal evaluated", "proposals_evaluated_per_s"},
    {"proposal attempted", "proposals_attempted_per_s"},
    {"one epoch of one layout", "layout_epochs_per_s"},
};

const AuditedMetric* metric_named(const AuditedReport& report, const std::string& name) {
  for (const AuditedMetric& metric : report.metrics)
    if (metric.name == name) return &metric;
  return nullptr;
}

void audit_rate(AuditedReport& report, const AuditedArm& arm) {
  for (const RateName& rate : kRates) {
    if (!arm.work_unit.starts_with(rate.work_unit) || arm.samples.empty() || arm.work_units == 0) continue;
    const AuditedMetric* const metric = metric_named(report, std::string(rate.metric) + "/" + arm.name);
    const double recomputed = static_cast<double>(arm.work_units) / median(arm.samples) * 1e3;
    if (metric && !equal(metric->value, recomputed))
      report.findings.reject(
          metric->place, fmt::format("is {}, but {} by work units and median", metric->value, recomputed));
  }
}

// An accepted proposal is a valid one, a valid one was attempted.
void audit_subset_rates(AuditedReport& report, const AuditedArm& arm) {
  const auto rate = [&](const char* kind) {
    return metric_named(report, fmt::format("proposals_{}_per_s/{}", kind, arm.name));
  };
  const auto check = [&](const AuditedMetric* part, const AuditedMetric* whole) {
    if (part && whole && !(part->value <= whole->value * (1 + kTolerance)))
      report.findings.reject(
          part->place, fmt::format("is {}, more than the {} of {}", part->value, whole->value, whole->name));
  };
  check(rate("valid"), rate("attempted"));
  check(rate("accepted"), rate("valid"));
}

// ---- searches to a target

// What is not reached is censored at the budget: it has no time of its own and is never dropped.
void audit_search(AuditedReport& report, const AuditedSearch& run) {
  const AuditedSearches& searches = *report.searches;
  const auto reject = [&](const char* key, const std::string& text) {
    report.findings.reject(run.place + "/" + key, text);
  };
  if (!(run.seconds > 0 && run.seconds <= searches.budget))
    reject("seconds",
           fmt::format("is {} s (above 0, at most the budget of {} s)", run.seconds, searches.budget));
  else if (!run.reached && run.seconds != searches.budget)
    reject("seconds", fmt::format("is {} s of a search that did not reach its target (censored at {} s)",
                                  run.seconds, searches.budget));
  if (run.reached && run.K > searches.target_K)
    reject("reached", fmt::format("is true, but K = {} is above the target {}", run.K, searches.target_K));
  if (run.valid > run.attempted || run.accepted > run.valid || run.chain_steps > run.replica_steps)
    reject("proposals_attempted",
           fmt::format("proposals: {} attempted, {} valid, {} accepted; steps: {} of the chain, {} of all "
                       "replicas (a part is "
                       "more than its whole)",
                       run.attempted, run.valid, run.accepted, run.chain_steps, run.replica_steps));
}

// Searches are paired by seed: one that an arm ran twice counts twice, one that only another arm ran was
// dropped.
void audit_search_seeds(AuditedReport& report) {
  std::map<std::string, std::set<std::int64_t>> seeds_of;
  std::set<std::int64_t> all;
  for (const AuditedSearch& run : report.searches->runs) {
    all.insert(run.seed);
    if (!seeds_of[run.arm].insert(run.seed).second)
      report.findings.reject(run.place + "/seed",
                             fmt::format("a second search of '{}' has the seed {}", run.arm, run.seed));
  }
  for (const auto& [arm, seeds] : seeds_of)
    for (const std::int64_t seed : all)
      if (!seeds.contains(seed))
        report.findings.lacks("/searches/runs",
                              fmt::format("'{}' has no search with the seed {}, which another arm has (arms "
                                          "are compared by seeds that all of them ran)",
                                          arm, seed));
}

void audit_searches(AuditedReport& report) {
  if (!report.searches) return;
  audit_search_seeds(report);
  std::map<std::string, std::vector<TimeToEvent>> by_arm;
  for (const AuditedSearch& run : report.searches->runs) {
    audit_search(report, run);
    by_arm[run.arm].push_back({run.seconds, run.reached});
  }
  for (const auto& [arm, times] : by_arm) {
    const auto check = [&](const char* name, std::optional<double> expected) {
      const std::string key = fmt::format("{}/{}", name, arm);
      const AuditedMetric* const metric = metric_named(report, key);
      if (metric && !expected)
        report.findings.reject(metric->place, "is a number, but the searches did not reach it");
      else if (metric && !equal(metric->value, *expected))
        report.findings.reject(metric->place,
                               fmt::format("is {}, but the searches give {}", metric->value, *expected));
      else if (!metric && expected)
        report.findings.lacks("/metrics/" + pointer_token(key), "is missing");
    };
    const auto reached =
        std::count_if(times.begin(), times.end(), [](const TimeToEvent& t) { return t.reached; });
    check("searches", static_cast<double>(times.size()));
    check("searches_reached", static_cast<double>(reached));
    check("time_to_target_median_s", median_time(times, 0.95).median);
  }
}

// ---- where it ran

void audit_scope(AuditedReport& report) {
  if (report.scope != "kernel") return;
  if (report.device.kind == "cpu")
    report.findings.reject("/scope",
                           "is 'kernel', but /device/kind is 'cpu' (kernel times are device events)");
  if (report.warm_ups == 0)
    report.findings.reject("/warm_ups", "is 0 (kernel times are taken after warm-ups)");
}

void audit_clock(AuditedReport& report) {
  const AuditedDevice& device = report.device;
  if (!device.clock_mhz_before || !device.clock_mhz_after) return;
  const double before = *device.clock_mhz_before, after = *device.clock_mhz_after;
  if (std::abs(after / before - 1) > kClockTolerance)
    report.findings.warn(
        "/device/clock_mhz_after",
        fmt::format("the clock went from {:.0f} to {:.0f} MHz during the samples", before, after));
  const double rated = device.rated_clock_mhz.value_or(0), slower = std::min(before, after);
  if (slower < rated * (1 - kClockTolerance))
    report.findings.warn("/device/clock_mhz_before",
                         fmt::format("the clock was {:.0f} MHz, rated are {:.0f} MHz", slower, rated));
}

void audit_build(AuditedReport& report) {
  const AuditedBuild& build = report.build;
  if (build.dirty.value_or(false))
    report.findings.warn("/build/dirty", "true: the commit alone does not make this program");
  if (build.commit == "unknown") report.findings.warn("/build/commit", "unknown: built outside git");
  if (!build.sanitizers.empty())
    report.findings.warn("/build/sanitizers",
                         fmt::format("times of a build with '{:.80}'", build.sanitizers));
  if (build.build_type == "Debug") report.findings.warn("/build/build_type", "times of a debug build");
}

// ---- several reports

void audit_same(AuditedReport& report, const AuditedReport& first, const char* place, const std::string& mine,
                const std::string& theirs) {
  if (!mine.empty() && !theirs.empty() && mine != theirs)
    report.findings.reject(place, fmt::format("is '{:.80}', but '{:.80}' in {} (an aggregate has one device, "
                                              "one scope and one work unit) audit them --separately",
                                              mine, theirs, first.path));
}

bool share_a_ratio(const AuditedReport& one, const AuditedReport& other) {
  return one.name == other.name &&
         std::any_of(one.ratios.begin(), one.ratios.end(), [&](const AuditedRatio& a) {
           return std::any_of(other.ratios.begin(), other.ratios.end(),
                              [&](const AuditedRatio& b) { return a.name == b.name; });
         });
}

}  // namespace

StreamKey interval_key(const std::string& report_name, const std::string& ratio_name) {
  return derive_key({}, Purpose::bootstrap, report_name + "/" + ratio_name);
}

std::optional<double> known_median(const AuditedArm& arm) {
  if (!arm.samples.empty()) return median(arm.samples);
  return arm.samples_given ? std::nullopt : arm.median;
}

std::optional<double> recomputed_ratio(const AuditedReport& report, const AuditedRatio& ratio) {
  const AuditedArm* const top = report.arm(ratio.numerator);
  const AuditedArm* const bottom = report.arm(ratio.denominator);
  const std::optional<double> above = top ? known_median(*top) : std::nullopt;
  const std::optional<double> below = bottom ? known_median(*bottom) : std::nullopt;
  if (!above || !below) return std::nullopt;
  return *above / *below;
}

void audit_report(AuditedReport& report) {
  audit_correctness(report);
  audit_arms(report);
  audit_ratios(report);
  for (const AuditedArm& arm : report.arms) {
    audit_rate(report, arm);
    audit_subset_rates(report, arm);
  }
  audit_searches(report);
  audit_scope(report);
  audit_clock(report);
  audit_build(report);
}

void audit_together(std::vector<AuditedReport>& reports) {
  for (std::size_t i = 1; i < reports.size(); ++i) {
    const AuditedReport& first = reports.front();
    AuditedReport& report = reports[i];
    audit_same(report, first, "/scope", report.scope, first.scope);
    audit_same(report, first, "/device/kind", report.device.kind, first.device.kind);
    audit_same(report, first, "/device/name", report.device.name, first.device.name);
    for (std::size_t j = 0; j < i; ++j) {
      if (report.sha256 == reports[j].sha256)
        report.findings.reject(
            "", fmt::format("is the same report as {} (it would count twice)", reports[j].path));
      else if (share_a_ratio(report, reports[j]))
        audit_same(report, reports[j], "/work_unit", report.work_unit, reports[j].work_unit);
    }
  }
}

}  // namespace lcn
