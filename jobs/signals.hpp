#pragma once

namespace lcn {

// SIGTERM, SIGINT and SIGUSR1 (what batch systems and people send) only set a flag, which the ranks agree on
// between rounds. A second SIGINT ends the process at once.
void install_stop_handlers();
bool stop_signalled();

}  // namespace lcn
