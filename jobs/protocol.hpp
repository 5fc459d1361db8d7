#pragma once
#include <chrono>
#include <string>

#include "mpi/communicator.hpp"

namespace lcn {

class ReplicaMail;

// Messages between rank 0 and the others. Each rank's main thread polls, sleeping kPollInterval in between: a
// spinning rank would take a core from the units.
enum ProtocolTag : int {
  // from rank 0
  kTagInstance = 1,  // an instance that the next units need
  kTagUnit,          // compute this unit
  kTagHalt,          // stop what runs and answer with kTagHalted; text "failure" when the deadline holds
  kTagWatch,         // "on": rank 0 hands out and is heard of regularly; "off": it is busy with files
  kTagDismiss,       // leave with this exit code
  // to rank 0
  kTagOutcome,      // the result of a unit; the rank is free
  kTagBest,         // best drawing of the running unit so far
  kTagFailure,      // an error outside a unit
  kTagSignalled,    // this rank was asked to stop
  kTagHalted,       // nothing runs here any more, and nothing more will be sent
  kTagVisibleGpus,  // host and GPU UUIDs, once at the start
  // both ways
  kTagAlive,
  kTagLetter,  // between the computing threads of ranks that share a unit (mpi/replica_mail.hpp)
};

inline constexpr std::chrono::milliseconds kPollInterval{1};
inline constexpr double kAliveInterval = 1;  // seconds

// Seconds since construction.
class StopWatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Sends what the computing thread of this rank has written (mpi/replica_mail.hpp).
void send_letters(Communicator& world, ReplicaMail& mail);

// Says why on standard error and ends all ranks: for ranks that no longer answer or do not stop.
[[noreturn]] void last_resort(Communicator& world, const std::string& reason);

// Rank and host of this end, where the error does not name them yet.
Error placed(Error error, const Communicator& world);

// The exception in flight as an Error; whatever is not one is Error(internal), out of memory
// Error(environment).
Error current_error();

}  // namespace lcn
