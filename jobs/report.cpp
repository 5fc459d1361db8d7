#include "jobs/report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "io/files.hpp"
#include "support/error.hpp"

namespace lcn {

std::string instance_text(const Instance& instance) {
  return fmt::format("{}: {} vertices, {} edges, grid {} x {}", instance.name, instance.graph.n(),
                     instance.graph.m(), instance.grid.width, instance.grid.height);
}

std::string bound_text(const LowerBound& bound) {
  const Certificate& proof = bound.certificate;
  return fmt::format("{} ({}: subgraph of {} vertices and {} edges)", bound.value, proof.rule, proof.n,
                     proof.m);
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

void write_output(const std::string& path, const std::string& text) {
  if (path.empty())
    fmt::print("{}", text);
  else
    write_file_atomically(path, text);
}

}  // namespace lcn
