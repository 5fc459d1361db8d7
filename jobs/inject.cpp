#include "jobs/inject.hpp"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "support/error.hpp"

namespace lcn {

void inject_failure(const std::string& phase, int rank) {
  const char* value = std::getenv("LCN_INJECT");
  if (!value) return;
  std::istringstream text(value);
  std::string wanted_phase, wanted_rank, action = "error";
  std::getline(text, wanted_phase, ':');
  std::getline(text, wanted_rank, ':');
  if (!text.eof()) std::getline(text, action, ':');
  const bool known = (wanted_phase == "load" || wanted_phase == "compute" || wanted_phase == "write") &&
                     wanted_rank.find_first_not_of("0123456789") == std::string::npos &&
                     !wanted_rank.empty() &&
                     (action == "error" || action == "kill" || action == "stop" || action == "hang");
  if (!known)
    throw usage_error(
        fmt::format("LCN_INJECT: '{}' is not PHASE:RANK[:ACTION] (phase load, compute, write; action error, "
                    "kill, stop, hang)",
                    value));
  if (phase != wanted_phase || fmt::format("{}", rank) != wanted_rank) return;
  if (action == "kill") std::raise(SIGKILL);
  if (action == "stop") std::raise(SIGSTOP);
  while (action == "hang") std::this_thread::sleep_for(std::chrono::seconds(1));
  if (action == "error")
    throw Error(ErrorKind::environment,
                fmt::format("failure injected in phase {} (LCN_INJECT is set)", phase));
}

}  // namespace lcn
