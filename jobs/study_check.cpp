#include "jobs/study_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "io/archive.hpp"
#include "io/files.hpp"
#include "io/unit_file.hpp"
#include "jobs/study_job.hpp"
#include "support/error.hpp"
#include "support/sha256.hpp"

namespace lcn {
namespace {

namespace fs = std::filesystem;

class StudyChecker {
 public:
  StudyChecker(const std::string& folder, StudyCheck& check)
      : folder_(folder), check_(check), manifest_(check.manifest) {
    check_.records.resize(manifest_.order.size());
    for (std::size_t u = 0; u < manifest_.order.size(); ++u) place_[manifest_.order[u].id] = u;
  }

  void run() {
    std::set<std::string> names;
    for (const ManifestConfiguration& c : manifest_.configurations) names.insert(c.name);
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder_ + "/runs", none))
      if (!names.contains(entry.path().filename().string()))
        problem(entry.path().string(), "is no configuration of the manifest");
    for (std::size_t c = 0; c < manifest_.configurations.size(); ++c) check_run(c);
    for (std::size_t u = 0; u < manifest_.order.size(); ++u)
      if (check_.records[u].unit.empty()) check_.missing.push_back(text_of(manifest_.order[u]));
  }

 private:
  void problem(const std::string& place, const std::string& what) {
    // messages of files name their file already
    check_.problems.push_back(what.starts_with(place) ? what : fmt::format("{}: {}", place, what));
  }

  std::string text_of(const StudyUnit& unit) const {
    return fmt::format("unit {} ({}, {}, seed {})", unit.id,
                       manifest_.configurations[unit.configuration].name,
                       manifest_.instances[unit.instance].name, unit.repetition);
  }

  // The index in the manifest's order, if the unit is one of this configuration.
  std::optional<std::size_t> find(const std::string& unit, std::size_t configuration) const {
    const auto found = place_.find(unit);
    if (found == place_.end() || manifest_.order[found->second].configuration != configuration)
      return std::nullopt;
    return found->second;
  }

  void check_run(std::size_t c) {
    const std::string run = study_run_folder(folder_, manifest_.configurations[c].name);
    std::error_code none;
    if (!fs::exists(run, none)) return;  // its units are missing
    check_plan(c, run + "/plan.json");
    if (fs::exists(run + "/units", none))
      for (const auto& entry : fs::recursive_directory_iterator(run + "/units"))
        if (entry.path().extension() == ".h5") check_unit_file(c, run, entry.path());
    if (fs::exists(run + "/archive.h5", none)) check_archive(c, run + "/archive.h5");
  }

  void check_plan(std::size_t c, const std::string& path) {
    try {
      const Plan plan = parse_plan(read_text_file(path), path);
      const Configuration& expected = manifest_.configurations[c].configuration;
      if (plan.configuration.json() != expected.json() || plan.configuration.root_seed != expected.root_seed)
        problem(path, fmt::format("its configuration is {}, in the manifest {}", plan.configuration.json(),
                                  expected.json()));
      std::set<std::string> planned, hashes;
      for (const PlannedUnit& unit : plan.units) {
        planned.insert(unit.id);
        if (!find(unit.id, c)) problem(path, fmt::format("unit {} is not in the manifest", unit.id));
      }
      for (const StudyUnit& unit : manifest_.order)
        if (unit.configuration == c && !planned.contains(unit.id))
          problem(path, text_of(unit) + " is not in the plan");
      for (const PlannedInstance& instance : plan.instances) hashes.insert(instance.sha256);
      for (const StudyInstance& instance : manifest_.instances)
        if (hashes.erase(instance.sha256) == 0)
          problem(path, fmt::format("instance {} ({}) is not in the plan", instance.name, instance.sha256));
      for (const std::string& hash : hashes)
        problem(path, fmt::format("instance {} is not in the manifest", hash));
    } catch (const Error& error) {
      problem(path, error.what());
    }
  }

  void check_unit_file(std::size_t c, const std::string& run, const fs::path& path) {
    const std::string place = path.string();
    const std::string unit = path.stem().string();
    const std::optional<std::size_t> expected = find(unit, c);
    if (!expected) return problem(place, "extra: the unit is not in the manifest");
    if (!fs::equivalent(path, unit_file_path(run, unit)))
      return problem(place, "is not where the unit belongs");
    try {
      recount(place);
      UnitRecord record = read_unit_file(place);
      check_record(place, record, manifest_.order[*expected]);
      if (record.status != "interrupted") check_.records[*expected] = std::move(record);
    } catch (const Error& error) {
      problem(place, error.what());
    }
  }

  void check_archive(std::size_t c, const std::string& path) {
    try {
      recount(path);
      for (const UnitRecord& row : read_archive_rows(path)) {
        const std::optional<std::size_t> expected = find(row.unit, c);
        if (!expected) {
          problem(path, fmt::format("extra: unit {} is not in the manifest", row.unit));
          continue;
        }
        UnitRecord& record = check_.records[*expected];
        check_record(path, row, manifest_.order[*expected]);
        if (record.unit.empty() && row.status != "interrupted")
          record = read_archive_unit(path, row.unit);  // its file is gone
        else if (row.status != "interrupted" && (row.final != record.final || row.status != record.status))
          problem(path,
                  fmt::format("{} is {} {}, its file says {} {}", text_of(manifest_.order[*expected]),
                              row.status, to_string(row.final), record.status, to_string(record.final)));
      }
    } catch (const Error& error) {
      problem(path, error.what());
    }
  }

  void recount(const std::string& path) {
    const VerifyReport report = verify_archive(path, bounds_);
    check_.drawings += report.drawings;
    for (const std::string& mismatch : report.mismatches) problem(path, mismatch);
  }

  void check_record(const std::string& path, const UnitRecord& record, const StudyUnit& unit) {
    const std::string place = fmt::format("{}: {}", path, text_of(unit));
    const Configuration& configuration = manifest_.configurations[unit.configuration].configuration;
    const StudyInstance& instance = manifest_.instances[unit.instance];
    const auto same = [&](const char* field, const auto& found, const auto& expected) {
      if (found != expected)
        problem(place, fmt::format("{} is {}, in the manifest {}", field, found, expected));
    };
    same("unit", record.unit, unit.id);
    same("instance_sha256", record.instance_sha256, instance.sha256);
    same("repetition", record.repetition, unit.repetition);
    same("root_seed", record.root_seed, static_cast<std::int64_t>(configuration.root_seed));
    same("config", record.config, configuration.json());
    same("lower_bound", record.lower_bound, instance.lower_bound);
    const std::string& start =
        manifest_.configurations[unit.configuration].resolved[unit.instance].start_sha256;
    if (!start.empty() && standing(record) > 0) same("start_sha256", record.start_sha256, start);
    check_provenance(path, record.provenance);
  }

  // Who made a unit, and after which manifest; once for each text.
  void check_provenance(const std::string& path, const std::string& key) {
    const auto [known, is_new] = provenances_.emplace(key, "");
    if (is_new) {
      const nlohmann::json j = nlohmann::json::parse(read_archive_provenance(path, key), nullptr, false);
      const auto text = [&](const char* pointer) {
        const nlohmann::json::json_pointer at(pointer);
        return !j.is_discarded() && j.contains(at) && j.at(at).is_string() ? j.at(at).get<std::string>() : "";
      };
      if (text("/binary_sha256") != manifest_.binary_sha256)
        known->second = fmt::format("was made by the program {}, the manifest names {}",
                                    text("/binary_sha256"), manifest_.binary_sha256);
      else if (text("/config/study_manifest_sha256") != check_.manifest_sha256)
        known->second = fmt::format(
            "was made when the manifest had the sha256 {}, now it has {} (it was changed afterwards)",
            text("/config/study_manifest_sha256"), check_.manifest_sha256);
    }
    if (!known->second.empty()) problem(path, known->second);
  }

  std::string folder_;
  StudyCheck& check_;
  const StudyManifest& manifest_;
  std::map<std::string, std::size_t> place_;  // of a unit in the manifest's order
  ProvenBounds bounds_;
  std::map<std::string, std::string> provenances_;  // by key: what is wrong with it
};

}  // namespace

StudyCheck check_study(const std::string& folder) {
  const std::string path = folder + "/manifest.json";
  StudyCheck check;
  const std::string text = read_text_file(path);
  check.manifest = parse_manifest(text, path);
  check.manifest_sha256 = sha256_hex(text);
  StudyChecker(folder, check).run();
  return check;
}

}  // namespace lcn
