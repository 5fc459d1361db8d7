#pragma once
#include <string>
#include <vector>

#include "jobs/options.hpp"
#include "support/error.hpp"

namespace lcn {

// One subcommand of the program. `run` gets the arguments after the subcommand's name and returns the exit
// code; what goes wrong is thrown as Error and printed once: by main or, where ranks leave together, before.
// Only `solve`, `study run` and, under mpirun, `devices` start MPI.
struct Command {
  const char* name;
  const char* summary;  // one line of `lcn --help`
  int (*run)(const std::vector<std::string>& args);
  std::vector<OptionTable> (
      *tables)();  // one, or one per sub-subcommand ("archive merge"); makes docs/cli.md
};

// The table of all subcommands, in the order of `lcn --help` (jobs/commands.cpp).
const std::vector<Command>& commands();
const Command* find_command(const std::string& name);  // null when there is none

// Prints an error to standard error as "lcn: ...".
void print_error(const Error& error);
// In a catch block: prints the exception likewise and returns the exit code for it.
int print_current_error();

}  // namespace lcn
