#pragma once
#include <string>
#include <vector>

#include "jobs/options.hpp"

namespace lcn {

// The subcommands, one per file: NAME_command and NAME_options are in jobs/NAME.cpp, the row is in
// jobs/commands.cpp.
int solve_command(const std::vector<std::string>& args);
int study_command(const std::vector<std::string>& args);
int eval_command(const std::vector<std::string>& args);
int bound_command(const std::vector<std::string>& args);
int draw_command(const std::vector<std::string>& args);
int generate_command(const std::vector<std::string>& args);
int archive_command(const std::vector<std::string>& args);
int bench_command(const std::vector<std::string>& args);
int audit_command(const std::vector<std::string>& args);
int devices_command(const std::vector<std::string>& args);

std::vector<OptionTable> solve_options();
std::vector<OptionTable> study_options();  // study run, verify, report
std::vector<OptionTable> eval_options();
std::vector<OptionTable> bound_options();
std::vector<OptionTable> draw_options();
std::vector<OptionTable> generate_options();
std::vector<OptionTable> archive_options();  // archive info, merge, verify, export
std::vector<OptionTable> bench_options();    // bench crossings, ...
std::vector<OptionTable> audit_options();
std::vector<OptionTable> devices_options();

}  // namespace lcn
