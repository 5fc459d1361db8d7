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

Error failure() {
  return Error(ErrorKind::internal, "system", "sigaction", errno, std::strerror(errno));
}

}  // namespace

void install_stop_handlers() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGHUP}) {
    struct sigaction before = {};
    if (sigaction(number, nullptr, &before) != 0) throw failure();
    if (number == SIGHUP && before.sa_handler == SIG_IGN)
      continue;  // nohup: the job is to outlive its terminal
    if (sigaction(number, &action, nullptr) != 0) throw failure();
  }
}

bool stop_signalled() {
  return stop_flag != 0;
}

}  // namespace lcn
