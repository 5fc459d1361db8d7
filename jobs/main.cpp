#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <set>
#include <string>
#include <vector>

#include "jobs/command.hpp"
#include "jobs/help.hpp"
#include "mpi/launch.hpp"
#include "mpi/mpi_session.hpp"
#include "support/error.hpp"

namespace {

const std::set<std::string> kAlone = {"eval", "bound", "draw", "archive", "generate", "bench", "audit"};
const std::set<std::string> kWithMpi = {"solve", "study", "devices"};

bool starts_mpi(const std::vector<std::string>& args) {
  if (args.empty()) return false;
  return kWithMpi.contains(args[0]) || (args[0] == "bench" && args.size() > 1 && args[1] == "exchange");
}

int run(const std::vector<std::string>& args) {
  if (args.empty()) throw lcn::usage_error("no subcommand (nothing to do) see lcn --help");
  if (args[0] == "--version") return lcn::print_version();
  if (args[0] == "--help" || args[0] == "-h" || args[0] == "help")
    return lcn::help_command({args.begin() + 1, args.end()});
  // Several copies of a command that works alone would do the same thing side by side, and write the same
  // files.
  const lcn::LaunchPlace place = lcn::launch_place([](const char* name) { return std::getenv(name); });
  if (place.size > 1 && kAlone.contains(args[0]) && !starts_mpi(args)) {
    if (place.rank > 0) return lcn::exit_code(lcn::ErrorKind::usage);  // rank 0 says why
    throw lcn::usage_error(fmt::format(
        "{}: started as {} processes, but it works alone (solve, study and bench exchange use several) start "
        "it without mpirun or srun",
        args[0], place.size));
  }
  return lcn::require_command(args[0]).run({args.begin() + 1, args.end()});
}

// Output that could not be written (a full disk, a closed pipe) is a failure too.
int flushed(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  fmt::print(stderr, "lcn: standard output could not be written\n");
  return lcn::exit_code(lcn::ErrorKind::environment);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> args(argv + 1, argv + std::max(argc, 1));
    if (starts_mpi(args)) lcn::MpiSession::bind_symbols_now(argv);
    return flushed(run(args));
  } catch (const std::exception&) {
    return lcn::print_current_error();
  }
}
