#include "jobs/report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "io/files.hpp"
#include "support/error.hpp"
#include "support/plural.hpp"

namespace lcn {

std::string instance_text(const Instance& instance) {
  return fmt::format("{}: {}, {}, grid {} x {}", instance.name,
                     plural(instance.graph.n(), "vertex", "vertices"), plural(instance.graph.m(), "edge"),
                     instance.grid.width, instance.grid.height);
}

std::string bound_text(const LowerBound& bound) {
  const Certificate& proof = bound.certificate;
  return fmt::format("{} ({}: subgraph of {} and {})", bound.value, proof.rule,
                     plural(proof.n, "vertex", "vertices"), plural(proof.m, "edge"));
}

const Drawing& require_drawing(const Instance& instance) {
  if (!instance.drawing)
    throw input_error(
        fmt::format("{}: nodes have no x and y (there is no drawing) lcn solve makes one", instance.path));
  return *instance.drawing;
}

nlohmann::ordered_json certificate_object(const Certificate& certificate) {
  return {{"rule", certificate.rule},
          {"n", certificate.n},
          {"m", certificate.m},
          {"vertices", certificate.vertices}};
}

void check_output(const std::string& path) {
  if (!path.empty()) check_output_file(path);
}

void write_output(const std::string& path, const std::string& text) {
  if (path.empty())
    fmt::print("{}", text);
  else
    write_file_atomically(path, text);
}

}  // namespace lcn
