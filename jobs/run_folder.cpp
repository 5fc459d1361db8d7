#include "jobs/run_folder.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "crossings/oracle.hpp"
#include "crossings/validator.hpp"
#include "io/archive.hpp"
#include "io/contest_json.hpp"
#include "io/files.hpp"
#include "io/unit_file.hpp"
#include "support/error.hpp"
#include "support/sha256.hpp"

namespace lcn {
namespace {

namespace fs = std::filesystem;

nlohmann::json to_json(const Tuple& t) {
  return {t.K, t.n_K, t.Phi, t.C};
}

std::string checkpoint_title(const std::string& unit) {
  static const std::string program = to_hex(sha256_file("/proc/self/exe"));
  return fmt::format("lcn checkpoint of unit {} by program {}\n", unit, program);
}

// The tuple of a drawing that an earlier job left in best/, if it is one of this instance.
std::optional<Tuple> stored_tuple(const std::string& path, const Instance& instance) {
  std::error_code none;
  if (!fs::exists(path, none)) return std::nullopt;
  try {
    const Instance stored = read_instance(path);
    if (!stored.drawing || stored.graph.edges() != instance.graph.edges() || stored.grid != instance.grid ||
        !validate(stored.graph, stored.grid, *stored.drawing).valid())
      return std::nullopt;
    return oracle_tuple(stored.graph, *stored.drawing);
  } catch (const Error&) {
    return std::nullopt;  // replaced by the next drawing
  }
}

// The byte of RUN/.claims.lock that stands for a unit: the first 15 hex digits of its id, since offsets in
// files end at 2^63.
std::int64_t claim_byte(const std::string& unit) {
  return static_cast<std::int64_t>(std::stoull(unit.substr(0, 15), nullptr, 16));
}

// The unit's file, if it is there, whole, and of this unit.
std::optional<UnitRecord> stored_unit(const std::string& folder, const std::string& unit) {
  const std::string path = unit_file_path(folder, unit);
  std::error_code none;
  if (!fs::exists(path, none)) return std::nullopt;
  try {
    UnitRecord record = read_unit_file(path);
    if (record.unit == unit) return record;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::rejected && error.kind() != ErrorKind::input) throw;
  }
  return std::nullopt;
}

// Adds the unit if its file is whole and its own.
void read_finished(const std::string& unit, const std::string& path,
                   std::map<std::string, RunFolder::Finished>& finished, std::vector<std::string>& warnings) {
  try {
    const UnitRecord record = read_unit_file(path);
    if (record.unit == unit)
      finished[unit] = {record.status};
    else
      warnings.push_back(
          fmt::format("{}: holds unit {} (copied or renamed?) it is computed again", path, record.unit));
  } catch (const Error& error) {
    warnings.push_back(fmt::format("{} (the unit is computed again)", error.what()));
  }
}

}  // namespace

std::string RunFolder::best_path(const UnitRecord& unit) const {
  // The unit id makes the name unique; a long instance name would be too long for the file system, a leading
  // dot hide it.
  std::string name = unit.instance;
  std::size_t cut = std::min<std::size_t>(name.size(), 100);
  while (cut > 0 && cut < name.size() && (static_cast<unsigned char>(name[cut]) & 0xC0) == 0x80) --cut;
  name.resize(cut);
  if (name.starts_with('.')) name.insert(0, 1, '_');
  return fmt::format("{}/best/{}-{}-{}.json", path_, name, unit.repetition, unit.unit);
}

std::optional<Plan> RunFolder::read_plan() const {
  const std::string path = path_ + "/plan.json";
  std::error_code none;
  if (!fs::exists(path, none)) return std::nullopt;
  return parse_plan(read_text_file(path), path);
}

Plan RunFolder::extend_plan(const Plan& mine, const std::vector<std::int64_t>& repetitions) {
  make_folder(path_);
  const FileLock lock(path_ + "/.plan.lock");
  std::optional<Plan> plan = read_plan();
  const std::string before = plan ? plan_json(*plan) : "";
  if (plan) require_same(plan->configuration, mine.configuration, path_);
  if (!plan) plan.emplace();
  plan->configuration = mine.configuration;  // with a step budget the file does not say on what to compute
  std::vector<std::size_t> instances;
  for (const PlannedInstance& instance : mine.instances) {
    std::optional<std::size_t> place = plan->find_instance(instance.sha256);
    if (!place) {
      place = plan->instances.size();
      plan->instances.push_back(instance);
    }
    instances.push_back(*place);
  }
  plan->add(instances, repetitions);
  const std::string after = plan_json(*plan);
  if (after != before) write_file_atomically(path_ + "/plan.json", after);
  return *plan;
}

std::map<std::string, RunFolder::Finished> RunFolder::find_finished(
    const std::vector<std::string>& units, std::vector<std::string>& warnings) const {
  std::map<std::string, Finished> finished;
  std::map<std::string, std::string> archived;  // status by unit
  std::string damage;
  std::error_code error;
  const fs::file_time_type archived_at = fs::last_write_time(archive_path(), error);
  if (!error && !units.empty()) try {
      for (UnitRecord& row : read_archive_rows(archive_path()))
        if (row.status != "interrupted") archived[row.unit] = std::move(row.status);
    } catch (const Error& failure) {
      if (failure.kind() != ErrorKind::rejected) throw;
      damage = failure.what();
    }
  bool files_are_missing = false;
  for (const std::string& unit : units) {
    const std::string path = unit_file_path(path_, unit);
    const fs::file_time_type stored_at = fs::last_write_time(path, error);
    const auto row = archived.find(unit);
    if (row != archived.end() && (error || stored_at < archived_at)) {
      finished[unit] = {row->second};
    } else if (!error) {
      read_finished(unit, path, finished, warnings);
    } else {
      files_are_missing = true;
    }
  }
  if (files_are_missing && !damage.empty())
    warnings.push_back(damage + " Units without a file are computed again, then it is made anew.");
  return finished;
}

bool RunFolder::archive_is_current(const std::vector<PlannedUnit>& units) const {
  std::error_code error;
  const auto archived_at = fs::last_write_time(archive_path(), error);
  if (error) return false;
  std::set<std::string> archived;
  try {
    for (const UnitRecord& row : read_archive_rows(archive_path())) archived.insert(row.unit);
  } catch (const Error&) {
    return false;
  }
  for (const PlannedUnit& unit : units) {
    if (!archived.contains(unit.id)) return false;
    const auto stored_at = fs::last_write_time(unit_file_path(path_, unit.id), error);
    if (!error && stored_at > archived_at) return false;
  }
  return true;
}

Claim RunFolder::claim(const std::string& unit, bool rerun_failed) {
  if (!claims_) claims_.emplace(path_ + "/.claims.lock");
  if (!claims_->take(claim_byte(unit))) return Claim::elsewhere;
  const std::optional<UnitRecord> found = stored_unit(path_, unit);
  if (!found || standing(*found) == 1 || (standing(*found) == 0 && rerun_failed)) return Claim::taken;
  claims_->release(claim_byte(unit));
  return Claim::finished;
}

void RunFolder::store_unit(const UnitRecord& record, const Instance& instance) {
  const std::optional<UnitRecord> found = stored_unit(path_, record.unit);
  if (!found || standing(*found) < 2) {
    write_unit_file(path_, record, instance, provenance_);
  } else if (standing(record) == 2 && record.final != found->final && !time_limited(record.config)) {
    UnitRecord refused = record;
    refused.error =
        fmt::format("{}: has the result {}, this job found {} (with a step budget they must be equal)",
                    unit_file_path(path_, record.unit), to_string(found->final), to_string(record.final));
    store_diagnostic(refused, instance, record.drawing);
    throw Error(ErrorKind::rejected,
                refused.error + " the first is kept; compare the programs that made them: lcn archive info");
  }
  std::error_code none;  // one that stays does no harm
  fs::remove(checkpoint_path(record.unit), none);
  stored_.insert(record.unit);
  if (claims_) claims_->release(claim_byte(record.unit));
}

std::string RunFolder::checkpoint_path(const std::string& unit) const {
  return fmt::format("{}/checkpoints/{}", path_, unit);
}

// A line that names program and unit, a line with the sha256 of the rest, the rest.
void RunFolder::store_checkpoint(const UnitRecord& unit, const std::string& state) {
  make_folder(path_ + "/checkpoints");
  write_file_atomically(checkpoint_path(unit.unit),
                        checkpoint_title(unit.unit) + sha256_hex(state) + "\n" + state);
}

std::string RunFolder::read_checkpoint(const std::string& unit, std::vector<std::string>& warnings) const {
  const std::string path = checkpoint_path(unit);
  std::error_code none;
  if (!fs::exists(path, none)) return {};
  const std::string text = read_text_file(path), title = checkpoint_title(unit);
  constexpr std::size_t kHash = 64;
  if (text.size() < title.size() && title.starts_with(text)) {
    warnings.push_back(fmt::format("{}: damaged checkpoint (it is cut) the unit starts anew", path));
    return {};
  }
  if (!text.starts_with(title)) {
    warnings.push_back(fmt::format(
        "{}: checkpoint of another build of lcn (its layout may differ) the unit starts anew", path));
    return {};
  }
  std::string state = text.size() > title.size() + kHash ? text.substr(title.size() + kHash + 1) : "";
  if (text.compare(title.size(), kHash, sha256_hex(state)) != 0) {
    warnings.push_back(fmt::format("{}: damaged checkpoint (its sha256 differs) the unit starts anew", path));
    return {};
  }
  return state;
}

void RunFolder::store_best(const UnitRecord& unit, const Instance& instance, const Drawing& drawing,
                           const Tuple& tuple) {
  const std::string path = best_path(unit);
  auto known = best_.find(unit.unit);
  if (known == best_.end())
    if (const std::optional<Tuple> stored = stored_tuple(path, instance))
      known = best_.emplace(unit.unit, *stored).first;
  if (known != best_.end() && known->second <= tuple) return;
  make_folder(path_ + "/best");
  write_file_atomically(path, instance_json(instance, drawing));
  best_[unit.unit] = tuple;
}

void RunFolder::store_diagnostic(const UnitRecord& record, const Instance&, const Drawing& drawing) {
  nlohmann::json points = nlohmann::json::array();
  for (const Point& p : drawing) points.push_back({p.x, p.y});
  const nlohmann::json text = {{"unit", record.unit},
                               {"instance", record.instance},
                               {"instance_sha256", record.instance_sha256},
                               {"repetition", record.repetition},
                               {"root_seed", record.root_seed},
                               {"config", record.config},
                               {"status", record.status},
                               {"error", record.error},
                               {"claimed", to_json(record.claimed)},
                               {"backend", record.backend},
                               {"rank", record.rank},
                               {"host", record.host},
                               {"drawing", std::move(points)}};
  make_folder(path_ + "/diagnostics");
  write_file_atomically(fmt::format("{}/diagnostics/{}.json", path_, record.unit), text.dump(1) + "\n");
}

}  // namespace lcn
