#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "bounds/lower_bound.hpp"
#include "crossings/oracle.hpp"
#include "crossings/validator.hpp"
#include "io/archive.hpp"
#include "io/archive_layout.hpp"
#include "io/hdf5_lock.hpp"
#include "io/run_columns.hpp"
#include "support/plural.hpp"

namespace lcn {
namespace {

using nlohmann::json;

// What verification needs to know of an instance: computed once for all of its rows.
struct KnownInstance {
  Instance instance;
  std::string certificate;
  std::int64_t proven = 0;  // lower bound on K
};

bool is_hex(const std::string& text, std::size_t length) {
  return text.size() == length && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool is_time(double seconds, double wall_time) {  // NaN is none
  return seconds >= 0 && seconds <= wall_time;
}

// Whether some drawing with m edges could have this tuple.
bool possible(const Tuple& t, std::int64_t m) {
  return t.K >= 0 && t.n_K >= 0 && t.n_K <= m && (t.K == 0) == (t.n_K == 0) && t.C >= (t.K + 1) / 2 &&
         t.Phi >= 2 * t.C && t.Phi / std::max<std::int64_t>(t.K, 1) <= 2 * t.C && (t.K > 0 || t.C == 0);
}

json without_vertices(const std::string& certificate) {
  json document = json::parse(certificate, nullptr, false);
  if (document.is_object()) document.erase("vertices");
  return document;
}

std::string certificate_problem(const UnitRecord& row, const KnownInstance& known) {
  const json whole = json::parse(known.certificate, nullptr, false);
  const char* const broken = "the instance's certificate is not {rule, n, m, vertices}";
  if (!whole.is_object() || !whole.contains("rule") || !whole["rule"].is_string() || !whole.contains("n") ||
      !whole["n"].is_number_integer() || !whole.contains("m") || !whole["m"].is_number_integer() ||
      !whole.contains("vertices") || !whole["vertices"].is_array())
    return broken;
  if (without_vertices(row.certificate) != without_vertices(known.certificate))
    return "the certificate is another than that of the instance";
  std::set<VertexId> vertices;
  for (const json& v : whole["vertices"]) {
    if (!v.is_number_integer() || v < 0 || v >= known.instance.graph.n()) return broken;
    vertices.insert(v.get<VertexId>());
  }
  const auto edges =
      std::count_if(known.instance.graph.edges().begin(), known.instance.graph.edges().end(),
                    [&](const Edge& e) { return vertices.contains(e.a) && vertices.contains(e.b); });
  if (whole["n"] != vertices.size() || whole["m"] != edges)
    return fmt::format("the certificate's subgraph has {} and {}, not {} and {}",
                       plural(vertices.size(), "vertex", "vertices"), plural(edges, "edge"),
                       whole["n"].dump(), whole["m"].dump());
  return {};
}

std::string identity_problem(const UnitRecord& row) {
  for (const RunColumn& column : run_columns())
    if (column.is_text() && column.text(row) != valid_utf8(column.text(row)))
      return fmt::format("{} is not UTF-8", column.name);
  const json config = json::parse(row.config, nullptr, false);
  if (!config.is_object()) return "config is not a JSON object";
  if (row.unit !=
      unit_id_of(row.instance_sha256, static_cast<std::uint64_t>(row.root_seed), row.repetition, row.config))
    return "the unit id is not the hash of instance, seeds and configuration";
  const json target = config.value("target", json(nullptr)), backend = config.value("backend", json(nullptr));
  if (target.is_null() ? row.target_K != -1 : target != row.target_K)
    return fmt::format("target_K is {} but config says {}", row.target_K, target.dump());
  if (row.backend != "cpu" && row.backend != "gpu") return fmt::format("backend is '{}'", row.backend);
  if (!backend.is_null() && backend != row.backend)
    return fmt::format("backend is {} but config says {}", row.backend, backend.dump());
  static const std::set<std::string> statuses = {"ok",          "target", "optimal",
                                                 "interrupted", "failed", "rejected"};
  if (!statuses.contains(row.status)) return fmt::format("status is '{}'", row.status);
  if (row.rank < 0) return fmt::format("rank is {}", row.rank);
  if (!is_hex(row.provenance, 16)) return fmt::format("provenance is '{}'", row.provenance);
  return {};
}

std::string counts_problem(const UnitRecord& row) {
  for (const RunColumn& column : run_columns()) {
    const std::string name = column.name;
    const bool counter = name.starts_with("proposals_") || name.starts_with("exchanges_") ||
                         name == "replica_steps" || name == "round_trips" || name == "lower_bound";
    if (counter && column.integer(row) < 0) return fmt::format("{} is {}", name, column.integer(row));
  }
  if (row.proposals_evaluated > row.proposals_attempted || row.proposals_valid > row.proposals_evaluated ||
      row.proposals_accepted > row.proposals_valid)
    return "proposals are not attempted >= evaluated >= valid >= accepted";
  if (row.exchanges_accepted > row.exchanges_attempted) return "more exchanges accepted than attempted";
  if (!std::isfinite(row.wall_time) || row.wall_time < 0)
    return fmt::format("wall_time is {}", row.wall_time);
  if (!is_time(row.time_to_best, row.wall_time))
    return fmt::format("time_to_best is {} of {} s", row.time_to_best, row.wall_time);
  if (row.target_reached ? !is_time(row.time_to_target, row.wall_time) : !std::isnan(row.time_to_target))
    return fmt::format("time_to_target is {} and target_reached {}", row.time_to_target, row.target_reached);
  return {};
}

std::string tables_problem(const UnitRecord& row) {
  const TraceRow* before = nullptr;
  for (const TraceRow& t : row.trace) {
    if (!is_time(t.seconds, row.wall_time) || t.step < 0) return "trace: a time or step out of range";
    if (before && (t.seconds < before->seconds || t.step < before->step ||
                   !(Tuple{t.K, t.n_K, t.Phi, t.C} < Tuple{before->K, before->n_K, before->Phi, before->C})))
      return "trace: its rows are not improvements in order";
    before = &t;
  }
  if (before) {
    const TraceRow& first = row.trace.front();
    if (Tuple{first.K, first.n_K, first.Phi, first.C} != row.initial)
      return "trace: does not begin at the start drawing's tuple";
    if (Tuple{before->K, before->n_K, before->Phi, before->C} != row.claimed)
      return "trace: does not end in the claimed tuple";
  }
  std::int64_t steps = 0;
  for (const ScheduleRow& s : row.schedule) {
    if (s.stage < -1 || s.stage >= static_cast<std::int64_t>(row.stages.size()) || s.steps < 0 ||
        s.temperature < 0 || s.table_K < 0)
      return "schedule: a stage, number of steps, temperature or table_K out of range";
    if (s.stage >= 0) steps += s.steps;
  }
  if (!row.schedule.empty() && (steps == 0 ? row.replica_steps != 0 : row.replica_steps % steps != 0))
    return fmt::format("schedule: {} per replica cannot make {} replica_steps", plural(steps, "step"),
                       row.replica_steps);
  if (row.best_stage != "start" &&
      std::find(row.stages.begin(), row.stages.end(), row.best_stage) == row.stages.end())
    return fmt::format("best_stage is '{}', no stage of its schedule", row.best_stage);
  for (const ReplicaRow& r : row.replicas)
    if (r.rung < 0 || !(r.temperature >= 0) || !std::isfinite(r.temperature) || r.accepts_even < 0 ||
        r.accepts_even > r.attempts_even || r.accepts_odd < 0 || r.accepts_odd > r.attempts_odd ||
        !(r.rejection_rate >= 0 && r.rejection_rate <= 1) || !(r.hot_fraction >= 0 && r.hot_fraction <= 1) ||
        r.round_trips < 0 || r.families < 0)
      return fmt::format("replicas: a value of rung {} is out of range", r.rung);
  return {};
}

std::string failure_problem(const UnitRecord& row) {
  const Tuple none{-1, -1, -1, -1};
  if (row.final != none)
    return fmt::format("status {} with a verified tuple {}", row.status, to_string(row.final));
  if (!row.drawing.empty()) return fmt::format("status {} with a drawing", row.status);
  if (row.error.empty()) return fmt::format("status {} without a reason in error", row.status);
  if (row.optimal) return fmt::format("status {} but optimal", row.status);
  return {};
}

std::string result_problem(const UnitRecord& row, const KnownInstance& known) {
  const Graph& graph = known.instance.graph;
  if (!row.error.empty()) return fmt::format("status {} with an error", row.status);
  if (row.drawing.size() != static_cast<std::size_t>(graph.n()))
    return fmt::format("the drawing has {} for {}", plural(row.drawing.size(), "point"),
                       plural(graph.n(), "vertex", "vertices"));
  const Validation validation = validate(graph, known.instance.grid, row.drawing);
  if (!validation.valid()) return fmt::format("the drawing is invalid: {}", validation.codes().front());
  const Tuple tuple = oracle_tuple(graph, row.drawing);
  if (tuple != row.final)
    return fmt::format("stored tuple {} but the drawing has {}", to_string(row.final), to_string(tuple));
  if (row.claimed != row.final)
    return fmt::format("claimed tuple {} but verified {}", to_string(row.claimed), to_string(row.final));
  if (!possible(row.initial, graph.m()))
    return fmt::format("the start's tuple {} is impossible", to_string(row.initial));
  if (row.initial < row.final)
    return fmt::format("the result {} is worse than its start {}", to_string(row.final),
                       to_string(row.initial));
  if (tuple.K < row.lower_bound)
    return fmt::format("K = {} is below the lower bound {}", tuple.K, row.lower_bound);
  if (row.optimal != (tuple.K == row.lower_bound) || (row.status == "optimal" && !row.optimal))
    return fmt::format("status {}, optimal {}, but K = {} and the lower bound is {}", row.status,
                       row.optimal ? "TRUE" : "FALSE", tuple.K, row.lower_bound);
  if (row.target_reached != (row.target_K >= 0 && tuple.K <= row.target_K) ||
      (row.status == "target" && !row.target_reached))
    return fmt::format("status {}, target {}, target_reached {}, but K = {}", row.status, row.target_K,
                       row.target_reached ? "TRUE" : "FALSE", tuple.K);
  if (!is_hex(row.start_sha256, 64) || !is_hex(row.state_sha256, 64))
    return "start_sha256 or state_sha256 is no hash";
  for (const std::string* text : {&row.start_provider, &row.device, &row.host})
    if (text->empty()) return "start_provider, device or host is empty";
  return tables_problem(row);
}

// The first thing that is wrong with a row and its tables; empty: nothing.
std::string row_problem(const UnitRecord& row, const KnownInstance& known) {
  std::string problem = identity_problem(row);
  if (problem.empty()) problem = counts_problem(row);
  if (problem.empty()) problem = standing(row) == 0 ? failure_problem(row) : result_problem(row, known);
  if (problem.empty()) problem = certificate_problem(row, known);
  if (problem.empty() && row.lower_bound > known.proven)
    problem = fmt::format("lower_bound is {} but no more than {} is proven", row.lower_bound, known.proven);
  return problem;
}

KnownInstance know(const Hdf5File& file, const std::string& sha256, ProvenBounds& bounds) {
  KnownInstance known{parse_stored_instance(file, sha256), read_stored_instance(file, sha256).certificate, 0};
  const auto [bound, is_new] = bounds.emplace(sha256, 0);
  if (is_new) bound->second = lower_bound(known.instance.graph).value;
  known.proven = bound->second;
  return known;
}

}  // namespace

VerifyReport verify_archive(const std::string& path) {
  ProvenBounds bounds;
  return verify_archive(path, bounds);
}

VerifyReport verify_archive(const std::string& path, ProvenBounds& bounds) {
  const Hdf5Lock lock;
  const Hdf5File file = Hdf5File::open(path);
  check_layout(file);
  std::vector<UnitRecord> rows = read_runs(file);
  VerifyReport report;
  try {
    report.mismatches = layout_problems(file, rows);
  } catch (const Error& error) {
    report.mismatches.push_back(error.what());
  }
  std::map<std::string, KnownInstance> instances;
  std::map<std::string, std::string> damaged;  // instance -> why
  std::set<std::string> units;
  for (UnitRecord& row : rows) {
    ++report.rows;
    const auto mismatch = [&](const std::string& problem) {
      report.mismatches.push_back(
          fmt::format("unit {} ({}, repetition {}): {}", row.unit, row.instance, row.repetition, problem));
    };
    if (!units.insert(row.unit).second) mismatch("is in the archive twice");
    const std::string& sha256 = row.instance_sha256;
    try {
      if (!damaged.contains(sha256) && !instances.contains(sha256))
        instances.emplace(sha256, know(file, sha256, bounds));
    } catch (const Error& error) {
      damaged.emplace(sha256, error.what());
    }
    if (const auto found = damaged.find(sha256); found != damaged.end()) {
      mismatch(found->second);
      continue;
    }
    try {
      const std::string short_certificate = row.certificate;
      read_unit_tables(file, row);
      row.certificate = short_certificate;
      report.drawings += standing(row) > 0;
      if (const std::string problem = row_problem(row, instances.at(sha256)); !problem.empty())
        mismatch(problem);
    } catch (const Error& error) {
      mismatch(error.what());
    }
    row.drawing = {}, row.trace = {}, row.schedule = {}, row.replicas = {};
  }
  return report;
}

}  // namespace lcn
