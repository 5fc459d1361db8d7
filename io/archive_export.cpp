#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "crossings/oracle.hpp"
#include "crossings/validator.hpp"
#include "io/archive.hpp"
#include "io/files.hpp"
#include "io/run_columns.hpp"
#include "support/error.hpp"
#include "support/plural.hpp"

namespace lcn {
namespace {

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_value(const RunColumn& column, const UnitRecord& row) {
  if (column.is_text()) return csv_text(column.text(row));
  if (column.is_integer()) return fmt::format("{}", column.integer(row));
  if (column.is_boolean()) return column.boolean(row) ? "TRUE" : "FALSE";
  const double value = column.real(row);
  return std::isnan(value) ? "nan"
                           : fmt::format("{}", value);  // shortest text that reads back as the same number
}

// A file name without folders; two instances of one name get their hash behind it.
std::string export_name(const Instance& instance, std::set<std::string>& taken) {
  std::string name = instance.name.empty() ? "instance" : instance.name;
  std::replace(name.begin(), name.end(), '/', '_');
  if (!taken.insert(name).second) {
    name.append("-").append(to_hex(instance.hash), 0, 8);
    taken.insert(name);
  }
  return name + ".json";
}

}  // namespace

std::string archive_info(const std::string& path) {
  const std::vector<UnitRecord> rows = read_archive_rows(path);
  struct Summary {
    std::int64_t units = 0, optimal = 0;
    Tuple best{-1, -1, -1, -1};
    std::int64_t bound = 0;
  };
  std::map<std::string, std::int64_t> statuses;
  std::map<std::pair<std::string, std::string>, Summary> instances;
  std::set<std::string> configurations, provenances;
  double seconds = 0;
  for (const UnitRecord& row : rows) {
    ++statuses[row.status];
    configurations.insert(row.config);
    provenances.insert(row.provenance);
    seconds += row.wall_time;
    Summary& summary = instances[{row.instance, row.instance_sha256}];
    ++summary.units;
    summary.bound = std::max(summary.bound, row.lower_bound);
    summary.optimal += row.optimal;
    if (row.final.K >= 0 && (summary.best.K < 0 || row.final < summary.best)) summary.best = row.final;
  }
  std::string text = fmt::format("{}\nschema version 1, {} of {}, {}, {:.1f} s of computing\nstatus:", path,
                                 plural(rows.size(), "unit"), plural(instances.size(), "instance"),
                                 plural(provenances.size(), "job"), seconds);
  for (const auto& [status, count] : statuses) text += fmt::format(" {} {}", count, status);
  text += "\n";
  for (const std::string& configuration : configurations) text += "configuration: " + configuration + "\n";
  text += fmt::format("{:<32} {:>6} {:>6} {:>6}  best (K, n_K, Phi, C)\n", "instance", "units", "proven",
                      "bound");
  for (const auto& [name, summary] : instances)
    text += fmt::format("{:<32} {:>6} {:>6} {:>6}  {}\n", name.first, summary.units, summary.optimal,
                        summary.bound, summary.best.K < 0 ? "none" : to_string(summary.best));
  return text;
}

std::string archive_csv(const std::string& path) {
  std::string text;
  for (const RunColumn& column : run_columns()) text += std::string(column.name) + ",";
  text += "seed\n";
  for (const UnitRecord& row : read_archive_rows(path)) {
    for (const RunColumn& column : run_columns()) text += csv_value(column, row) + ",";
    text += fmt::format("{}\n", row.repetition);
  }
  return text;
}

std::vector<std::string> export_best(const std::string& path, const std::string& folder) {
  const std::vector<BestDrawing> drawings = read_best_drawings(path);
  for (const BestDrawing& best : drawings) {  // all are checked before anything is written
    const bool sized = best.row.drawing.size() == static_cast<std::size_t>(best.instance.graph.n());
    if (!sized || !validate(best.instance.graph, best.instance.grid, best.row.drawing).valid() ||
        oracle_tuple(best.instance.graph, best.row.drawing) != best.row.final)
      throw Error(ErrorKind::rejected,
                  fmt::format("{}: unit {}: the stored drawing is not what the row says (the file was "
                              "changed); see lcn archive verify",
                              path, best.row.unit));
  }
  make_folder(folder);
  std::vector<std::string> paths;
  std::set<std::string> taken;
  for (const BestDrawing& best : drawings) {
    paths.push_back(folder + "/" + export_name(best.instance, taken));
    write_file_atomically(paths.back(), instance_json(best.instance, best.row.drawing));
  }
  return paths;
}

}  // namespace lcn
