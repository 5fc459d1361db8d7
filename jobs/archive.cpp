#include "io/archive.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>

#include "io/files.hpp"
#include "jobs/commands.hpp"
#include "jobs/report.hpp"
#include "jobs/values.hpp"
#include "support/error.hpp"
#include "support/plural.hpp"

namespace lcn {
namespace {

constexpr int kExitIncomplete = 75;  // run the rest and merge again
constexpr std::size_t kMostListed = 20;

OptionTable info_table() {
  OptionTable table("archive info",
                    "What an archive holds: units, statuses, configuration, best tuple per instance.");
  table.positional("archive", "ARCHIVE|RUN", 1, 1, "archive, unit file, or run folder with an archive.h5");
  return table;
}

OptionTable merge_table() {
  OptionTable table("archive merge", "Join unit files into one archive.");
  table.positional("inputs", "RUN|ARCHIVE", 1, 100'000, "run folders, archives and unit files");
  table.section("Output")
      .text("out", "FILE", "", "archive to write; default: RUN/archive.h5 for a single run folder")
      .flag("partial", "write the archive although planned units are missing");
  table.epilogue(
      "Exit code 75 when planned units are missing; nothing is written then unless --partial is given.\n"
      "Of units that are given twice, the first is kept if the verified results are equal; see "
      "docs/format.md.\n");
  return table;
}

OptionTable verify_table() {
  OptionTable table("archive verify",
                    "Recount every stored drawing and compare it with its row. Exit code 5 on a mismatch.");
  table.positional("archive", "ARCHIVE|RUN", 1, 1, "archive, unit file, or run folder with an archive.h5");
  return table;
}

OptionTable export_table() {
  OptionTable table("archive export",
                    "Write an archive's runs as CSV, or its best drawings as contest JSON.");
  table.positional("archive", "ARCHIVE|RUN", 1, 1, "archive, unit file, or run folder with an archive.h5");
  table.section("Output")
      .flag("csv", "print the runs as CSV, columns named as in the archive, and seed for repetition")
      .flag("best", "write the best valid drawing of each instance")
      .text("out", "PATH", "", "file for --csv (default: print), folder for --best");
  return table;
}

void list(const char* what, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  fmt::print(stderr, "{}:\n", plural(lines.size(), what));
  for (std::size_t i = 0; i < lines.size() && i < kMostListed; ++i) fmt::print(stderr, "  {}\n", lines[i]);
  if (lines.size() > kMostListed) fmt::print(stderr, "  ... and {} more\n", lines.size() - kMostListed);
}

// A run folder stands for its archive.
std::string archive_of(const Options& options) {
  const std::string& path = options.positional()[0];
  if (!std::filesystem::is_directory(path)) return path;
  const std::string archive = path + "/archive.h5";
  if (!std::filesystem::exists(archive))
    throw input_error(
        fmt::format("{}: holds no archive.h5 (its units are not merged yet) see lcn archive merge", path));
  return archive;
}

int info(const Options& options) {
  fmt::print("{}", archive_info(archive_of(options)));
  return 0;
}

int merge(const Options& options) {
  const std::vector<std::string>& inputs = options.positional();
  std::string out = options.text("out");
  if (out.empty()) {
    if (inputs.size() != 1 || !std::filesystem::is_directory(inputs[0]))
      throw usage_error("lcn archive merge: --out is missing (only a single run folder has a default)");
    out = inputs[0] + "/archive.h5";
  }
  const MergeReport report = merge_archives(inputs, out, {.partial = options.flag("partial")});
  list("warning", report.warnings);
  list("damaged unit file", report.unreadable);
  // all of them: this is the list that a person or script needs to go on
  if (!report.missing.empty()) fmt::print(stderr, "{}:\n", plural(report.missing.size(), "missing unit"));
  for (const std::string& unit : report.missing) fmt::print(stderr, "  {}\n", unit);
  if (!report.written) {
    fmt::print(stderr, "{}: not written (incomplete); run the missing units, or use --partial\n", out);
    return kExitIncomplete;
  }
  fmt::print("{}: {}, {}\n", out, plural(report.units, "unit"), plural(report.duplicates, "duplicate"));
  return 0;
}

int verify(const Options& options) {
  const std::string path = archive_of(options);
  const VerifyReport report = verify_archive(path);
  for (const std::string& mismatch : report.mismatches) fmt::print("{}\n", mismatch);
  fmt::print("{}: {}, {} recounted, {}\n", path, plural(report.rows, "row"),
             plural(report.drawings, "drawing"), plural(report.mismatches.size(), "mismatch", "mismatches"));
  return report.mismatches.empty() ? 0 : exit_code(ErrorKind::rejected);
}

int export_archive(const Options& options) {
  const std::string path = archive_of(options);
  const std::string& out = options.text("out");
  if (options.flag("csv") == options.flag("best"))
    throw usage_error("lcn archive export: choose one of --csv and --best");
  if (options.flag("best")) {
    if (out.empty()) throw usage_error("lcn archive export: --best needs --out FOLDER");
    check_output_folder(out);
    const std::vector<std::string> paths = export_best(path, out);
    for (const std::string& written : paths) fmt::print("{}\n", written);
    return 0;
  }
  check_output(out);
  write_output(out, archive_csv(path));
  return 0;
}

struct Action {
  const char* name;
  OptionTable (*table)();
  int (*run)(const Options& options);
};

constexpr Action kActions[] = {{"info", info_table, info},
                               {"merge", merge_table, merge},
                               {"verify", verify_table, verify},
                               {"export", export_table, export_archive}};

}  // namespace

std::vector<OptionTable> archive_options() {
  std::vector<OptionTable> tables;
  for (const Action& action : kActions) tables.push_back(action.table());
  return tables;
}

int archive_command(const std::vector<std::string>& args) {
  std::vector<std::string> names;
  for (const Action& action : kActions) names.push_back(action.name);
  if (args.empty())
    throw usage_error(fmt::format("lcn archive: which action? (one of: {}) see lcn archive --help",
                                  fmt::join(names, ", ")));
  if (args[0] == "--help" || args[0] == "-h") {
    for (const OptionTable& table : archive_options()) fmt::print("{}\n", table.help());
    return 0;
  }
  for (const Action& action : kActions) {
    if (args[0] != action.name) continue;
    const Options options = action.table().parse({args.begin() + 1, args.end()});
    return options.handled() ? 0 : action.run(options);
  }
  const std::string near = nearest_word(args[0], names);
  throw usage_error(fmt::format("lcn archive: unknown action {} ({})", args[0],
                                near.empty() ? fmt::format("one of: {}", fmt::join(names, ", "))
                                             : fmt::format("did you mean {}?", near)));
}

}  // namespace lcn
