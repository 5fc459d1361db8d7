#include "jobs/audit_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "io/files.hpp"
#include "jobs/audit_json.hpp"
#include "support/sha256.hpp"

namespace lcn {
namespace {

constexpr std::int64_t kKnownSchema = 1;
constexpr double kLeastTime = 1e-12, kMostTime = 1e12;  // milliseconds: ratios of such times stay finite

// Without it no key's meaning is known.
bool schema_is_known(const ReportValue& root, AuditFindings& findings) {
  if (!root.has("schema_version")) {
    findings.reject("/schema_version", "is missing (not a benchmark report)");
    return false;
  }
  const auto version = root.integer("schema_version", std::numeric_limits<std::int64_t>::min());
  if (version && *version != kKnownSchema)
    findings.reject("/schema_version",
                    fmt::format("is {} (unknown; this program knows {})", *version, kKnownSchema));
  return version == kKnownSchema;
}

// Not finite cannot be written in JSON; writers put null instead, which is no number.
std::optional<double> time_of(const ReportValue& value, AuditFindings& findings) {
  const auto time = value.as_number();
  if (!time || (*time >= kLeastTime && *time <= kMostTime)) return time;
  findings.reject(value.place(),
                  fmt::format("is {} ms ({})", *time,
                              std::isfinite(*time) && *time > 0 ? "no clock measures that"
                                                                : "times are positive and finite"));
  return std::nullopt;
}

std::optional<double> stated_time(const ReportValue& arm, const char* key, AuditFindings& findings) {
  const auto value = arm.member(key);
  return value ? time_of(*value, findings) : std::nullopt;
}

void read_samples(const ReportValue& value, AuditedArm& arm, AuditFindings& findings) {
  arm.samples_given = value.has("samples");
  if (!arm.samples_given) {
    findings.lacks(arm.place + "/samples",
                   "raw samples are missing (no median or interval can be recomputed)");
    return;
  }
  const std::vector<ReportValue> items = value.items("samples", "holds no raw sample");
  bool usable = true;
  for (const ReportValue& item : items) {
    const auto time = time_of(item, findings);
    usable = usable && time.has_value();
    if (usable) arm.samples.push_back(*time);
  }
  if (!usable) arm.samples.clear();
}

AuditedArm read_arm(const ReportValue& value, const std::string& work_unit, AuditFindings& findings) {
  AuditedArm arm;
  arm.place = value.place();
  if (!value.is_object()) return arm;
  arm.name = value.said("name");
  value.text("description");
  arm.work_unit = value.has("work_unit") ? value.said("work_unit") : work_unit;
  arm.work_units = value.integer("work_units", 1).value_or(0);
  value.integer("launches_per_sample", 1);
  if (value.has("launch_shape")) value.text("launch_shape");
  arm.median = stated_time(value, "median", findings);
  arm.least = stated_time(value, "min", findings);
  arm.most = stated_time(value, "max", findings);
  read_samples(value, arm, findings);
  return arm;
}

std::optional<AuditedInterval> read_interval(const ReportValue& ratio, AuditFindings& findings) {
  if (!ratio.has("interval")) return std::nullopt;
  AuditedInterval interval;
  interval.confidence = ratio.number("confidence");
  interval.method = ratio.said("method");
  interval.resamples = ratio.integer("resamples", 1).value_or(0);
  const std::vector<ReportValue> ends = ratio.items("interval");
  const std::string place = ratio.place() + "/interval";
  if (ends.size() != 2) {
    findings.reject(place, "must be [low, high]");
    return std::nullopt;
  }
  const auto low = ends[0].as_number(), high = ends[1].as_number();
  if (!low || !high) return std::nullopt;
  interval.low = *low;
  interval.high = *high;
  return interval;
}

AuditedRatio read_ratio(const ReportValue& value, AuditFindings& findings) {
  AuditedRatio ratio;
  ratio.place = value.place();
  if (!value.is_object()) return ratio;
  ratio.name = value.said("name");
  ratio.numerator = value.said("numerator");
  ratio.denominator = value.said("denominator");
  ratio.value = value.number("value");
  ratio.interval = read_interval(value, findings);
  return ratio;
}

AuditedGate read_gate(const ReportValue& value) {
  AuditedGate gate;
  gate.place = value.place();
  if (!value.is_object()) return gate;
  gate.name = value.said("name");
  gate.compared = value.said("compared");
  gate.passed = value.flag("passed");
  gate.values_compared = value.integer("values_compared", 0);
  return gate;
}

AuditedDevice read_device(const ReportValue& root, AuditFindings& findings) {
  AuditedDevice device;
  const auto value = root.object("device");
  if (!value) return device;
  device.kind = value->said("kind");
  device.name = value->said("name");
  if (value->has("power")) value->said("power");  // reports of before it was asked for lack it
  if (device.kind != "gpu") {
    if (!device.kind.empty() && device.kind != "cpu")
      findings.reject("/device/kind", fmt::format("is '{}' (cpu or gpu)", device.kind));
    return device;
  }
  value->said("driver");
  value->said("cuda");
  value->integer("multiprocessors", 1);
  const auto clock = [&](const char* key) {
    const auto mhz = value->number(key);
    if (!mhz || *mhz > 0) return mhz;
    findings.reject(fmt::format("/device/{}", key), fmt::format("is {} MHz (clocks are positive)", *mhz));
    return std::optional<double>();
  };
  device.rated_clock_mhz = clock("rated_clock_mhz");
  device.clock_mhz_before = clock("clock_mhz_before");
  device.clock_mhz_after = clock("clock_mhz_after");
  return device;
}

AuditedBuild read_build(const ReportValue& root) {
  AuditedBuild build;
  const auto value = root.object("build");
  if (!value) return build;
  value->said("version");
  build.commit = value->said("commit");
  if (const auto dirty = value->member("dirty"); dirty && !dirty->is_null()) build.dirty = dirty->as_flag();
  if (build.dirty.value_or(false))
    value->said("diff_sha256");
  else
    value->text("diff_sha256");
  value->said("compiler");
  value->text("flags");
  build.build_type = value->text("build_type").value_or("");
  build.sanitizers = value->text("sanitizers").value_or("");
  value->text("cuda_compiler");
  value->text("cuda_architectures");
  return build;
}

void check_pattern(const ReportValue& root, const char* key, const char* pattern, const char* expected,
                   AuditFindings& findings) {
  const std::string text = root.said(key);
  if (!text.empty() && !std::regex_match(text, std::regex(pattern)))
    findings.reject(fmt::format("/{}", key), fmt::format("must be {} (found '{:.80}')", expected, text));
}

// Root seeds. Equal ones make the same workload: it would count twice.
void read_seeds(const ReportValue& root, AuditFindings& findings) {
  std::set<std::int64_t> seen;
  for (const ReportValue& item : root.items("seeds", "holds no seed (the workload cannot be made again)")) {
    const auto seed = item.as_integer();
    if (seed && !seen.insert(*seed).second)
      findings.reject(item.place(), fmt::format("the seed {} is listed a second time", *seed));
  }
}

void read_origin(const ReportValue& root, AuditFindings& findings) {
  const char* const hash = "[0-9a-f]{64}";
  check_pattern(root, "binary_sha256", hash, "64 hexadecimal digits", findings);
  check_pattern(root, "input_sha256", hash, "64 hexadecimal digits", findings);
  for (const ReportValue& word : root.items("argv", "holds no command")) word.as_text();
  read_seeds(root, findings);
  check_pattern(root, "timestamp", "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z",
                "YYYY-MM-DDTHH:MM:SSZ", findings);
}

void read_metrics(const ReportValue& root, AuditedReport& report) {
  const auto metrics = root.object("metrics");
  if (!metrics) return;
  for (const auto& [name, value] : metrics->members())
    if (const auto number = value.as_number())
      report.metrics.push_back({value.place(), printable(name), *number});
}

std::optional<AuditedSearch> read_search(const ReportValue& value) {
  if (!value.is_object()) return std::nullopt;
  AuditedSearch run;
  run.place = value.place();
  run.arm = value.said("arm");
  const auto reached = value.flag("reached");
  const auto seconds = value.number("seconds");
  bool whole = reached && seconds && !run.arm.empty();
  const auto count = [&](const char* key) {
    const std::optional<std::int64_t> number = value.integer(key, 0);
    whole = whole && number;
    return number.value_or(0);
  };
  value.number("wall_seconds");
  count("exchanges_attempted");
  count("round_trips");
  run.seed = count("seed");
  run.K = count("K");
  run.attempted = count("proposals_attempted");
  run.valid = count("proposals_valid");
  run.accepted = count("proposals_accepted");
  run.chain_steps = count("chain_steps");
  run.replica_steps = count("replica_steps");
  if (!whole) return std::nullopt;
  run.reached = *reached;
  run.seconds = *seconds;
  return run;
}

void read_searches(const ReportValue& root, AuditedReport& report) {
  if (!root.has("searches")) return;
  const auto value = root.object("searches");
  if (!value) return;
  AuditedSearches searches;
  const auto target = value->integer("target_K", 0);
  const auto budget = value->number("budget_s");
  value->said("start");
  value->said("search");
  bool whole = target && budget;
  for (const ReportValue& item : value->items("runs", "holds no search")) {
    const auto run = read_search(item);
    whole = whole && run;
    if (run) searches.runs.push_back(*run);
  }
  if (!whole) return;
  searches.target_K = *target;
  searches.budget = *budget;
  report.searches = std::move(searches);
}

void read_scope(const ReportValue& root, AuditedReport& report) {
  if (!root.has("scope")) {
    report.findings.reject("/scope", "is missing (kernel, stage or end_to_end: what do the times hold?)");
    return;
  }
  const auto scope = root.text("scope");
  if (!scope) return;
  report.scope = *scope;
  if (*scope != "kernel" && *scope != "stage" && *scope != "end_to_end")
    report.findings.reject("/scope", fmt::format("is '{:.80}' (kernel, stage or end_to_end)", *scope));
}

void read_parameters(const ReportValue& root, AuditFindings& findings) {
  const auto parameters = root.object("parameters");
  if (!parameters) return;
  const auto members = parameters->members();
  if (members.empty()) findings.lacks("/parameters", "holds no parameter (which workload was it?)");
  for (const auto& [name, value] : members) parameters->said(name);
}

void read_measurement(const ReportValue& root, AuditedReport& report) {
  AuditFindings& findings = report.findings;
  report.name = root.said("name");
  read_scope(root, report);
  report.excluded = root.said("excluded");
  report.work_unit = root.said("work_unit");
  read_parameters(root, findings);
  report.order = root.said("order");
  report.warm_ups = root.integer("warm_ups", 0);
  if (const auto unit = root.text("sample_unit"); unit && *unit != "ms")
    findings.reject("/sample_unit", fmt::format("is '{:.80}' (ms)", *unit));
  for (const ReportValue& arm : root.items("arms", "holds no arm"))
    report.arms.push_back(read_arm(arm, report.work_unit, findings));
  for (const ReportValue& ratio : root.items("ratios")) report.ratios.push_back(read_ratio(ratio, findings));
  for (const ReportValue& gate :
       root.items("gates", "holds no gate (a time without a proof of correctness is no result)"))
    report.gates.push_back(read_gate(gate));
  read_metrics(root, report);
  read_searches(root, report);
}

}  // namespace

void AuditFindings::reject(const std::string& place, const std::string& text) {
  all_.push_back({AuditFinding::Kind::reject, place, text});
}

void AuditFindings::lacks(const std::string& place, const std::string& text) {
  all_.push_back({AuditFinding::Kind::insufficient, place, text});
}

void AuditFindings::warn(const std::string& place, const std::string& text) {
  all_.push_back({AuditFinding::Kind::warning, place, text});
}

bool AuditFindings::rejected() const {
  return std::any_of(all_.begin(), all_.end(),
                     [](const AuditFinding& f) { return f.kind == AuditFinding::Kind::reject; });
}

bool AuditFindings::insufficient() const {
  return std::any_of(all_.begin(), all_.end(),
                     [](const AuditFinding& f) { return f.kind == AuditFinding::Kind::insufficient; });
}

const AuditedArm* AuditedReport::arm(const std::string& arm_name) const {
  for (const AuditedArm& candidate : arms)
    if (candidate.name == arm_name) return &candidate;
  return nullptr;
}

AuditedReport read_audited_report(const std::string& path) {
  AuditedReport report;
  report.path = path;
  const std::string text = read_text_file(path);
  report.sha256 = sha256_hex(text);
  const auto document = parse_report(text, report.findings);
  if (!document) return report;
  const ReportValue root(*document, report.findings);
  if (!schema_is_known(root, report.findings)) return report;
  read_measurement(root, report);
  report.device = read_device(root, report.findings);
  report.build = read_build(root);
  read_origin(root, report.findings);
  return report;
}

}  // namespace lcn
