#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "io/files.hpp"
#include "jobs/commands.hpp"
#include "jobs/rank_job.hpp"
#include "jobs/study_check.hpp"
#include "jobs/study_file.hpp"
#include "jobs/study_job.hpp"
#include "jobs/study_report.hpp"
#include "jobs/values.hpp"
#include "support/error.hpp"
#include "support/plural.hpp"
#include "support/sha256.hpp"

namespace lcn {
namespace {

StudyShare parse_share(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == text.npos) throw usage_error(fmt::format("'{}' is not I/N", text));
  const StudyShare share{parse_integer(text.substr(0, slash)), parse_integer(text.substr(slash + 1))};
  if (share.index < 1 || share.index > share.count)
    throw usage_error(fmt::format("'{}' is not I/N with I in 1..N", text));
  return share;
}

// The keys of a study's INI file, for --help.
std::string key_list() {
  std::string text = "Keys of [study]:\n";
  const OptionTable keys = study_keys(), methods = configuration_keys();
  for (const OptionSpec& key : keys.specs())
    text += fmt::format("  {:<18} {}{}\n", key.name, key.help,
                        key.default_value.empty() || key.type == OptionType::flag
                            ? ""
                            : fmt::format(" (default {})", key.default_value));
  text += fmt::format("  {:<18} {}\n  {:<18} {}\n\n", "instances",
                      "a file or folder, relative to the INI file; once for each", "target.NAME",
                      "K that counts as success on the instance NAME");
  std::vector<std::string> names;
  for (const OptionSpec& key : methods.specs()) names.push_back(key.name);
  return text + fmt::format("Every other section is a configuration. Its keys are {}, as in lcn solve.",
                            fmt::join(names, ", "));
}

OptionTable run_table() {
  OptionTable table(
      "study run",
      "Runs every configuration of a study on the same instances and seeds, in random order, pair "
      "by pair, into STUDY/runs; what is compared and how it will be decided is written to "
      "STUDY/manifest.json first. Works alone, under mpirun or srun, and as array tasks; the same "
      "command again goes on where an earlier one stopped. docs/studies.md describes the INI file.");
  table.positional("inputs", "STUDY.ini", 1, 1'000'000,
                   "the study; further files or folders take the place of its instances");
  table.section("Units")
      .text("share", "I/N", "1/1", "compute the I-th of N parts only: whole pairs, for N array tasks",
            [](const std::string& text) { parse_share(text); })
      .flag("rerun-failed", "compute units again that failed earlier");
  table.section("Output")
      .text("out", "STUDY", "", "folder of the study; must be given")
      .flag("dry-run", "print configurations and order, write nothing");
  table.epilogue(key_list());
  return table;
}

OptionTable study_verify_table() {
  OptionTable table("study verify",
                    "Checks that the runs of a study are those of its manifest: none missing, none extra, "
                    "configurations, instances, program and manifest unchanged, all drawings recounted. Exit "
                    "code 5 names each contradiction, 6 each missing unit.");
  table.positional("study", "STUDY", 1, 1, "folder of the study");
  return table;
}

OptionTable report_table() {
  OptionTable table(
      "study report",
      "Verifies a study, prints its tables and verdicts, and writes STUDY/report.json and "
      "STUDY/decision.json. docs/studies.md states the rule and the source of every number. Exit "
      "code 6 when the study is incomplete or a verdict is INSUFFICIENT_EVIDENCE.");
  table.positional("study", "STUDY", 1, 1, "folder of the study");
  table.section("Output").flag("json", "print report.json instead of tables");
  return table;
}

int study_run(const std::vector<std::string>& args) {
  return run_rank_job([&args](const Communicator& world, const GpuBinding& binding) {
    const Options options = run_table().parse(args);
    if (options.handled()) return 0;
    const Study study = read_study_file(options.positional().front());
    StudyRequest request;
    request.inputs.assign(options.positional().begin() + 1, options.positional().end());
    request.out = options.text("out");
    if (request.out.empty()) throw usage_error("study run: --out STUDY is missing");
    request.share = parse_share(options.text("share"));
    request.dry_run = options.flag("dry-run");
    request.rerun_failed = options.flag("rerun-failed");
    request.device = resolve_device(study.device, study.allow_gpu_sharing, binding);
    if (request.device == "gpu")
      for (const std::string& line : binding.lines) fmt::print("{}\n", line);
    request.argv = {"lcn", "study", "run"};
    request.argv.insert(request.argv.end(), args.begin(), args.end());
    return run_study_job(world, study, request, machinery_on(binding));
  });
}

// Says what is wrong; the exit code when something is.
int say_problems(const StudyCheck& check) {
  for (const std::string& problem : check.problems) fmt::print("{}\n", problem);
  for (const std::string& unit : check.missing) fmt::print("missing: {}\n", unit);
  if (!check.problems.empty()) return exit_code(ErrorKind::rejected);
  return check.missing.empty() ? 0 : exit_code(ErrorKind::insufficient);
}

int study_verify(const std::vector<std::string>& args) {
  const Options options = study_verify_table().parse(args);
  if (options.handled()) return 0;
  const StudyCheck check = check_study(options.positional()[0]);
  const int code = say_problems(check);
  fmt::print("{}: {} of {}, {} recounted, {}\n", options.positional()[0],
             check.records.size() - check.missing.size(), plural(check.records.size(), "unit"),
             plural(check.drawings, "drawing"), plural(check.problems.size(), "problem"));
  return code;
}

int study_report(const std::vector<std::string>& args) {
  const Options options = report_table().parse(args);
  if (options.handled()) return 0;
  const std::string& folder = options.positional()[0];
  if (std::filesystem::is_directory(folder)) check_output_file(folder + "/report.json");
  const StudyCheck check = check_study(folder);
  if (const int code = say_problems(check); code != 0) {
    fmt::print("{}: no report ({})\n", folder,
               check.problems.empty() ? "incomplete" : "not what its manifest says");
    return code;
  }
  const StudyReport report = analyse_study(check);
  const std::string text = study_report_json(check, report);
  write_file_atomically(folder + "/report.json", text);
  write_file_atomically(folder + "/decision.json", study_decision_json(check, report, sha256_hex(text)));
  fmt::print("{}", options.flag("json") ? text : study_report_text(check, report));
  for (const StudyComparison& comparison : report.comparisons)
    if (comparison.verdict == Verdict::insufficient_evidence) return exit_code(ErrorKind::insufficient);
  return 0;
}

struct StudyAction {
  const char* name;
  OptionTable (*table)();
  int (*run)(const std::vector<std::string>& args);
};

constexpr StudyAction kStudyActions[] = {{"run", run_table, study_run},
                                         {"verify", study_verify_table, study_verify},
                                         {"report", report_table, study_report}};

}  // namespace

std::vector<OptionTable> study_options() {
  std::vector<OptionTable> tables;
  for (const StudyAction& action : kStudyActions) tables.push_back(action.table());
  return tables;
}

int study_command(const std::vector<std::string>& args) {
  std::vector<std::string> names;
  for (const StudyAction& action : kStudyActions) names.push_back(action.name);
  if (args.empty())
    throw usage_error(
        fmt::format("lcn study: which action? (one of: {}) see lcn study --help", fmt::join(names, ", ")));
  if (args[0] == "--help" || args[0] == "-h") {
    for (const OptionTable& table : study_options()) fmt::print("{}\n", table.help());
    return 0;
  }
  for (const StudyAction& action : kStudyActions)
    if (args[0] == action.name) return action.run({args.begin() + 1, args.end()});
  const std::string near = nearest_word(args[0], names);
  throw usage_error(fmt::format("lcn study: unknown action {} ({})", args[0],
                                near.empty() ? fmt::format("one of: {}", fmt::join(names, ", "))
                                             : fmt::format("did you mean {}?", near)));
}

}  // namespace lcn
