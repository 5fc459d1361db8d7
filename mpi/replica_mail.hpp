#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "mpi/communicator.hpp"
#include "search/replica_channel.hpp"
#include "support/error.hpp"

namespace lcn {

// Letters between the computing threads of ranks that share a unit. Only a rank's main thread may talk to MPI
// (MPI_THREAD_FUNNELED), so letters wait here for it: it calls take_outgoing() and deliver() in its loop.
// Letters carry the number of their unit; those of earlier units are dropped, those of later ones wait.
class ReplicaMail {
 public:
  ReplicaMail(int rank, int size, std::string host = {}) : rank_(rank), size_(size), host_(std::move(host)) {}
  int rank() const { return rank_; }
  int size() const { return size_; }

  // For the main thread.
  struct Letter {
    int to = 0;
    std::string bytes;
  };
  std::vector<Letter> take_outgoing();
  void deliver(int from, std::string bytes);  // Error(internal) when the bytes are cut
  // Ends all waiting, now and later: the job ends.
  void cancel(const Error& reason);
  // Sleeps for so long, or until there are letters to take; not at all while the computing thread waits for
  // one and has not waited for long.
  void pause(std::chrono::milliseconds longest);

  // For the computing thread. Opens unit `number` (increasing).
  void open(std::int64_t number);
  void send(int to, const std::string& bytes);
  // Tells all that this rank works: what they wait for may take longer.
  void tell_alive();
  // The next letter of `from`. Throws the failure that a rank told of this unit, the reason of cancel(), or
  // after `seconds` (0: never) without a sign of life of a rank that works Error(environment) naming `from`.
  std::string receive(int from, double seconds);
  // Tells the others; an error that names no rank is this rank's.
  void fail(const Error& error) noexcept;
  // What receive() would throw at once. For calls that wait elsewhere.
  void throw_if_failed();

 private:
  struct Unit {
    std::map<int, std::deque<std::string>> letters;  // by sender
    std::optional<Error> failure;
    std::chrono::steady_clock::time_point alive;  // the last tell_alive() of any rank
  };
  void throw_if_failed_locked();

  const int rank_, size_;
  const std::string host_;
  std::mutex mutex_;
  std::condition_variable arrived_, posted_;
  std::vector<Letter> outgoing_;
  std::int64_t open_ = -1;
  std::map<std::int64_t, Unit> units_;
  std::optional<Error> cancelled_;
  std::optional<std::chrono::steady_clock::time_point> waiting_since_;
};

// A channel that uses letters for everything, states in host memory: for CPUs, for machines without NCCL, and
// for tests. `deadline` in seconds.
std::unique_ptr<ReplicaChannel> make_mail_channel(std::shared_ptr<ReplicaMail> mail, double deadline);

}  // namespace lcn
