#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bounds/lower_bound.hpp"
#include "io/contest_json.hpp"
#include "jobs/commands.hpp"
#include "jobs/report.hpp"

namespace lcn {

std::vector<OptionTable> bound_options() {
  OptionTable table(
      "bound",
      "Prints the best known lower bound on K of any straight-line drawing of a graph, and the subgraph "
      "and rule that prove it (docs/bounds.md). Coordinates in the file are ignored.");
  table.positional("input", "GRAPH", 1, 1, "contest JSON file");
  table.section("Output").flag("json", "print JSON: n, m, lower_bound, planar, certificate");
  return {table};
}

int bound_command(const std::vector<std::string>& args) {
  const Options options = bound_options().front().parse(args);
  if (options.handled()) return 0;
  const Instance instance = read_instance(options.positional().front());
  const LowerBound bound = lower_bound(instance.graph);
  if (options.flag("json")) {
    const nlohmann::ordered_json report = {{"n", instance.graph.n()},
                                           {"m", instance.graph.m()},
                                           {"lower_bound", bound.value},
                                           {"planar", bound.planar},
                                           {"certificate", certificate_object(bound.certificate)}};
    fmt::print("{}\n", report.dump());
    return 0;
  }
  fmt::print("{}\n", instance_text(instance));
  fmt::print("lower bound  {}\n", bound_text(bound));
  fmt::print("planar       {}\n", bound.planar ? "yes" : "no");
  return 0;
}

}  // namespace lcn
