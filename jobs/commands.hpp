#pragma once
#include <string>
#include <vector>

namespace lcn {

// The subcommands, one per file: NAME_command is in jobs/NAME.cpp and its row is in jobs/commands.cpp.
int solve_command(const std::vector<std::string>& args);
int eval_command(const std::vector<std::string>& args);
int bound_command(const std::vector<std::string>& args);
int draw_command(const std::vector<std::string>& args);
int generate_command(const std::vector<std::string>& args);
int archive_command(const std::vector<std::string>& args);
int devices_command(const std::vector<std::string>& args);

}  // namespace lcn
