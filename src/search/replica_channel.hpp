#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/error.hpp"

namespace lcn {

// What the ranks that share one unit's replicas say to each other (mpi/ has the members: mail over any
// communicator, NCCL). Collective calls are made by all ranks in the same order. A call waits at most the
// channel's deadline; then, or when another rank has failed, it throws that rank's error or
// Error(environment) naming the rank that was missing. After an error a channel is of no more use.
class ReplicaChannel {
 public:
  virtual ~ReplicaChannel() = default;
  virtual const char* name() const = 0;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Everyone's `mine`, of equal length on all ranks, in rank order.
  virtual std::vector<std::int64_t> all_gather(std::span<const std::int64_t> mine) = 0;
  // The bytes of `root` on every rank. Without a deadline: `root` may compute for long before it calls.
  virtual std::string broadcast(int root, std::string bytes) = 0;
  // The largest `mine` of all ranks. The deadline begins anew whenever a rank that works tells so by alive().
  virtual std::int64_t maximum(std::int64_t mine) = 0;
  // This rank computes for long before its next call, and does not hang. To be called often, by any thread.
  virtual void alive() = 0;
  // Rank 0 gets every rank's bytes in rank order, the others get nothing.
  virtual std::vector<std::string> gather(std::string bytes) = 0;

  // One replica state that goes to, or comes from, another rank; two ranks name the transfers between them in
  // the same order.
  struct Transfer {
    int peer = 0;
    bool send = false;
    void* state = nullptr;  // `bytes` of memory: the device's where device_memory() says so
  };
  // Runs all transfers of this rank; not collective, but both ends of each transfer must call.
  virtual void transfer(std::span<const Transfer> transfers, std::size_t bytes) = 0;
  virtual bool device_memory() const { return false; }
  // Memory for states under way, of that kind; aligned to 256 bytes.
  virtual std::shared_ptr<void> allocate(std::size_t bytes) = 0;

  // Tells the other ranks that this one gives the unit up; their waiting calls throw this error. Never
  // throws.
  virtual void fail(const Error& error) noexcept = 0;
};

}  // namespace lcn
