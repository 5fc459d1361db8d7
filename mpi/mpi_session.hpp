#pragma once
#include "mpi/communicator.hpp"

namespace lcn {

// MPI from MPI_Init_thread to MPI_Finalize; at most one per process. Every MPI return code is checked
// (MPI_ERRORS_RETURN), failures are Error(environment) with library and call. Works without mpirun as one
// rank.
class MpiSession {
 public:
  // Throws Error(environment) when MPI cannot be started or when refuse_singletons (mpi/launch.hpp) objects.
  MpiSession();
  // Finalizes, but not while an exception unwinds: MPI_Finalize would wait for ranks that never come. The
  // process then ends without it, and the launcher ends the other ranks.
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  // All ranks, on a communicator of their own. Must not be used after the session's end.
  const Communicator& world() const { return world_; }

  // Name and version of the MPI library, on one line.
  static std::string library_version();

 private:
  static Communicator start();
  int exceptions_;
  Communicator world_;
};

}  // namespace lcn
