#include "jobs/commands.hpp"

#include "jobs/command.hpp"

namespace lcn {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"devices", "list the GPUs that this machine offers", devices_command, devices_options},
  };
  return table;
}

const Command* find_command(const std::string& name) {
  for (const Command& command : commands())
    if (name == command.name) return &command;
  return nullptr;
}

}  // namespace lcn
