#include <fmt/format.h>

#include "io/contest_json.hpp"
#include "io/svg.hpp"
#include "jobs/commands.hpp"
#include "jobs/report.hpp"
#include "support/error.hpp"

namespace lcn {

std::vector<OptionTable> draw_options() {
  OptionTable table(
      "draw",
      "Makes an SVG picture of a drawing: edges coloured by their crossings, those with K crossings on "
      "top. Drawings that are not valid are drawn too.");
  table.positional("input", "DRAWING", 1, 1, "contest JSON file whose nodes have x and y");
  table.section("Output").text("out", "FILE", "", "SVG file to write; standard output where it is not given");
  return {table};
}

int draw_command(const std::vector<std::string>& args) {
  const Options options = draw_options().front().parse(args);
  if (options.handled()) return 0;
  check_output(options.text("out"));
  const Instance instance = read_instance(options.positional().front());
  const Drawing& drawing = require_drawing(instance);
  write_output(options.text("out"), drawing_svg(instance.graph, drawing, instance.name));
  return 0;
}

}  // namespace lcn
