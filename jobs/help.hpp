#pragma once
#include <string>
#include <vector>

#include "jobs/command.hpp"

namespace lcn {

// The program as a whole: what `lcn --help`, `lcn --version`, `lcn help ...` print.

std::string overview();                                  // text of `lcn --help`
std::string manual_page();                               // docs/cli.md, made from the option tables
int print_version();                                     // `lcn --version`
int help_command(const std::vector<std::string>& args);  // help, help COMMAND, help --markdown

// Error(usage) with the nearest name for an unknown one.
const Command& require_command(const std::string& name);

}  // namespace lcn
