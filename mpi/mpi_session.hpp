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

  // For main, before anything else of a command that starts MPI. Open MPI starts a thread while it opens and
  // closes plug-ins; glibc (2.36 measured) can free the list of libraries in which that thread just looks up
  // a function that it calls for the first time, about once in ten thousand starts a segmentation fault.
  // Without LD_BIND_NOW in the environment this sets it and executes the program anew with argv, so that
  // nothing is looked up later; returns when it is set (even to nothing, which leaves the lookups as they
  // are), when the program cannot be executed anew, or with another MPI library.
  static void bind_symbols_now(char** argv);

  // Name and version of the MPI library, on one line.
  static std::string library_version();

 private:
  static Communicator start();
  int exceptions_;
  Communicator world_;
};

}  // namespace lcn
