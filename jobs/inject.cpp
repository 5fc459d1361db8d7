#include "jobs/inject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "kernels/device/device_fault.hpp"
#include "support/error.hpp"

namespace lcn {

namespace {

struct Injection {
  std::string phase, rank, action = "error";
};

Injection parse_injection(const std::string& item) {
  std::istringstream text(item);
  Injection injection;
  std::getline(text, injection.phase, ':');
  std::getline(text, injection.rank, ':');
  if (!text.eof()) std::getline(text, injection.action);
  const auto one_of = [](const std::string& word, std::initializer_list<const char*> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  if (!one_of(injection.phase, {"load", "compute", "join", "round", "write"}) || injection.rank.empty() ||
      injection.rank.find_first_not_of("0123456789") != std::string::npos ||
      !one_of(injection.action, {"error", "kill", "stop", "hang", "cuda", "memory"}))
    throw usage_error(
        fmt::format("LCN_INJECT: '{}' is not PHASE:RANK[:ACTION] (phase load, compute, join, round, write; "
                    "action error, kill, stop, hang, cuda, memory)",
                    item));
  return injection;
}

void carry_out(const Injection& injection) {
  if (injection.action == "kill") std::raise(SIGKILL);
  if (injection.action == "stop") std::raise(SIGSTOP);
  if (injection.action == "cuda") break_device();
  if (injection.action == "memory") fill_device();
  while (injection.action == "hang") std::this_thread::sleep_for(std::chrono::seconds(1));
  if (injection.action == "error")
    throw Error(ErrorKind::environment,
                fmt::format("failure injected in phase {} (LCN_INJECT is set)", injection.phase));
}

}  // namespace

void inject_failure(const std::string& phase, int rank) {
  const char* value = std::getenv("LCN_INJECT");
  if (!value) return;
  std::istringstream items(value);
  for (std::string item; std::getline(items, item, ',');) {
    const Injection injection = parse_injection(item);
    if (injection.phase == phase && injection.rank == fmt::format("{}", rank)) carry_out(injection);
  }
}

}  // namespace lcn
