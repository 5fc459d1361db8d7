#include "mpi/nccl_channel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nccl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <future>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "kernels/device/check.hpp"
#include "kernels/device/cuda_handle.hpp"
#include "kernels/device/device_buffer.hpp"
#include "kernels/device/pinned_array.hpp"

namespace lcn {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kAbortDeadline{10};
constexpr std::chrono::seconds kRollCall{2};     // for ranks to say that they wait too
constexpr std::chrono::seconds kExplanation{1};  // for the rank that broke a connection to say why
constexpr std::chrono::milliseconds kSpin{2};    // an exchange takes microseconds: first poll without sleep
constexpr std::chrono::microseconds kPollPause{50};  // then with

// NVLink multicast stays off unless the environment says otherwise: it gains nothing for kilobytes, and not
// every machine allows it. Set before main, while the process has one thread; NCCL reads it in its first
// call.
const int kMulticastOff = setenv("NCCL_NVLS_ENABLE", "0", 0);

double seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

int current_device() {
  int device = 0;
  LCN_CUDA_CHECK(cudaGetDevice(&device));
  return device;
}

class NcclChannel : public ReplicaChannel {
 public:
  NcclChannel(std::shared_ptr<ReplicaMail> mail, double deadline)
      : mail_(std::move(mail)),
        control_(make_mail_channel(mail_, deadline)),
        deadline_(deadline),
        exceptions_(std::uncaught_exceptions()),
        device_(current_device()),
        own_(std::make_unique<Resources>()) {
    guarded([&](Clock::time_point until) { connect(until); });
    meet_peers();
  }

  // Nothing can be thrown here: what cannot be ended in good order is aborted.
  ~NcclChannel() override {
    (void)cudaSetDevice(device_);  // whatever thread this is
    try {
      if (comm_ != nullptr && std::uncaught_exceptions() == exceptions_)
        guarded([&](Clock::time_point until) {
          check(ncclCommFinalize(comm_), "ncclCommFinalize");
          wait("ncclCommFinalize", until);
          check(ncclCommDestroy(std::exchange(comm_, nullptr)), "ncclCommDestroy");
        });
      else
        abort();
    } catch (...) {
    }
  }

  const char* name() const override { return "nccl"; }
  int rank() const override { return control_->rank(); }
  int size() const override { return control_->size(); }
  bool device_memory() const override { return true; }

  std::vector<std::int64_t> all_gather(std::span<const std::int64_t> mine) override {
    if (mine.empty()) return {};
    std::vector<std::int64_t> all(mine.size() * static_cast<std::size_t>(size()));
    guarded([&](Clock::time_point until) {
      const std::span<std::int64_t> staging = own_->staging_of(mine.size() + all.size());
      const std::span<std::int64_t> to_send = staging.first(mine.size()),
                                    received = staging.subspan(mine.size());
      std::ranges::copy(mine, to_send.begin());
      own_->all.resize(all.size());
      own_->mine.upload(to_send, stream());
      check(ncclAllGather(own_->mine.data(), own_->all.data(), mine.size(), ncclInt64, comm_, stream()),
            "ncclAllGather");
      wait("ncclAllGather", until);
      own_->all.download(received, stream());
      wait_for_stream("ncclAllGather", until);
      std::ranges::copy(received, all.begin());
    });
    return all;
  }

  std::string broadcast(int root, std::string bytes) override {
    return control_->broadcast(root, std::move(bytes));
  }
  std::int64_t maximum(std::int64_t mine) override { return control_->maximum(mine); }
  void alive() override { control_->alive(); }
  std::vector<std::string> gather(std::string bytes) override { return control_->gather(std::move(bytes)); }

  void transfer(std::span<const Transfer> transfers, std::size_t bytes) override {
    if (transfers.empty()) return;
    guarded([&](Clock::time_point until) {
      check(ncclGroupStart(), "ncclGroupStart");
      // A group that was begun is ended whatever happens in it: it belongs to the thread.
      ncclResult_t sent = ncclSuccess, received = ncclSuccess;
      for (const Transfer& t : transfers) {
        if (t.send)
          keep_failure(sent, ncclSend(t.state, bytes, ncclChar, t.peer, comm_, stream()));
        else
          keep_failure(received, ncclRecv(t.state, bytes, ncclChar, t.peer, comm_, stream()));
      }
      const ncclResult_t ended = ncclGroupEnd();
      check(sent, "ncclSend");
      check(received, "ncclRecv");
      check(ended, "ncclGroupEnd");
      wait("ncclSend and ncclRecv", until);
      wait_for_stream("ncclSend and ncclRecv", until);
    });
  }

  std::shared_ptr<void> allocate(std::size_t bytes) override {
    void* memory = nullptr;
    LCN_CUDA_CHECK(cudaMalloc(&memory, bytes));
    return {memory, [](void* used) { (void)cudaFree(used); }};
  }

  void fail(const Error& error) noexcept override {
    control_->fail(error);
    try {
      abort();
    } catch (const std::exception&) {
      // the job ends anyway, with the error that was told
    }
  }

 private:
  // What the device may still use when an abort hangs.
  struct Resources {
    CudaStream stream;
    DeviceBuffer<std::int64_t> mine, all;
    std::optional<PinnedArray<std::int64_t>> staging;

    std::span<std::int64_t> staging_of(std::size_t count) {
      if (!staging || staging->span().size() < count) staging.emplace(std::max<std::size_t>(2 * count, 256));
      return staging->span().first(count);
    }
  };

  cudaStream_t stream() const { return own_->stream.get(); }

  // Runs the calls of one operation, which ends at its deadline; whatever they throw ends the communicator.
  template <class Calls>
  void guarded(Calls&& calls) {
    if (failed_)
      throw Error(ErrorKind::environment, "NCCL: the exchange of replicas has failed before (see there)");
    try {
      calls(deadline_ > 0 ? Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                               std::chrono::duration<double>(deadline_))
                          : Clock::time_point::max());
    } catch (const Error& error) {
      const std::string note = abort();
      if (note.empty()) throw;
      Error both(error.kind(), fmt::format("{}; {}", error.what(), note));
      both.rank = error.rank;
      both.host = error.host;
      throw both;
    }
  }

  void connect(Clock::time_point until) {
    if (kMulticastOff != 0)
      throw Error(ErrorKind::environment, "NCCL_NVLS_ENABLE could not be set (out of memory)");
    refuse_shared_devices();
    ncclUniqueId id{};
    if (rank() == 0) {
      check(ncclGetUniqueId(&id), "ncclGetUniqueId");
      for (int to = 1; to < size(); ++to) mail_->send(to, std::string(id.internal, sizeof id.internal));
    } else {
      const std::string bytes = mail_->receive(0, deadline_);  // with a deadline, unlike broadcast()
      if (bytes.size() != sizeof id.internal)
        throw Error(ErrorKind::internal, fmt::format("id of {} bytes for NCCL from rank 0", bytes.size()));
      std::memcpy(id.internal, bytes.data(), bytes.size());
    }
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    check(ncclCommInitRankConfig(&comm_, size(), id, rank(), &config), "ncclCommInitRankConfig");
    wait("ncclCommInitRankConfig", until);
  }

  // NCCL loads its kernels and connects two GPUs when they first talk, in some 0.4 s: here, not in a unit's
  // time. Ranks that are further apart than kNear meet when a replica first moves between them.
  void meet_peers() {
    const std::int64_t mine = rank();
    all_gather({&mine, 1});
    constexpr int kNear = 8;
    std::vector<Transfer> transfers;
    for (int apart = 1; apart < size(); ++apart) {
      if (apart > kNear && size() - apart > kNear) continue;
      const int from = (rank() + size() - apart) % size();
      transfers.push_back({(rank() + apart) % size(), true, own_->mine.data()});
      transfers.push_back({from, false, own_->all.data() + from});
    }
    transfer(transfers, sizeof mine);
  }

  void refuse_shared_devices() {
    cudaDeviceProp properties{};
    LCN_CUDA_CHECK(cudaGetDeviceProperties(&properties, device_));
    using Uuid = std::array<std::int64_t, 2>;
    Uuid mine{};
    static_assert(sizeof mine == sizeof properties.uuid);
    std::memcpy(mine.data(), &properties.uuid, sizeof mine);
    const std::vector<std::int64_t> all = control_->all_gather(mine);
    for (int a = 0; a < size(); ++a)
      for (int b = a + 1; b < size(); ++b)
        if (std::equal(all.begin() + 2 * a, all.begin() + 2 * a + 2, all.begin() + 2 * b))
          throw Error(
              ErrorKind::environment,
              fmt::format("ranks {} and {} have the same GPU (NCCL connects different GPUs only) start "
                          "one rank per GPU, or exchange replicas through MPI",
                          a, b));
  }

  static void keep_failure(ncclResult_t& kept, ncclResult_t code) {
    if (kept == ncclSuccess && code != ncclInProgress) kept = code;
  }

  void check(ncclResult_t code, const char* call) const {
    if (code == ncclSuccess || code == ncclInProgress) return;
    throw Error(
        ErrorKind::environment, "NCCL", call, code,
        fmt::format("{}, {} (NCCL_DEBUG=INFO says more)", ncclGetErrorString(code), ncclGetLastError(comm_)));
  }

  // Until the communicator has nothing in progress and `done()`.
  template <class Done>
  void poll(const char* call, Clock::time_point until, Done&& done) {
    const auto start = Clock::now();
    for (;;) {
      ncclResult_t state = ncclSuccess;
      check(ncclCommGetAsyncError(comm_, &state), "ncclCommGetAsyncError");
      if (state != ncclSuccess && state != ncclInProgress) {
        explain();
        check(state, call);
      }
      if (state == ncclSuccess && done()) return;
      mail_->throw_if_failed();
      const auto now = Clock::now();
      if (now > until) give_up(call);
      if (now - start < kSpin)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(kPollPause);
    }
  }

  void wait(const char* call, Clock::time_point until) {
    poll(call, until, [] { return true; });
  }

  void wait_for_stream(const char* call, Clock::time_point until) {
    poll(call, until, [this] {
      const cudaError_t code = cudaStreamQuery(stream());
      if (code == cudaErrorNotReady) {
        (void)cudaGetLastError();  // an answer, not a failure
        return false;
      }
      check_cuda(code, "cudaStreamQuery");
      return true;
    });
  }

  // NCCL notices a broken connection sooner than the letter of the rank that broke it arrives.
  void explain() {
    for (const auto start = Clock::now(); Clock::now() - start < kExplanation;) {
      mail_->throw_if_failed();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  // The deadline has passed. NCCL does not tell who is missing, so the ranks that wait tell each other that
  // they do.
  [[noreturn]] void give_up(const char* call) {
    for (int to = 0; to < size(); ++to)
      if (to != rank()) mail_->send(to, "waiting in vain");
    std::vector<int> missing;
    const auto until = Clock::now() + kRollCall;
    for (int from = 0; from < size(); ++from) {
      if (from == rank()) continue;
      try {
        mail_->receive(from, std::max(1e-3, seconds(until - Clock::now())));
      } catch (const Error&) {
        mail_->throw_if_failed();
        missing.push_back(from);
      }
    }
    if (missing.empty())
      throw Error(ErrorKind::environment,
                  fmt::format("NCCL: {} has not ended within {} s although all ranks wait for it (the "
                              "connection between the GPUs hangs) see NCCL_DEBUG=INFO",
                              call, deadline_));
    Error error(
        ErrorKind::environment,
        fmt::format("NCCL: rank{} {} did not join rank {} in {} within {} s (it has died, hangs, or "
                    "is not reachable)",
                    missing.size() == 1 ? "" : "s", fmt::join(missing, ", "), rank(), call, deadline_));
    error.rank = missing.front();
    throw error;
  }

  // Ends the communicator, in whatever state it is; says what went wrong with that.
  std::string abort() {
    failed_ = true;
    ncclComm_t comm = std::exchange(comm_, nullptr);
    if (comm == nullptr) return "";
    std::promise<ncclResult_t> promise;
    std::future<ncclResult_t> result = promise.get_future();
    try {
      std::thread([comm, promise = std::move(promise)]() mutable {
        promise.set_value(ncclCommAbort(comm));
      }).detach();
    } catch (const std::system_error& error) {
      (void)own_.release();
      return fmt::format("no thread for ncclCommAbort ({})", error.what());
    }
    if (result.wait_for(kAbortDeadline) != std::future_status::ready) {
      (void)own_.release();
      return fmt::format("ncclCommAbort has not returned within {} s", kAbortDeadline.count());
    }
    const ncclResult_t code = result.get();
    if (code == ncclSuccess) return "";
    return fmt::format("ncclCommAbort failed with code {}: {}", static_cast<int>(code),
                       ncclGetErrorString(code));
  }

  std::shared_ptr<ReplicaMail> mail_;
  std::unique_ptr<ReplicaChannel> control_;
  double deadline_;
  int exceptions_;
  int device_;
  bool failed_ = false;
  ncclComm_t comm_ = nullptr;
  std::unique_ptr<Resources> own_;
};

}  // namespace

bool built_with_nccl() {
  return true;
}

std::unique_ptr<ReplicaChannel> make_nccl_channel(std::shared_ptr<ReplicaMail> mail, double deadline) {
  try {
    return std::make_unique<NcclChannel>(mail, deadline);
  } catch (const Error& error) {
    mail->fail(error);  // before the others' deadlines
    throw;
  }
}

}  // namespace lcn
