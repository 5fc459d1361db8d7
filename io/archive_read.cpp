#include <fmt/format.h>

#include <map>

#include "io/archive.hpp"
#include "io/archive_layout.hpp"
#include "io/hdf5_lock.hpp"

namespace lcn {
namespace {

Hdf5File open_checked(const std::string& path) {
  Hdf5File file = Hdf5File::open(path);
  check_layout(file);
  return file;
}

}  // namespace

std::vector<UnitRecord> read_archive_rows(const std::string& path) {
  const Hdf5Lock lock;
  return read_runs(open_checked(path));
}

UnitRecord read_archive_unit(const std::string& path, const std::string& unit) {
  const Hdf5Lock lock;
  const Hdf5File file = open_checked(path);
  for (UnitRecord& row : read_runs(file))
    if (row.unit == unit) {
      read_unit_tables(file, row);
      return std::move(row);
    }
  throw input_error(fmt::format("{}: has no unit {} (lcn archive export --csv lists them)", path, unit));
}

std::string read_archive_provenance(const std::string& path, const std::string& key) {
  const Hdf5Lock lock;
  return open_checked(path).read_text("/provenance/" + key);
}

std::vector<BestDrawing> read_best_drawings(const std::string& path) {
  const Hdf5Lock lock;
  const Hdf5File file = open_checked(path);
  std::vector<UnitRecord> rows = read_runs(file);
  std::map<std::string, std::size_t> best;
  std::vector<std::string> order;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (standing(rows[i]) == 0) continue;
    const auto [found, is_new] = best.emplace(rows[i].instance_sha256, i);
    if (is_new)
      order.push_back(rows[i].instance_sha256);
    else if (rows[i].final < rows[found->second].final)
      found->second = i;
  }
  std::vector<BestDrawing> drawings;
  for (const std::string& sha256 : order) {
    UnitRecord& row = rows[best[sha256]];
    row.drawing = read_drawing(file, row.unit);
    drawings.push_back({parse_stored_instance(file, sha256), std::move(row)});
  }
  return drawings;
}

}  // namespace lcn
