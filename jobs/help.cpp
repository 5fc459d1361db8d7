#include "jobs/help.hpp"

#include <fmt/format.h>

#include "io/version.hpp"
#include "jobs/values.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

const char* const kExitCodes =
    "  0   done\n"
    "  1   internal error\n"
    "  2   usage or input: nothing was changed\n"
    "  3   some units failed, the archive is valid\n"
    "  4   environment (GPU, MPI, disk): the job ended\n"
    "  5   a drawing, an archive or a report is rejected\n"
    "  6   insufficient evidence\n"
    "  75  stopped early, by SIGTERM, SIGINT (Ctrl-C), SIGHUP or SIGUSR1: run the same command again to go "
    "on;\n"
    "      Open MPI's mpirun returns 1 instead when SIGTERM or Ctrl-C came to mpirun itself; with SIGUSR1 it "
    "returns 75\n"
    "      (one mpirun, 4.1.6, kept SIGUSR1 to itself: it prints 'Forwarding signal' where it passes it on)\n"
    "  130 a second Ctrl-C: ended at once; finished units are safe, the units in work are lost\n";

const char* const kValues =
    "  DURATION  60s, 10m, 1h, 2d, HH:MM:SS, D-HH:MM:SS; a bare number is seconds\n"
    "  LIST      of seeds: 1..4,7\n"
    "  WxH       size of a grid, for example 1000x800\n";

}  // namespace

std::string overview() {
  std::string text =
      "usage: lcn COMMAND [OPTIONS] [ARGUMENTS]\n\n"
      "Straight-line drawings of graphs on an integer grid in which no edge is crossed often.\n\nCommands:\n";
  for (const Command& command : commands())
    text += fmt::format("  {:<10}{}\n", command.name, command.summary);
  text +=
      "\n  lcn COMMAND --help     options of a command\n  lcn --version          what this program was built "
      "from\n";
  return text + "\nValues:\n" + kValues + "\nExit codes:\n" + kExitCodes;
}

std::string manual_page() {
  std::string page =
      "# Command line\n\n"
      "This page is made by `lcn help --markdown` from the tables that also parse the options.\n\n"
      "One program, the same with and without `mpirun`. Strongest first, a value comes from the command "
      "line, the INI "
      "file\n(`--config`), the preset, the default; `--dump-config` shows which. Unknown options and keys "
      "are errors, "
      "prefixes of\nnames are unknown, every command has `--help`.\n\n";
  page += fmt::format("Values:\n\n```\n{}```\n\nExit codes:\n\n```\n{}```\n", kValues, kExitCodes);
  for (const Command& command : commands())
    for (const OptionTable& table : command.tables()) page.append("\n").append(table.markdown());
  return page;
}

int print_version() {
  fmt::print("{}", version_text());
  return 0;
}

int help_command(const std::vector<std::string>& args) {
  if (args.empty())
    fmt::print("{}", overview());
  else if (args[0] == "--markdown")
    fmt::print("{}", manual_page());
  else
    for (const OptionTable& table : require_command(args[0]).tables()) fmt::print("{}\n", table.help());
  return 0;
}

const Command& require_command(const std::string& name) {
  if (const Command* command = find_command(name)) return *command;
  std::vector<std::string> names;
  for (const Command& command : commands()) names.push_back(command.name);
  const std::string near = nearest_word(name, names);
  throw usage_error(fmt::format("unknown command {} ({})", name,
                                near.empty() ? "see lcn --help" : fmt::format("did you mean {}?", near)));
}

}  // namespace lcn
