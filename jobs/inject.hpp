#pragma once
#include <string>

namespace lcn {

// For tests of the failure paths: LCN_INJECT=PHASE:RANK[:ACTION], or several joined by commas, makes that
// rank fail in phase load (an instance arrives), compute (a unit starts), join (the ranks that share a unit
// have met), round (between two rounds) or write (a result is stored, rank 0 only). ACTION is error (the
// default: an environment error), kill (SIGKILL), stop (SIGSTOP), hang (computes on and ignores every request
// to stop), cuda (the rank's GPU gets an invalid write, so that its next CUDA call fails) or memory (the
// rank's GPU has none left). The last two need the GPU to be chosen: phases join (channel nccl) and round.
// Without the variable this does nothing. Error(usage) for a value that cannot be read.
void inject_failure(const std::string& phase, int rank);

}  // namespace lcn
