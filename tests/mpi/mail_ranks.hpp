#pragma once
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "mpi/replica_mail.hpp"

namespace lcn {

// Ranks of one process that write letters to each other; a thread carries the letters, as the ranks' main
// threads do in a job. Letters can be late, or lost.
class MailRanks {
 public:
  explicit MailRanks(int n) : late_(static_cast<std::size_t>(n)), silent_(static_cast<std::size_t>(n)) {
    for (int rank = 0; rank < n; ++rank) {
      mails_.push_back(std::make_shared<ReplicaMail>(rank, n));
      mails_.back()->open(1);
    }
    carrier_ = std::thread([this] { carry(); });
  }
  ~MailRanks() {
    stop_ = true;
    carrier_.join();
  }
  MailRanks(const MailRanks&) = delete;
  MailRanks& operator=(const MailRanks&) = delete;

  const std::shared_ptr<ReplicaMail>& mail(int rank) const { return mails_[static_cast<std::size_t>(rank)]; }
  // Letters of this rank arrive so much later, or never.
  void be_late(int rank, std::chrono::milliseconds delay) {
    late_[static_cast<std::size_t>(rank)] = static_cast<int>(delay.count());
  }
  void be_silent(int rank) { silent_[static_cast<std::size_t>(rank)] = true; }

  // Runs one function per rank, each in its thread; returns what each threw.
  std::vector<std::optional<Error>> run(
      const std::function<void(int rank, const std::shared_ptr<ReplicaMail>&)>& body) {
    std::vector<std::optional<Error>> errors(mails_.size());
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < mails_.size(); ++rank)
      threads.emplace_back([&, rank] {
        try {
          body(static_cast<int>(rank), mails_[rank]);
        } catch (const Error& error) {
          errors[rank] = error;
        }
      });
    for (std::thread& thread : threads) thread.join();
    return errors;
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Late {
    Clock::time_point due;
    int from, to;
    std::string bytes;
  };

  void carry() {
    while (!stop_) {
      for (std::size_t from = 0; from < mails_.size(); ++from)
        for (ReplicaMail::Letter& letter : mails_[from]->take_outgoing()) {
          if (silent_[from]) continue;
          const auto due = Clock::now() + std::chrono::milliseconds(late_[from]);
          under_way_.push_back({due, static_cast<int>(from), letter.to, std::move(letter.bytes)});
        }
      std::deque<Late> left;
      for (Late& letter : under_way_) {
        if (letter.due <= Clock::now())
          mail(letter.to)->deliver(letter.from, std::move(letter.bytes));
        else
          left.push_back(std::move(letter));
      }
      under_way_.swap(left);
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

  std::vector<std::shared_ptr<ReplicaMail>> mails_;
  std::vector<std::atomic<int>> late_;
  std::vector<std::atomic<bool>> silent_;
  std::deque<Late> under_way_;  // the carrier's own
  std::atomic<bool> stop_{false};
  std::thread carrier_;
};

}  // namespace lcn
