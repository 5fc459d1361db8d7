#pragma once
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "mpi/replica_mail.hpp"

namespace lcn {

// Ranks of one process: a thread carries letters between their mails, as the ranks' main threads do.
class MailPump {
 public:
  explicit MailPump(int ranks) {
    for (int rank = 0; rank < ranks; ++rank) mails.push_back(std::make_shared<ReplicaMail>(rank, ranks));
    thread_ = std::thread([this] {
      while (!quit_) {
        for (int from = 0; from < static_cast<int>(mails.size()); ++from)
          for (ReplicaMail::Letter& letter : mails[static_cast<std::size_t>(from)]->take_outgoing())
            mails[static_cast<std::size_t>(letter.to)]->deliver(from, std::move(letter.bytes));
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    });
  }
  ~MailPump() {
    quit_ = true;
    thread_.join();
  }

  // Runs body(rank) in a thread each; rethrows the lowest rank's exception.
  void run(const std::function<void(int)>& body) {
    std::vector<std::exception_ptr> failures(mails.size());
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < mails.size(); ++rank)
      threads.emplace_back([&, rank] {
        try {
          body(static_cast<int>(rank));
        } catch (...) {
          failures[rank] = std::current_exception();
        }
      });
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& failure : failures)
      if (failure) std::rethrow_exception(failure);
  }

  std::vector<std::shared_ptr<ReplicaMail>> mails;

 private:
  std::atomic<bool> quit_{false};
  std::thread thread_;
};

}  // namespace lcn
