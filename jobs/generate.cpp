#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "graph/generators.hpp"
#include "io/contest_json.hpp"
#include "jobs/commands.hpp"
#include "jobs/report.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

// One parameter name as an option: several families may have it, each with its own meaning, range and
// default.
struct SharedParameter {
  std::string name;
  double low, high;  // cover every family's range
  bool integral;
  std::vector<std::pair<std::string, std::vector<std::string>>> meanings;  // help, families
  std::string help() const {
    std::vector<std::string> parts;
    for (const auto& [help, families] : meanings)
      parts.push_back(fmt::format("{}: {}", fmt::join(families, ", "), help));
    return fmt::format("{}", fmt::join(parts, "; "));
  }
};

std::vector<SharedParameter> shared_parameters() {
  std::vector<SharedParameter> shared;
  for (const GraphFamily& family : graph_families()) {
    for (const FamilyParameter& parameter : family.parameters) {
      auto found = std::find_if(shared.begin(), shared.end(),
                                [&](const SharedParameter& known) { return known.name == parameter.name; });
      if (found == shared.end())
        found = shared.insert(shared.end(), {parameter.name, parameter.low, parameter.high, true, {}});
      found->low = std::min(found->low, parameter.low);
      found->high = std::max(found->high, parameter.high);
      found->integral = found->integral && parameter.integral;
      auto meaning = std::find_if(found->meanings.begin(), found->meanings.end(),
                                  [&](const auto& known) { return known.first == parameter.help; });
      if (meaning == found->meanings.end())
        meaning = found->meanings.insert(found->meanings.end(), {parameter.help, {}});
      meaning->second.push_back(family.name);
    }
  }
  return shared;
}

std::string family_list() {
  std::string text = "Families and their options:\n";
  for (const GraphFamily& family : graph_families()) {
    std::vector<std::string> parameters;
    for (const FamilyParameter& parameter : family.parameters)
      parameters.push_back(parameter.default_value
                               ? fmt::format("--{} {}", parameter.name, *parameter.default_value)
                               : fmt::format("--{}", parameter.name));
    text += fmt::format("  {:<16}  {}: {}\n", family.name, fmt::join(parameters, " "), family.description);
  }
  return text +
         "A value in the list is the default; the others must be given.\n\n"
         "lcn generate grid --rows 6 --cols 7 --out grid.json";
}

void require_fits(const std::string& family, const Drawing& drawing, const Grid& grid) {
  for (const Point& point : drawing)
    if (!grid.contains(point))
      throw usage_error(
          fmt::format("generate {}: its drawing does not fit a grid of {}x{} (a vertex is at ({}, {})) "
                      "leave out --grid or --drawing",
                      family, grid.width, grid.height, point.x, point.y));
}

}  // namespace

std::vector<OptionTable> generate_options() {
  OptionTable table(
      "generate",
      "Writes a graph of a family as a contest JSON file. The same family, values and seed give the same "
      "file on every machine.");
  table.positional("family", "FAMILY", 1, 1, "one of the families below");
  table.section("Graph");
  for (const SharedParameter& shared : shared_parameters()) {
    if (shared.integral)
      table.integer(shared.name, "", static_cast<std::int64_t>(shared.low),
                    static_cast<std::int64_t>(shared.high), shared.help());
    else
      table.real(shared.name, "", shared.low, shared.high, shared.help());
  }
  table.integer("seed", "1", 0, OptionTable::kAnyInteger, "seed of random families");
  table.section("Output")
      .size("grid", "", "largest x and y of the grid; the family's own where it is not given")
      .flag("drawing", "write coordinates too, for families that are made from points (geometric, planted)")
      .text("out", "FILE", "", "file to write; standard output where it is not given");
  table.epilogue(family_list());
  return {table};
}

int generate_command(const std::vector<std::string>& args) {
  const Options options = generate_options().front().parse(args);
  if (options.handled()) return 0;
  check_output(options.text("out"));
  const std::string& family = options.positional().front();
  FamilyValues values;
  for (const SharedParameter& shared : shared_parameters()) {
    if (!options.has(shared.name)) continue;
    values[shared.name] =
        shared.integral ? static_cast<double>(options.integer(shared.name)) : options.real(shared.name);
  }
  const GeneratedGraph made =
      generate_graph(family, values, static_cast<std::uint64_t>(options.integer("seed")));
  const Grid grid = options.has("grid") ? options.size("grid") : made.grid;
  const Drawing* drawing = nullptr;
  if (options.flag("drawing")) {
    if (!made.drawing)
      throw usage_error(
          fmt::format("generate {}: has no drawing of its own (only its edges are given) leave out "
                      "--drawing, lcn solve makes one",
                      family));
    require_fits(family, *made.drawing, grid);
    drawing = &*made.drawing;
  }
  write_output(options.text("out"), graph_json(made.graph, grid, drawing));
  return 0;
}

}  // namespace lcn
