#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "jobs/command.hpp"
#include "support/error.hpp"

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> args(argv + 1, argv + argc);
    const lcn::Command* command = args.empty() ? nullptr : lcn::find_command(args[0]);
    if (command == nullptr) throw lcn::usage_error("lcn: no such subcommand");
    return command->run({args.begin() + 1, args.end()});
  } catch (const lcn::Error& error) {
    fmt::print(stderr, "lcn: {}\n", error.what());
    return lcn::exit_code(error.kind());
  } catch (const std::exception& error) {
    fmt::print(stderr, "lcn: internal error: {}\n", error.what());
    return 1;
  }
}
