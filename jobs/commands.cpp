#include "jobs/commands.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "jobs/command.hpp"

namespace lcn {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"solve", "draw instances, many seeds and ranks, into an archive", solve_command, solve_options},
      {"study", "compare configurations on paired seeds, by a rule fixed beforehand", study_command,
       study_options},
      {"eval", "validate and score a drawing", eval_command, eval_options},
      {"bound", "prove a lower bound on K of any drawing of a graph", bound_command, bound_options},
      {"draw", "make an SVG picture of a drawing", draw_command, draw_options},
      {"archive", "look into, merge, verify and export archives", archive_command, archive_options},
      {"generate", "write a graph of a family", generate_command, generate_options},
      {"bench", "measure kernels and the CPU reference; reports as JSON", bench_command, bench_options},
      {"audit", "recompute the claims of benchmark reports from their raw samples", audit_command,
       audit_options},
      {"devices", "list the GPUs that this machine offers", devices_command, devices_options},
  };
  return table;
}

const Command* find_command(const std::string& name) {
  for (const Command& command : commands())
    if (name == command.name) return &command;
  return nullptr;
}

void print_error(const Error& error) {
  fmt::print(stderr, "lcn: {}\n", error.kind() == ErrorKind::internal ? error.describe() : error.what());
}

int print_current_error() {
  try {
    throw;
  } catch (const Error& error) {
    print_error(error);
    return exit_code(error.kind());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "lcn: out of memory\n");
    return exit_code(ErrorKind::environment);
  } catch (const std::system_error& error) {  // writing to standard output, starting a thread
    fmt::print(stderr, "lcn: {}\n", error.what());
    return exit_code(ErrorKind::environment);
  } catch (const std::exception& error) {
    fmt::print(stderr, "lcn: internal error: {}\n", error.what());
    return exit_code(ErrorKind::internal);
  }
}

}  // namespace lcn
