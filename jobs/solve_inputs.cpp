#include "jobs/solve_inputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "crossings/validator.hpp"
#include "io/archive.hpp"
#include "layout/admission.hpp"
#include "support/error.hpp"
#include "support/plural.hpp"
#include "support/sha256.hpp"

namespace lcn {
namespace {

// V1 and V2 of a file's own coordinates, which are legal input; in O(n log n).
std::string input_warning(const Instance& instance) {
  if (!instance.drawing) return {};
  std::size_t outside = 0;
  std::set<std::pair<std::int64_t, std::int64_t>> points;
  for (const Point& p : *instance.drawing) {
    if (!instance.grid.contains(p)) ++outside;
    points.emplace(p.x, p.y);
  }
  const std::size_t coincident = instance.drawing->size() - points.size();
  if (outside == 0 && coincident == 0) return {};
  return fmt::format(
      "{}: {} off the grid, {} at the point of another (they are moved before this drawing is used as a "
      "start)",
      instance.path, plural(outside, "vertex", "vertices"), plural(coincident, "vertex", "vertices"));
}

std::vector<std::pair<VertexId, VertexId>> sorted_edges(const Graph& graph) {
  std::vector<std::pair<VertexId, VertexId>> edges;
  for (const Edge& e : graph.edges()) edges.emplace_back(std::min(e.a, e.b), std::max(e.a, e.b));
  std::sort(edges.begin(), edges.end());
  return edges;
}

constexpr std::string_view kFile = "file:", kArchive = "archive:";

}  // namespace

LoadedInstances load_instances(const std::vector<std::string>& paths) {
  LoadedInstances loaded;
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    try {
      for (std::string& file : find_instance_files({path}))
        if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(std::move(file));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
      loaded.problems.push_back(error.what());
    }
  }
  std::map<Sha256, std::string> seen;
  for (const std::string& file : files) {
    try {
      auto instance = std::make_shared<const Instance>(read_instance(file));
      const auto [first, is_new] = seen.emplace(instance->hash, file);
      if (!is_new) {
        loaded.warnings.push_back(
            fmt::format("{}: same content as {} (it is solved once)", file, first->second));
        continue;
      }
      if (std::string warning = input_warning(*instance); !warning.empty())
        loaded.warnings.push_back(std::move(warning));
      loaded.instances.push_back(std::move(instance));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
      loaded.problems.push_back(error.what());
    }
  }
  if (loaded.instances.empty()) throw input_error(fmt::format("{}", fmt::join(loaded.problems, "\n     ")));
  return loaded;
}

bool WarmStarts::is_warm(const std::string& start) {
  return start.starts_with(kFile) || start.starts_with(kArchive);
}

std::string WarmStarts::below(const std::string& folder, const std::string& start) {
  const std::size_t path = start.find(':') + 1;
  if (path == start.size()) return start;  // no path, which is the constructor's error
  return start.substr(0, path) +
         (std::filesystem::path(folder) / start.substr(path)).lexically_normal().string();
}

WarmStarts::WarmStarts(const std::string& start) : start_(start) {
  const bool from_file = start.starts_with(kFile);
  const std::string path = start.substr(from_file ? kFile.size() : kArchive.size());
  if (path.empty()) throw usage_error(fmt::format("--start {}: no path after the colon", start));
  canonical_ = fmt::format("{}{}", from_file ? kFile : kArchive, to_hex(sha256_file(path)));
  if (from_file) {
    file_ = std::make_shared<const Instance>(read_instance(path));
    if (!file_->drawing)
      throw input_error(
          fmt::format("--start {}: nodes have no x and y (there is no drawing to start from)", start));
    return;
  }
  for (BestDrawing& best : read_best_drawings(path))
    archive_[best.row.instance_sha256] = std::move(best.row.drawing);
}

Drawing WarmStarts::drawing(const Instance& instance, std::vector<std::string>& warnings,
                            const StopFunction& stop) const {
  const Drawing* drawing = nullptr;
  if (file_) {
    if (file_->graph.n() != instance.graph.n() || sorted_edges(file_->graph) != sorted_edges(instance.graph))
      throw input_error(
          fmt::format("{}: --start {} is a drawing of another graph ({} and {}, here {} and {})",
                      instance.path, start_, plural(file_->graph.n(), "vertex", "vertices"),
                      plural(file_->graph.m(), "edge"), instance.graph.n(), instance.graph.m()));
    drawing = &*file_->drawing;
  } else {
    const auto found = archive_.find(to_hex(instance.hash));
    if (found == archive_.end())
      throw input_error(fmt::format(
          "{}: --start {} has no drawing of this instance (same content, by sha256)", instance.path, start_));
    drawing = &found->second;
  }
  if (validate(instance.graph, instance.grid, *drawing, 100, stop).valid()) return *drawing;
  const SeedPath seed{0, instance.hash, 0};  // the same repair for all repetitions
  AdmissionOptions options;
  options.stop = stop;
  Admission admission =
      admit(instance.graph, instance.grid, *drawing, derive_key(seed, Purpose::admission), options);
  warnings.push_back(fmt::format("{}: --start {} is not a valid drawing (repaired, {} moved)", instance.path,
                                 start_, plural(admission.repaired, "vertex", "vertices")));
  return std::move(admission.drawing);
}

}  // namespace lcn
