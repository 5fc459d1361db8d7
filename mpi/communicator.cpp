#include "mpi/communicator.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "support/plural.hpp"

namespace lcn {
namespace {

constexpr int kBroadcastTag = Communicator::kLastTag + 1;
constexpr int kAgreeTag = Communicator::kLastTag + 2;
constexpr int kAgreedTag = Communicator::kLastTag + 3;

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

struct Mailboxes {
  explicit Mailboxes(int n) : boxes(static_cast<std::size_t>(n)) {}
  std::mutex mutex;
  std::vector<std::deque<Message>> boxes;
};

// Ranks of one process. A single rank needs no more than a mailbox to itself.
class MailboxTransport : public Transport {
 public:
  MailboxTransport(std::shared_ptr<Mailboxes> shared, int rank) : shared_(std::move(shared)), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(shared_->boxes.size()); }
  void send(int to, int tag, std::string bytes) override {
    const std::lock_guard lock(shared_->mutex);
    shared_->boxes[static_cast<std::size_t>(to)].push_back({rank_, tag, std::move(bytes)});
  }
  void progress(std::deque<Message>& arrived) override {
    const std::lock_guard lock(shared_->mutex);
    auto& box = shared_->boxes[static_cast<std::size_t>(rank_)];
    std::move(box.begin(), box.end(), std::back_inserter(arrived));
    box.clear();
  }
  bool sending() const override { return false; }
  [[noreturn]] void abort(int code) override {
    throw Error(ErrorKind::environment, fmt::format("rank {} aborts the job with exit code {}", rank_, code));
  }

 private:
  std::shared_ptr<Mailboxes> shared_;
  int rank_;
};

}  // namespace

Communicator::Communicator(std::shared_ptr<Transport> transport, std::string host)
    : state_(std::make_shared<State>()) {
  state_->transport = std::move(transport);
  state_->host = std::move(host);
}

Communicator Communicator::local() {
  return threads(1).front();
}

std::vector<Communicator> Communicator::threads(int n) {
  const auto shared = std::make_shared<Mailboxes>(n);
  std::vector<Communicator> ranks;
  for (int rank = 0; rank < n; ++rank)
    ranks.emplace_back(std::make_shared<MailboxTransport>(shared, rank), host_name());
  return ranks;
}

void Communicator::abort(int code) {
  state_->transport->abort(code);
  std::abort();  // never reached; the compiler does not know it of a virtual function
}

void Communicator::check_tag(int to, int tag) const {
  if (to < 0 || to >= size() || tag < 0 || tag > kLastTag)
    throw Error(ErrorKind::internal,
                fmt::format("send: no rank {} or tag {} (of {})", to, tag, plural(size(), "rank")));
}

void Communicator::send(int to, int tag, std::string bytes) {
  check_tag(to, tag);
  state_->transport->send(to, tag, std::move(bytes));
}

std::optional<Message> Communicator::receive() {
  auto& arrived = state_->arrived;
  state_->transport->progress(arrived);
  // what belongs to a collective call stays for that call
  const auto found =
      std::find_if(arrived.begin(), arrived.end(), [](const Message& m) { return m.tag <= kLastTag; });
  if (found == arrived.end()) return std::nullopt;
  Message message = std::move(*found);
  arrived.erase(found);
  return message;
}

std::optional<Message> Communicator::receive(int tag) {
  auto& arrived = state_->arrived;
  state_->transport->progress(arrived);
  const auto found =
      std::find_if(arrived.begin(), arrived.end(), [tag](const Message& m) { return m.tag == tag; });
  if (found == arrived.end()) return std::nullopt;
  Message message = std::move(*found);
  arrived.erase(found);
  return message;
}

Message Communicator::wait_for(int from, int tag, double seconds, const char* what) {
  const auto start = std::chrono::steady_clock::now();
  auto& arrived = state_->arrived;
  for (;;) {
    state_->transport->progress(arrived);
    const auto found = std::find_if(arrived.begin(), arrived.end(),
                                    [&](const Message& m) { return m.tag == tag && m.from == from; });
    if (found != arrived.end()) {
      Message message = std::move(*found);
      arrived.erase(found);
      return message;
    }
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds)
      throw Error(
          ErrorKind::environment,
          fmt::format(
              "{}: rank {} did not answer rank {} within {} s (it has died, hangs, or is not reachable)",
              what, from, rank(), seconds));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::string Communicator::broadcast(int root, std::string bytes, double seconds) {
  if (rank() != root) return wait_for(root, kBroadcastTag, seconds, "broadcast").bytes;
  for (int to = 0; to < size(); ++to)
    if (to != root) state_->transport->send(to, kBroadcastTag, bytes);
  return bytes;
}

std::optional<Error> Communicator::agree(const std::optional<Error>& failure, double seconds) {
  std::string mine;
  if (failure) {
    Error named = *failure;
    if (named.rank < 0) named.rank = rank();
    if (named.host.empty()) named.host = host();
    mine = to_bytes(named);
  }
  std::string agreed = mine;
  if (rank() != 0) {
    state_->transport->send(0, kAgreeTag, mine);
    agreed = wait_for(0, kAgreedTag, seconds, "agreement").bytes;
  } else {
    for (int from = 1; from < size(); ++from) {
      const std::string theirs = wait_for(from, kAgreeTag, seconds, "agreement").bytes;
      if (agreed.empty()) agreed = theirs;
    }
    for (int to = 1; to < size(); ++to) state_->transport->send(to, kAgreedTag, agreed);
  }
  if (agreed.empty()) return std::nullopt;
  return error_from_bytes(agreed);
}

// "kind rank length-of-host host message"
std::string to_bytes(const Error& error) {
  return fmt::format("{} {} {} {}{}", static_cast<int>(error.kind()), error.rank, error.host.size(),
                     error.host, error.what());
}

Error error_from_bytes(const std::string& bytes) {
  std::array<long, 3> field{};
  std::size_t at = 0;
  for (long& value : field) {
    const std::size_t blank = bytes.find(' ', at);
    if (blank == std::string::npos)
      throw Error(ErrorKind::internal, "error message from another rank is cut");
    value = std::strtol(bytes.c_str() + at, nullptr, 10);
    at = blank + 1;
  }
  if (field[0] < 0 || field[0] > static_cast<long>(ErrorKind::internal) || field[2] < 0 ||
      at + static_cast<std::size_t>(field[2]) > bytes.size())
    throw Error(ErrorKind::internal, "error message from another rank is cut");
  const auto host_size = static_cast<std::size_t>(field[2]);
  Error error(static_cast<ErrorKind>(field[0]), bytes.substr(at + host_size));
  error.rank = static_cast<int>(field[1]);
  error.host = bytes.substr(at, host_size);
  return error;
}

}  // namespace lcn
