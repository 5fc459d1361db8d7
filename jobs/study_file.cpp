#include "jobs/study_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "jobs/ini_file.hpp"
#include "jobs/method_options.hpp"
#include "jobs/solve_inputs.hpp"
#include "jobs/values.hpp"
#include "support/error.hpp"
#include "support/plural.hpp"

namespace lcn {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStudySection = "study";
constexpr std::string_view kTargetOf = "target.";

// Names of sections become names of folders, also on other systems.
void check_section_name(const IniFile& file, const IniSection& section) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  if (section.name.size() > 40 || !std::all_of(section.name.begin(), section.name.end(), allowed))
    throw usage_error(fmt::format("{}: [{}] cannot name a folder (at most 40 letters, digits, '-' and '_')",
                                  file.place(section.line), section.name));
}

// Takes `instances` (given once per path) and `target.NAME` out of the section; the rest is a table's.
IniSection take_lists(const IniFile& file, const IniSection& section, Study& study) {
  IniSection rest{section.name, section.line, {}};
  for (const IniEntry& entry : section.entries) {
    const std::string place = fmt::format("{}: [{}]: {}", file.place(entry.line), section.name, entry.key);
    if (entry.key == "instances") {
      if (entry.value.empty()) throw usage_error(fmt::format("{}: no path is given", place));
      study.instances.push_back(
          (fs::path(file.path).parent_path() / entry.value).lexically_normal().string());
    } else if (entry.key.starts_with(kTargetOf)) {
      const std::string instance = entry.key.substr(kTargetOf.size());
      std::int64_t K = 0;
      try {
        K = parse_integer(entry.value);
        if (K < 0) throw usage_error(fmt::format("{} is negative", K));
      } catch (const Error& error) {
        throw usage_error(fmt::format("{}: {}", place, error.what()));
      }
      if (!study.targets.emplace(instance, K).second) throw usage_error(place + " is set twice");
    } else {
      rest.entries.push_back(entry);
    }
  }
  return rest;
}

Configuration read_study_section(const IniFile& file, const IniSection& section, Study& study) {
  const Options options = study_keys().parse(file, take_lists(file, section, study));
  const std::string place = fmt::format("{}: [{}]", file.place(section.line), section.name);
  study.name = options.text("name");
  if (study.name.empty()) study.name = fs::path(file.path).stem().string();
  study.question = options.text("question");
  study.hypothesis = options.text("hypothesis");
  study.seeds = options.seeds("seeds");
  if (options.has("target")) study.target = options.integer("target");
  study.rule = {options.real("alpha"), options.integer("min-pairs"), options.real("min-effect")};
  study.baseline = options.text("baseline");
  study.threads = static_cast<int>(options.integer("threads"));
  study.device = options.text("device");
  study.allow_gpu_sharing = options.flag("allow-gpu-sharing");
  if (study.question.empty() || study.hypothesis.empty())
    throw usage_error(place + ": question and hypothesis must be written down before the study runs");
  Configuration budget;
  budget.root_seed = static_cast<std::uint64_t>(options.integer("root-seed"));
  if (options.has("time")) budget.time = options.seconds("time");
  if (options.has("steps")) budget.steps = options.integer("steps");
  if (!budget.time && !budget.steps)
    throw usage_error(place + ": no budget (time or steps of each unit, the same for every configuration)");
  return budget;
}

StudyConfiguration read_configuration(const IniFile& file, const IniSection& section,
                                      const Configuration& budget) {
  check_section_name(file, section);
  const Options options = configuration_keys().parse(file, section);
  StudyConfiguration result{section.name, budget};
  result.configuration.start = options.text("start");
  result.configuration.search = options.text("search");
  if (options.has("replicas")) result.configuration.replicas = static_cast<int>(options.integer("replicas"));
  if (WarmStarts::is_warm(result.configuration.start))
    result.configuration.start =
        WarmStarts::below(fs::path(file.path).parent_path().string(), result.configuration.start);
  return result;
}

}  // namespace

OptionTable study_keys() {
  OptionTable table("study", "Keys of the section [study].");
  table.section("What is asked")
      .text("name", "TEXT", "", "name of the study; the INI file's name when not given")
      .text("question", "TEXT", "", "what the study shall find out")
      .text("hypothesis", "TEXT", "", "the answer that is expected, and why")
      .text("baseline", "SECTION", "",
            "configuration that the others are compared with; the first one when "
            "not given");
  table.section("Units")
      .seeds("seeds", "1..10", "repetitions: one pair per seed and instance")
      .integer("root-seed", "0", 0, OptionTable::kAnyInteger, "seed of all seeds")
      .duration("time", "", 0.01, 366 * 86400.0, "wall clock per unit")
      .integer("steps", "", 1, OptionTable::kAnyInteger, "proposals per replica and unit")
      .integer(
          "target", "", 0, OptionTable::kAnyInteger,
          "K that counts as success, on instances without a target.NAME of their own; units go on after it");
  table.section("Resources")
      .integer("threads", "1", 1, 4096, "CPU threads of each rank")
      .choice("device", "auto", {"auto", "cpu", "gpu"}, "where units are computed")
      .flag("allow-gpu-sharing", "let several ranks compute on one GPU");
  table.section("Rule")
      .real("alpha", "0.05", 1e-6, 0.5,
            "chance of a wrong verdict that is accepted, all comparisons together")
      .integer("min-pairs", "10", 1, 1'000'000, "pairs with a result that a verdict needs")
      .real("min-effect", "0.1", 0, 1, "(wins - losses) / pairs that is worth calling better");
  return table;
}

OptionTable configuration_keys() {
  OptionTable table("study", "Keys of every other section, each a configuration.");
  add_method_options(table.section("Method"));
  return table;
}

Study read_study_file(const std::string& path) {
  const IniFile file = read_ini_file(path);
  if (!file.sections.front().entries.empty())
    throw usage_error(fmt::format(
        "{}: {} stands before the first section (a study has [study] and a section "
        "per configuration)",
        file.place(file.sections.front().entries.front().line), file.sections.front().entries.front().key));
  Study study;
  std::optional<Configuration> budget;
  for (const IniSection& section : file.sections)
    if (section.name == kStudySection) budget = read_study_section(file, section, study);
  if (!budget) throw usage_error(fmt::format("{}: has no section [study]", path));
  for (const IniSection& section : file.sections)
    if (!section.name.empty() && section.name != kStudySection)
      study.configurations.push_back(read_configuration(file, section, *budget));
  if (study.configurations.size() < 2)
    throw usage_error(fmt::format("{}: {} (a study compares two or more, each a section)", path,
                                  plural(study.configurations.size(), "configuration")));
  std::map<std::string, std::string> known;  // by configuration
  if (study.baseline.empty()) study.baseline = study.configurations.front().name;
  bool has_baseline = false;
  for (const StudyConfiguration& c : study.configurations) {
    has_baseline = has_baseline || c.name == study.baseline;
    if (const auto [same, is_new] = known.emplace(c.configuration.json(), c.name); !is_new)
      throw usage_error(
          fmt::format("{}: [{}] and [{}] are the same configuration", path, same->second, c.name));
  }
  if (!has_baseline)
    throw usage_error(fmt::format("{}: [study]: baseline: there is no section [{}]", path, study.baseline));
  return study;
}

}  // namespace lcn
