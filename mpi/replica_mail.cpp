#include "mpi/replica_mail.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

namespace lcn {
namespace {

using Clock = std::chrono::steady_clock;

// A wait that is shorter than this is not worth a sleep: an exchange between rounds takes microseconds.
constexpr std::chrono::milliseconds kHurry{5};
constexpr std::chrono::milliseconds kLongestSleep{20};  // between two looks at the deadline
constexpr double kPatience = 1.5;                       // of a rank that waits for one that waits
constexpr double kSignsPerDeadline = 8;                 // of a rank that works
constexpr std::size_t kHeader = 9;                      // number of the unit, kind
constexpr char kLetter = 'L', kFailure = 'F', kAlive = 'A';

std::string envelope(std::int64_t number, char kind, const std::string& bytes) {
  std::string text(kHeader, kind);
  std::memcpy(text.data(), &number, sizeof number);
  return text + bytes;
}

}  // namespace

std::vector<ReplicaMail::Letter> ReplicaMail::take_outgoing() {
  const std::lock_guard lock(mutex_);
  return std::exchange(outgoing_, {});
}

void ReplicaMail::deliver(int from, std::string bytes) {
  if (bytes.size() < kHeader) throw Error(ErrorKind::internal, fmt::format("letter of rank {} is cut", from));
  std::int64_t number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  const std::lock_guard lock(mutex_);
  if (number < open_) return;
  Unit& unit = units_[number];
  if (bytes[kHeader - 1] == kFailure) {
    if (!unit.failure) unit.failure = error_from_bytes(bytes.substr(kHeader));
  } else if (bytes[kHeader - 1] == kAlive) {
    unit.alive = Clock::now();
    return;  // nobody waits for it
  } else {
    unit.letters[from].push_back(bytes.substr(kHeader));
  }
  arrived_.notify_all();
}

void ReplicaMail::cancel(const Error& reason) {
  const std::lock_guard lock(mutex_);
  if (!cancelled_) cancelled_ = reason;
  arrived_.notify_all();
}

void ReplicaMail::pause(std::chrono::milliseconds longest) {
  std::unique_lock lock(mutex_);
  if (waiting_since_ && Clock::now() - *waiting_since_ < kHurry) {
    lock.unlock();
    std::this_thread::yield();
    return;
  }
  posted_.wait_for(lock, longest, [this] { return !outgoing_.empty(); });
}

void ReplicaMail::open(std::int64_t number) {
  const std::lock_guard lock(mutex_);
  open_ = number;
  units_.erase(units_.begin(), units_.lower_bound(number));
}

void ReplicaMail::send(int to, const std::string& bytes) {
  const std::lock_guard lock(mutex_);
  outgoing_.push_back({to, envelope(open_, kLetter, bytes)});
  posted_.notify_one();
}

void ReplicaMail::tell_alive() {
  const std::lock_guard lock(mutex_);
  for (int to = 0; to < size_; ++to)
    if (to != rank_) outgoing_.push_back({to, envelope(open_, kAlive, {})});
  posted_.notify_one();
}

std::string ReplicaMail::receive(int from, double seconds) {
  const auto start = Clock::now();
  std::unique_lock lock(mutex_);
  waiting_since_ = start;
  struct Done {
    std::optional<Clock::time_point>& since;
    ~Done() { since.reset(); }
  } done{waiting_since_};
  for (;;) {
    throw_if_failed_locked();
    std::deque<std::string>& letters = units_[open_].letters[from];
    if (!letters.empty()) {
      std::string bytes = std::move(letters.front());
      letters.pop_front();
      return bytes;
    }
    const auto waited = Clock::now() - std::max(start, units_[open_].alive);
    if (seconds > 0 && std::chrono::duration<double>(waited).count() > seconds) {
      Error error(
          ErrorKind::environment,
          fmt::format("rank {} did not answer rank {} within {} s in the exchange of replicas (it has "
                      "died, hangs, or is not reachable)",
                      from, rank_, seconds));
      error.rank = from;
      throw error;
    }
    arrived_.wait_for(lock, kLongestSleep);
  }
}

void ReplicaMail::fail(const Error& error) noexcept {
  try {
    Error named = error;
    if (named.rank < 0) {
      named.rank = rank_;
      named.host = host_;
    }
    const std::lock_guard lock(mutex_);
    for (int to = 0; to < size_; ++to)
      if (to != rank_) outgoing_.push_back({to, envelope(open_, kFailure, to_bytes(named))});
    posted_.notify_one();
  } catch (const std::exception&) {
    // out of memory: the others end by their deadlines
  }
}

void ReplicaMail::throw_if_failed() {
  const std::lock_guard lock(mutex_);
  throw_if_failed_locked();
}

void ReplicaMail::throw_if_failed_locked() {
  if (cancelled_) throw Error(*cancelled_);
  if (const auto& failure = units_[open_].failure) throw Error(*failure);
}

namespace {

class MailChannel : public ReplicaChannel {
 public:
  MailChannel(std::shared_ptr<ReplicaMail> mail, double deadline)
      : mail_(std::move(mail)), deadline_(deadline) {}

  const char* name() const override { return "mpi"; }
  int rank() const override { return mail_->rank(); }
  int size() const override { return mail_->size(); }

  std::vector<std::int64_t> all_gather(std::span<const std::int64_t> mine) override {
    const std::string bytes(reinterpret_cast<const char*>(mine.data()), mine.size_bytes());
    std::string all;
    if (rank() == 0) {
      all = bytes;
      for (int from = 1; from < size(); ++from) all += mail_->receive(from, deadline_);
      for (int to = 1; to < size(); ++to) mail_->send(to, all);
    } else {
      mail_->send(0, bytes);
      // rank 0 waits for the others first, and shall be the one that names who is missing
      all = mail_->receive(0, kPatience * deadline_);
    }
    if (all.size() != bytes.size() * static_cast<std::size_t>(size()))
      throw Error(ErrorKind::internal, fmt::format("all-gather: {} bytes of {} ranks that gave {} each",
                                                   all.size(), size(), bytes.size()));
    std::vector<std::int64_t> values(all.size() / sizeof(std::int64_t));
    std::ranges::copy(all, reinterpret_cast<char*>(values.data()));  // memcpy refuses the null of no values
    return values;
  }

  std::string broadcast(int root, std::string bytes) override {
    if (rank() != root) return mail_->receive(root, 0);
    for (int to = 0; to < size(); ++to)
      if (to != root) mail_->send(to, bytes);
    return bytes;
  }

  std::vector<std::string> gather(std::string bytes) override {
    std::vector<std::string> all;
    if (rank() == 0) {
      all.push_back(std::move(bytes));
      for (int from = 1; from < size(); ++from) all.push_back(mail_->receive(from, deadline_));
    } else {
      mail_->send(0, bytes);
    }
    return all;
  }

  void transfer(std::span<const Transfer> transfers, std::size_t bytes) override {
    for (const Transfer& t : transfers)
      if (t.send) mail_->send(t.peer, std::string(static_cast<const char*>(t.state), bytes));
    for (const Transfer& t : transfers) {
      if (t.send) continue;
      const std::string state = mail_->receive(t.peer, deadline_);
      if (state.size() != bytes)
        throw Error(ErrorKind::internal,
                    fmt::format("state of {} bytes from rank {} instead of {}", state.size(), t.peer, bytes));
      std::memcpy(t.state, state.data(), bytes);
    }
  }

  std::shared_ptr<void> allocate(std::size_t bytes) override {
    constexpr std::size_t kAlignment = 256;
    void* memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
    if (!memory) throw std::bad_alloc();
    return {memory, std::free};
  }

  void fail(const Error& error) noexcept override { mail_->fail(error); }

  std::int64_t maximum(std::int64_t mine) override {
    const std::vector<std::int64_t> all = all_gather(std::span(&mine, 1));
    return *std::max_element(all.begin(), all.end());
  }

  void alive() override {
    const double now = std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
    double told = told_alive_;
    if (deadline_ > 0 && now - told >= deadline_ / kSignsPerDeadline &&
        told_alive_.compare_exchange_strong(told, now))
      mail_->tell_alive();
  }

 private:
  std::atomic<double> told_alive_{0};
  std::shared_ptr<ReplicaMail> mail_;
  double deadline_;
};

}  // namespace

std::unique_ptr<ReplicaChannel> make_mail_channel(std::shared_ptr<ReplicaMail> mail, double deadline) {
  return std::make_unique<MailChannel>(std::move(mail), deadline);
}

}  // namespace lcn
