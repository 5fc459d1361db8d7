#pragma once

namespace lcn {

// SIGTERM, SIGINT, SIGUSR1 and SIGHUP (what batch systems, people and closed terminals send) only set a flag,
// which the ranks agree on between rounds. A second SIGINT ends the process at once (exit code 130). A SIGHUP
// that was ignored at the start (nohup) stays ignored.
void install_stop_handlers();
bool stop_signalled();

}  // namespace lcn
