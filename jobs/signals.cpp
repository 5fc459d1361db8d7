#include "jobs/signals.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>

#include "support/error.hpp"

namespace lcn {
namespace {

volatile std::sig_atomic_t stop_flag = 0;

void on_signal(int number) {
  stop_flag = 1;
  if (number == SIGINT) std::signal(SIGINT, SIG_DFL);
}

}  // namespace

void install_stop_handlers() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGTERM, SIGINT, SIGUSR1})
    if (sigaction(number, &action, nullptr) != 0)
      throw Error(ErrorKind::internal, "system", "sigaction", errno, std::strerror(errno));
}

bool stop_signalled() {
  return stop_flag != 0;
}

}  // namespace lcn
