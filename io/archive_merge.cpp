#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <unordered_map>

#include "io/archive.hpp"
#include "io/archive_layout.hpp"
#include "io/files.hpp"
#include "io/hdf5_lock.hpp"

namespace lcn {
namespace {

namespace fs = std::filesystem;

std::string first_difference(const std::string& a, const std::string& b) {
  const nlohmann::json first = nlohmann::json::parse(a, nullptr, false);
  const nlohmann::json second = nlohmann::json::parse(b, nullptr, false);
  if (first.is_object() && second.is_object()) {
    std::set<std::string> keys;
    for (const auto& [key, value] : first.items()) keys.insert(key);
    for (const auto& [key, value] : second.items()) keys.insert(key);
    for (const std::string& key : keys) {
      const auto text = [&](const nlohmann::json& document) {
        return document.contains(key) ? document[key].dump() : std::string("absent");
      };
      if (text(first) != text(second)) return fmt::format("{} is {} and {}", key, text(first), text(second));
    }
  }
  return fmt::format("{} and {}", a, b);
}

// One unit with everything that belongs to it.
struct UnitParts {
  UnitRecord row;    // without tables, as it is stored
  UnitRecord whole;  // with tables
  std::optional<StoredInstance> instance;
  std::string provenance;
};

// Collects units into a new file: their tables at once, their rows in memory until the end.
class Merger {
 public:
  Merger(const std::string& temporary, MergeReport& report)
      : file_(Hdf5File::create(temporary)), report_(report) {
    begin_layout(file_, "archive");
  }

  // Everything is read and checked before anything is written: a damaged unit (Error(rejected)) leaves
  // nothing behind.
  UnitParts read(const Hdf5File& from, UnitRecord row) const {
    UnitParts parts{.row = std::move(row), .whole = {}, .instance = {}, .provenance = {}};
    parts.whole = parts.row;
    read_unit_tables(from, parts.whole);
    const std::string& sha256 = parts.row.instance_sha256;
    if (!instances_.contains(sha256)) parts.instance = read_checked_instance(from, sha256);
    if (!provenances_.contains(parts.row.provenance))
      parts.provenance = read_checked_provenance(from, parts.row.provenance);
    return parts;
  }

  void add(UnitParts parts, const std::string& source) {
    require_same_configuration(parts.row, source);
    const auto [found, is_new] = index_.emplace(parts.row.unit, rows_.size());
    if (is_new) {
      rows_.emplace_back();
    } else {
      ++report_.duplicates;
      if (!replaces(parts.row, rows_[found->second], source)) return;
      remove_unit_tables(file_, parts.row.unit);
    }
    write_parts(parts);
    rows_[found->second] = std::move(parts.row);
  }

  bool has(const std::string& unit) const { return index_.count(unit) > 0; }
  std::size_t size() const { return rows_.size(); }

  void finish(const std::unordered_map<std::string, std::size_t>& plan_order) {
    const auto place = [&](const UnitRecord& row) {
      const auto found = plan_order.find(row.unit);
      return found == plan_order.end() ? plan_order.size() : found->second;
    };
    std::sort(rows_.begin(), rows_.end(), [&](const UnitRecord& a, const UnitRecord& b) {
      const std::size_t first = place(a), second = place(b);
      return first != second ? first < second : a.unit < b.unit;
    });
    write_runs(file_, rows_);
    file_.close();
  }

 private:
  void require_same_configuration(const UnitRecord& row, const std::string& source) {
    if (!configuration_) {
      configuration_ = row.config;
      root_seed_ = row.root_seed;
      first_source_ = source;
      time_limited_ = time_limited(row.config);
      return;
    }
    const std::string advice =
        "an archive has one configuration; merge each run into an archive of its own, and join their tables";
    if (row.config != *configuration_)
      throw Error(ErrorKind::rejected,
                  fmt::format("{}: mixed configurations: {} in {} and here ({})", source,
                              first_difference(*configuration_, row.config), first_source_, advice));
    if (row.root_seed != root_seed_)
      throw Error(ErrorKind::rejected,
                  fmt::format("{}: mixed configurations: root_seed is {} in {} and {} here ({})", source,
                              root_seed_, first_source_, row.root_seed, advice));
  }

  bool replaces(const UnitRecord& row, const UnitRecord& kept, const std::string& source) {
    if (standing(row) != standing(kept)) return standing(row) > standing(kept);
    if (standing(row) < 2 || row.final == kept.final) return false;
    if (!time_limited_)
      throw Error(
          ErrorKind::rejected,
          fmt::format(
              "{}: unit {} has the result {} here and {} elsewhere (with a step budget they must be equal); "
              "find out which program wrote each: lcn archive info",
              source, row.unit, to_string(row.final), to_string(kept.final)));
    report_.warnings.push_back(fmt::format("{}: unit {} has another result {}; the first one {} is kept",
                                           source, row.unit, to_string(row.final), to_string(kept.final)));
    return false;
  }

  void write_parts(const UnitParts& parts) {
    write_unit_tables(file_, parts.whole);
    if (parts.instance && instances_.insert(parts.row.instance_sha256).second)
      write_instance(file_, parts.row.instance_sha256, *parts.instance);
    if (provenances_.insert(parts.row.provenance).second)
      file_.write_text("/provenance/" + parts.row.provenance, parts.provenance);
  }

  Hdf5File file_;
  MergeReport& report_;
  std::vector<UnitRecord> rows_;
  std::unordered_map<std::string, std::size_t> index_;
  std::set<std::string> instances_, provenances_;
  std::optional<std::string> configuration_;
  std::int64_t root_seed_ = 0;
  std::string first_source_;
  bool time_limited_ = true;
};

struct Source {
  std::string path;
  enum Kind { archive, unit_file, older_archive } kind;
};

void read_plan_units(const std::string& path, std::vector<std::string>& planned) {
  const nlohmann::json plan = nlohmann::json::parse(read_text_file(path), nullptr, false);
  if (!plan.is_object() || !plan.contains("units") || !plan["units"].is_array())
    throw damaged_plan(path, "it has no list \"units\"");
  for (const nlohmann::json& unit : plan["units"]) {
    if (!unit.is_object() || !unit.contains("unit") || !unit["unit"].is_string())
      throw damaged_plan(path, "units: an entry has no text \"unit\"");
    planned.push_back(unit["unit"].get<std::string>());
  }
}

void add_folder(const std::string& folder, const std::string& out, std::vector<Source>& sources,
                std::vector<std::string>& planned) {
  const std::string plan = folder + "/plan.json", units = folder + "/units", archive = folder + "/archive.h5";
  if (!fs::exists(plan) && !fs::exists(units) && !fs::exists(archive))
    throw input_error(fmt::format("{}: not a run folder (it has no plan.json, units or archive.h5)", folder));
  if (fs::exists(plan)) read_plan_units(plan, planned);
  std::vector<std::string> files;
  if (fs::exists(units))
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(units))
      if (entry.path().extension() == ".h5") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  for (std::string& file : files) sources.push_back({std::move(file), Source::unit_file});
  if (fs::exists(archive)) sources.push_back({archive, Source::older_archive});
}

// A unit file of a run folder: one that is damaged or was changed is passed over, with the reason in
// `unreadable`, by unit.
void add_unit_file(Merger& merger, const std::string& path,
                   std::vector<std::pair<std::string, std::string>>& unreadable) {
  std::optional<Hdf5File> file;
  std::optional<UnitParts> parts;
  try {
    file.emplace(Hdf5File::open_image(read_text_file(path), path));
    check_layout(*file);
    std::vector<UnitRecord> rows = read_runs(*file);
    if (rows.size() != 1) file->wrong("/runs", fmt::format("has {} rows (a unit file has one)", rows.size()));
    if (fs::path(path).stem() != rows[0].unit)
      file->wrong("/runs", fmt::format("holds unit {} (copied or renamed?)", rows[0].unit));
    parts = merger.read(*file, std::move(rows[0]));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::rejected || (file && has_other_schema(*file))) throw;
    unreadable.emplace_back(fs::path(path).stem().string(), error.what());
    return;
  }
  merger.add(std::move(*parts), path);
}

// The archive that is to be replaced, for units that have no file any more. It is derived from unit files, so
// that damage to it stops nothing. Returns whether it is damaged.
bool add_older_archive(Merger& merger, const std::string& path, MergeReport& report) {
  std::optional<Hdf5File> file;
  const auto warn = [&](const Error& error) {
    if (error.kind() != ErrorKind::rejected || (file && has_other_schema(*file))) throw error;
    report.warnings.push_back(fmt::format(
        "{} (an archive is derived from unit files) it is made anew, the old one is kept as {}.damaged",
        error.what(), path));
  };
  std::vector<UnitRecord> rows;
  try {
    file.emplace(Hdf5File::open(path));
    check_layout(*file);
    rows = read_runs(*file);
  } catch (const Error& error) {
    warn(error);
    return true;
  }
  bool damaged = false;
  for (UnitRecord& row : rows) {
    if (merger.has(row.unit)) continue;
    std::optional<UnitParts> parts;
    try {
      parts = merger.read(*file, std::move(row));
    } catch (const Error& error) {
      warn(error);
      damaged = true;
    }
    if (parts) merger.add(std::move(*parts), path);
  }
  return damaged;
}

// An archive or unit file that was named: damage is an error.
void add_archive(Merger& merger, const std::string& path) {
  const Hdf5File file = Hdf5File::open(path);
  check_layout(file);
  for (UnitRecord& row : read_runs(file)) merger.add(merger.read(file, std::move(row)), path);
}

}  // namespace

Error damaged_plan(const std::string& path, const std::string& why) {
  return input_error(
      fmt::format("{}: not a plan ({}; the finished units beside it are safe) move the file away and run the "
                  "commands of this run again: they make it anew and compute no finished unit twice",
                  path, why));
}

MergeReport merge_archives(const std::vector<std::string>& inputs, const std::string& out,
                           const MergeOptions& options) {
  MergeReport report;
  report.archive = out;
  std::vector<Source> sources;
  std::vector<std::string> planned;
  for (const std::string& input : inputs) {
    if (!fs::exists(input)) throw input_error(input + ": no such file or folder");
    if (!fs::is_directory(input)) sources.push_back({input, Source::archive});
  }
  check_output_file(out, false);
  const FileLock lock(out + ".lock");
  try {
    for (const std::string& input : inputs)
      if (fs::is_directory(input)) add_folder(input, out, sources, planned);
  } catch (const fs::filesystem_error& error) {
    throw input_error(fmt::format("{}: cannot be read ({})", error.path1().string(), error.code().message()));
  }
  const std::string temporary = temporary_name(out);
  std::string damaged;
  std::vector<std::pair<std::string, std::string>> unreadable;
  TemporaryFile guard(temporary);
  {
    const Hdf5Lock hdf5;
    Merger merger(temporary, report);
    for (const Source& source : sources) {
      if (source.kind == Source::archive) add_archive(merger, source.path);
      if (source.kind == Source::unit_file) add_unit_file(merger, source.path, unreadable);
      if (source.kind == Source::older_archive && add_older_archive(merger, source.path, report))
        damaged = source.path;
    }
    for (const auto& [unit, reason] : unreadable)
      if (merger.has(unit))
        report.warnings.push_back(reason + " Its row is taken from the older archive.");
      else
        report.unreadable.push_back(reason);
    if (merger.size() == 0 && planned.empty())
      throw input_error(fmt::format("{}: there are no units to merge{}", inputs.front(),
                                    damaged.empty() ? "" : " (" + damaged + " cannot be read)"));
    std::unordered_map<std::string, std::size_t> plan_order;
    for (const std::string& unit : planned) {
      if (!plan_order.emplace(unit, plan_order.size()).second) continue;
      if (!merger.has(unit)) report.missing.push_back(unit);
    }
    report.units = static_cast<std::int64_t>(merger.size());
    if (!report.complete() && !options.partial) return report;
    merger.finish(plan_order);
  }
  guard.keep();
  if (damaged == out) rename_file(out, out + ".damaged");
  publish_file(temporary, out);
  report.written = true;
  return report;
}

MergeReport merge_run(const std::string& run_folder, const MergeOptions& options) {
  return merge_archives({run_folder}, run_folder + "/archive.h5", options);
}

}  // namespace lcn
