#include "jobs/protocol.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <new>

#include "mpi/replica_mail.hpp"

namespace lcn {

void send_letters(Communicator& world, ReplicaMail& mail) {
  for (ReplicaMail::Letter& letter : mail.take_outgoing())
    world.send(letter.to, kTagLetter, std::move(letter.bytes));
}

void last_resort(Communicator& world, const std::string& reason) {
  fmt::print(stderr, "lcn: environment error: {}; the job is aborted, finished units are safe\n", reason);
  std::fflush(nullptr);
  world.abort(exit_code(ErrorKind::environment));
}

Error placed(Error error, const Communicator& world) {
  if (error.rank < 0) error.rank = world.rank();
  if (error.host.empty()) error.host = world.host();
  return error;
}

Error current_error() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(ErrorKind::environment, "out of memory");
  } catch (const std::exception& error) {
    return Error(ErrorKind::internal, error.what());
  }
}

}  // namespace lcn
