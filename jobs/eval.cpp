#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "bounds/lower_bound.hpp"
#include "crossings/oracle.hpp"
#include "crossings/validator.hpp"
#include "io/contest_json.hpp"
#include "jobs/commands.hpp"
#include "jobs/report.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

std::string violation_text(const Violation& violation, const Graph& graph, const Drawing& drawing) {
  const auto point = [&](VertexId v) {
    const Point& p = drawing[static_cast<std::size_t>(v)];
    return fmt::format("{} at ({}, {})", v, p.x, p.y);
  };
  const auto edge = [&](EdgeId e) {
    const Edge& ends = graph.edge(e);
    return fmt::format("{} ({}-{})", e, ends.a, ends.b);
  };
  const std::vector<VertexId>& vertices = violation.vertices;
  const std::vector<EdgeId>& edges = violation.edges;
  switch (violation.code) {
    case ViolationCode::V1:
      return fmt::format("V1 vertex {} is off the grid", point(vertices[0]));
    case ViolationCode::V2:
      return fmt::format("V2 vertices {} and {} share a point", vertices[0], point(vertices[1]));
    case ViolationCode::V3:
      return fmt::format("V3 vertex {} lies on edge {}", point(vertices[0]), edge(edges[0]));
    case ViolationCode::V4:
      return fmt::format("V4 edges {} and {} overlap", edge(edges[0]), edge(edges[1]));
  }
  return "";
}

nlohmann::ordered_json violations_json(const Validation& validation) {
  auto list = nlohmann::ordered_json::array();
  for (const Violation& violation : validation.violations)
    list.push_back(
        {{"code", to_string(violation.code)}, {"vertices", violation.vertices}, {"edges", violation.edges}});
  return list;
}

std::string validity_text(const Validation& validation) {
  if (validation.valid()) return "yes";
  std::vector<std::string> counts;
  for (int code = 1; code <= 4; ++code)
    if (validation.totals[static_cast<std::size_t>(code)] > 0)
      counts.push_back(fmt::format("{} x {}", validation.totals[static_cast<std::size_t>(code)],
                                   to_string(static_cast<ViolationCode>(code))));
  return fmt::format("no ({})", fmt::join(counts, ", "));
}

}  // namespace

std::vector<OptionTable> eval_options() {
  OptionTable table(
      "eval",
      "Validates and scores a drawing: rules V1 to V4, the tuple (K, n_K, Phi, C) recounted by the exact "
      "oracle, a lower bound on K of any drawing of the graph with its certificate. Exit code 5 when the "
      "drawing is not valid.");
  table.positional("input", "DRAWING", 1, 1, "contest JSON file whose nodes have x and y");
  table.section("Output").flag(
      "json",
      "print JSON: valid, violations (at most 100), violation_codes, K, n_K, Phi, C, "
      "lower_bound, certificate, optimal");
  return {table};
}

int eval_command(const std::vector<std::string>& args) {
  const Options options = eval_options().front().parse(args);
  if (options.handled()) return 0;
  const Instance instance = read_instance(options.positional().front());
  const Drawing& drawing = require_drawing(instance);
  const Validation validation = validate(instance.graph, instance.grid, drawing);
  const Tuple tuple = oracle_tuple(instance.graph, drawing);
  const LowerBound bound = lower_bound(instance.graph);
  const bool optimal = validation.valid() && tuple.K == bound.value;
  const int code = validation.valid() ? 0 : exit_code(ErrorKind::rejected);
  if (options.flag("json")) {
    const nlohmann::ordered_json report = {{"valid", validation.valid()},
                                           {"violations", violations_json(validation)},
                                           {"violation_codes", validation.codes()},
                                           {"K", tuple.K},
                                           {"n_K", tuple.n_K},
                                           {"Phi", tuple.Phi},
                                           {"C", tuple.C},
                                           {"lower_bound", bound.value},
                                           {"certificate", certificate_object(bound.certificate)},
                                           {"optimal", optimal}};
    fmt::print("{}\n", report.dump());
    return code;
  }
  fmt::print("{}\n", instance_text(instance));
  fmt::print("valid        {}\n", validity_text(validation));
  for (const Violation& violation : validation.violations)
    fmt::print("             {}\n", violation_text(violation, instance.graph, drawing));
  fmt::print("tuple        K = {}, n_K = {}, Phi = {}, C = {}\n", tuple.K, tuple.n_K, tuple.Phi, tuple.C);
  fmt::print("lower bound  {}\n", bound_text(bound));
  fmt::print("optimal      {}\n", optimal ? "yes" : validation.valid() ? "not proven" : "no");
  return code;
}

}  // namespace lcn
