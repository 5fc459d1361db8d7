#include "jobs/commands.hpp"

#include "jobs/command.hpp"

namespace lcn {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"eval", "validate and score a drawing", eval_command, eval_options},
      {"bound", "prove a lower bound on K of any drawing of a graph", bound_command, bound_options},
      {"generate", "write a graph of a family", generate_command, generate_options},
      {"bench", "measure kernels and the CPU reference; reports as JSON", bench_command, bench_options},
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
