#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/error.hpp"

namespace lcn {

struct Message {
  int from = 0;
  int tag = 0;
  std::string bytes;
};

// One rank's end of a channel between ranks. No call waits for another rank: `send` takes the bytes and
// returns, `progress` moves what can be moved. Messages between two ranks arrive in the order in which they
// were sent.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual void send(int to, int tag, std::string bytes) = 0;
  virtual void progress(std::deque<Message>& arrived) = 0;
  virtual bool sending() const = 0;  // something handed to send() is still on its way out
  // The last resort: ends all ranks with this exit code, at once.
  [[noreturn]] virtual void abort(int code) = 0;
};

// The ranks of a job as a value; copies are the same end of the same channel. Not thread-safe: one thread per
// rank talks (MPI is started with MPI_THREAD_FUNNELED), while others compute.
class Communicator {
 public:
  // One process, no MPI: rank 0 of 1.
  static Communicator local();
  // n ranks inside this process, joined by mailboxes, each to be used by one thread. abort() throws
  // Error(environment) there. For tests of everything above this layer.
  static std::vector<Communicator> threads(int n);
  Communicator(std::shared_ptr<Transport> transport, std::string host);

  int rank() const { return state_->transport->rank(); }
  int size() const { return state_->transport->size(); }
  const std::string& host() const { return state_->host; }

  // Tags are 0..kLastTag; those above are the communicator's own.
  static constexpr int kLastTag = 1023;
  void send(int to, int tag, std::string bytes = {});
  // The oldest message that has arrived (with this tag), without waiting.
  std::optional<Message> receive();
  std::optional<Message> receive(int tag);
  bool sending() const { return state_->transport->sending(); }
  [[noreturn]] void abort(int code);

  // The calls below are made by all ranks in the same order and wait, asleep between polls, for at most
  // `seconds`; then they throw Error(environment) naming a rank that was missing.

  // The bytes of `root` on every rank.
  std::string broadcast(int root, std::string bytes, double seconds);
  // Every rank tells its failure, or none; all return that of the lowest failed rank, rank and host filled
  // in.
  std::optional<Error> agree(const std::optional<Error>& failure, double seconds);

 private:
  struct State {
    std::shared_ptr<Transport> transport;
    std::string host;
    std::deque<Message> arrived;
  };
  void check_tag(int to, int tag) const;
  Message wait_for(int from, int tag, double seconds, const char* what);
  std::shared_ptr<State> state_;
};

// For transport between ranks: kind, message, rank and host of an error.
std::string to_bytes(const Error& error);
Error error_from_bytes(const std::string& bytes);  // Error(internal) is thrown when the bytes are cut

}  // namespace lcn
