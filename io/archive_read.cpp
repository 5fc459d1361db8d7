#include <fmt/format.h>

#include <map>
#include <set>

#include "crossings/oracle.hpp"
#include "crossings/validator.hpp"
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

bool has_result(const UnitRecord& row) {
  return row.status != "failed" && row.status != "rejected";
}

Instance stored_instance(const Hdf5File& file, const std::string& sha256) {
  const StoredInstance stored = read_stored_instance(file, sha256);
  const std::string place = "/instances/" + sha256;
  if (sha256_hex(stored.json) != sha256)
    file.wrong(place, "its text has another sha256 (the file was changed)");
  try {
    return parse_instance(stored.json, stored.name, file.name() + ": " + place);
  } catch (const Error& error) {
    throw Error(ErrorKind::rejected, error.what());
  }
}

// What is wrong with one row; empty when it is as verified.
std::string row_problem(const Hdf5File& file, const UnitRecord& row, const Instance& instance,
                        std::int64_t& drawings) {
  const Drawing drawing = read_drawing(file, row.unit);
  if (!has_result(row)) {
    if (row.final.K >= 0)
      return fmt::format("status {} with a verified tuple {}", row.status, to_string(row.final));
    return {};
  }
  ++drawings;
  if (drawing.size() != static_cast<std::size_t>(instance.graph.n()))
    return fmt::format("the drawing has {} points for {} vertices", drawing.size(), instance.graph.n());
  const Validation validation = validate(instance.graph, instance.grid, drawing);
  if (!validation.valid()) return fmt::format("the drawing is invalid: {}", validation.codes().front());
  const Tuple tuple = oracle_tuple(instance.graph, drawing);
  if (tuple != row.final)
    return fmt::format("stored tuple {} but the drawing has {}", to_string(row.final), to_string(tuple));
  if (row.claimed != row.final)
    return fmt::format("claimed tuple {} but verified {}", to_string(row.claimed), to_string(row.final));
  if (row.initial < row.final && row.initial.K >= 0)
    return fmt::format("the result {} is worse than its start {}", to_string(row.final),
                       to_string(row.initial));
  if (tuple.K < row.lower_bound)
    return fmt::format("K = {} is below the lower bound {}", tuple.K, row.lower_bound);
  if (row.optimal != (tuple.K == row.lower_bound))
    return fmt::format("optimal is {} but K = {} and the lower bound is {}", row.optimal, tuple.K,
                       row.lower_bound);
  if (row.target_reached && tuple.K > row.target_K)
    return fmt::format("target {} counts as reached but K = {}", row.target_K, tuple.K);
  return {};
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
    if (!has_result(rows[i])) continue;
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
    drawings.push_back({stored_instance(file, sha256), std::move(row)});
  }
  return drawings;
}

VerifyReport verify_archive(const std::string& path) {
  const Hdf5Lock lock;
  const Hdf5File file = open_checked(path);
  VerifyReport report;
  std::map<std::string, Instance> instances;
  std::map<std::string, std::string> damaged;  // instance -> why
  std::set<std::string> units;
  for (const UnitRecord& row : read_runs(file)) {
    ++report.rows;
    const auto mismatch = [&](const std::string& problem) {
      report.mismatches.push_back(
          fmt::format("unit {} ({}, repetition {}): {}", row.unit, row.instance, row.repetition, problem));
    };
    if (!units.insert(row.unit).second) mismatch("is in the archive twice");
    try {
      if (damaged.count(row.instance_sha256) == 0 && instances.count(row.instance_sha256) == 0)
        instances.emplace(row.instance_sha256, stored_instance(file, row.instance_sha256));
    } catch (const Error& error) {
      damaged.emplace(row.instance_sha256, error.what());
    }
    if (const auto found = damaged.find(row.instance_sha256); found != damaged.end()) {
      mismatch(found->second);
      continue;
    }
    try {
      if (const std::string problem =
              row_problem(file, row, instances.at(row.instance_sha256), report.drawings);
          !problem.empty())
        mismatch(problem);
    } catch (const Error& error) {
      mismatch(error.what());
    }
  }
  return report;
}

}  // namespace lcn
