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

// 2 finished, 1 interrupted, 0 failed: a unit that ran again replaces its failure.
int standing(const UnitRecord& row) {
  if (row.status == "failed" || row.status == "rejected") return 0;
  return row.status == "interrupted" ? 1 : 2;
}

// A result is a function of seed and configuration only if no clock ended it.
bool time_limited(const std::string& config) {
  const nlohmann::json document = nlohmann::json::parse(config, nullptr, false);
  return !document.is_object() || !document.contains("time") || !document["time"].is_null();
}

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

// Collects units into a new file: their tables at once, their rows in memory until the end.
class Merger {
 public:
  Merger(const std::string& temporary, MergeReport& report)
      : file_(Hdf5File::create(temporary)), report_(report) {
    begin_layout(file_, "archive");
  }

  void add(const Hdf5File& from, UnitRecord row, const std::string& source) {
    require_same_configuration(row, source);
    const auto [found, is_new] = index_.emplace(row.unit, rows_.size());
    if (!is_new) {
      ++report_.duplicates;
      UnitRecord& kept = rows_[found->second];
      if (!replaces(row, kept, source)) return;
      remove_unit_tables(file_, row.unit);
      copy_parts(from, row);
      kept = std::move(row);
      return;
    }
    copy_parts(from, row);
    rows_.push_back(std::move(row));
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
    const std::string advice = "an archive has one configuration; merge each run on its own";
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

  void copy_parts(const Hdf5File& from, const UnitRecord& row) {
    copy_unit_tables(from, file_, row.unit);
    if (instances_.insert(row.instance_sha256).second)
      write_instance(file_, row.instance_sha256, read_stored_instance(from, row.instance_sha256));
    if (const std::string text = "/provenance/" + row.provenance;
        provenances_.insert(text).second && from.exists(text))
      file_.write_text(text, from.read_text(text));
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
  bool unit_file = false;     // one of a folder's: passed over when it cannot be read
  bool only_missing = false;  // the archive that is to be replaced: for units that have no file any more
};

void read_plan_units(const std::string& path, std::vector<std::string>& planned) {
  const nlohmann::json plan = nlohmann::json::parse(read_text_file(path), nullptr, false);
  if (!plan.is_object() || !plan.contains("units") || !plan["units"].is_array())
    throw input_error(fmt::format("{}: not a plan (it has no list \"units\")", path));
  for (const nlohmann::json& unit : plan["units"]) {
    if (!unit.is_object() || !unit.contains("unit") || !unit["unit"].is_string())
      throw input_error(fmt::format("{}: units: an entry has no text \"unit\"", path));
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
  for (std::string& file : files) sources.push_back({std::move(file), true, false});
  if (fs::exists(archive)) sources.push_back({archive, false, true});
}

void add_source(Merger& merger, const Source& source, MergeReport& report) {
  std::optional<Hdf5File> file;
  std::vector<UnitRecord> rows;
  try {
    file.emplace(source.unit_file ? Hdf5File::open_image(read_text_file(source.path), source.path)
                                  : Hdf5File::open(source.path));
    if (source.unit_file) rows = read_runs(*file);
  } catch (const Error& error) {
    if (!source.unit_file || error.kind() != ErrorKind::rejected) throw;
    if (file) check_layout(*file);  // another schema explains what could not be read, and is refused
    report.unreadable.push_back(error.what());
    return;
  }
  check_layout(*file);
  if (!source.unit_file) rows = read_runs(*file);
  for (UnitRecord& row : rows)
    if (!source.only_missing || !merger.has(row.unit)) merger.add(*file, std::move(row), source.path);
}

}  // namespace

MergeReport merge_archives(const std::vector<std::string>& inputs, const std::string& out,
                           const MergeOptions& options) {
  MergeReport report;
  report.archive = out;
  std::vector<Source> sources;
  std::vector<std::string> planned;
  for (const std::string& input : inputs) {
    if (!fs::exists(input)) throw input_error(input + ": no such file or folder");
    if (!fs::is_directory(input)) sources.push_back({input, false, false});
  }
  const FileLock lock(out + ".lock");
  try {
    for (const std::string& input : inputs)
      if (fs::is_directory(input)) add_folder(input, out, sources, planned);
  } catch (const fs::filesystem_error& error) {
    throw input_error(fmt::format("{}: cannot be read ({})", error.path1().string(), error.code().message()));
  }
  const std::string temporary = temporary_name(out);
  TemporaryFile guard(temporary);
  {
    const Hdf5Lock hdf5;
    Merger merger(temporary, report);
    for (const Source& source : sources) add_source(merger, source, report);
    if (merger.size() == 0 && planned.empty())
      throw input_error(fmt::format("{}: there are no units to merge", inputs.front()));
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
  publish_file(temporary, out);
  report.written = true;
  return report;
}

MergeReport merge_run(const std::string& run_folder, const MergeOptions& options) {
  return merge_archives({run_folder}, run_folder + "/archive.h5", options);
}

}  // namespace lcn
