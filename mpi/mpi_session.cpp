#include "mpi/mpi_session.hpp"

// the C++ bindings of MPI-2 are not wanted
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <list>
#include <source_location>

#include "mpi/launch.hpp"

namespace lcn {
namespace {

std::string mpi_reason(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) return "no description";
  return std::string(text.data(), static_cast<std::size_t>(length));
}

void check(int code, const char* call, std::source_location where = std::source_location::current()) {
  if (code != MPI_SUCCESS) throw Error(ErrorKind::environment, "MPI", call, code, mpi_reason(code), where);
}

class MpiTransport : public Transport {
 public:
  explicit MpiTransport(MPI_Comm communicator) : communicator_(communicator) {
    check(MPI_Comm_rank(communicator_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(communicator_, &size_), "MPI_Comm_size");
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, int tag, std::string bytes) override {
    if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw Error(ErrorKind::environment, "message between ranks is larger than 2 GiB (MPI counts in int)");
    Pending& pending = sends_.emplace_back();
    pending.message = {rank_, tag, std::move(bytes)};
    check(MPI_Isend(pending.message.bytes.data(), static_cast<int>(pending.message.bytes.size()), MPI_BYTE,
                    to, tag, communicator_, &pending.request),
          "MPI_Isend");
  }

  void progress(std::deque<Message>& arrived) override {
    for (;;) {
      int found = 0;
      MPI_Message handle = MPI_MESSAGE_NULL;
      MPI_Status status;
      check(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicator_, &found, &handle, &status), "MPI_Improbe");
      if (!found) break;
      int count = 0;
      check(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
      Pending& pending = receives_.emplace_back();
      pending.message = {status.MPI_SOURCE, status.MPI_TAG,
                         std::string(static_cast<std::size_t>(count), '\0')};
      check(MPI_Imrecv(pending.message.bytes.data(), count, MPI_BYTE, &handle, &pending.request),
            "MPI_Imrecv");
    }
    // only from the front: a short message must not overtake a long one
    while (!receives_.empty() && completed(receives_.front())) {
      arrived.push_back(std::move(receives_.front().message));
      receives_.pop_front();
    }
    sends_.remove_if([](Pending& pending) { return completed(pending); });
  }

  bool sending() const override { return !sends_.empty(); }

  [[noreturn]] void abort(int code) override {
    std::fflush(nullptr);
    MPI_Abort(communicator_, code);
    std::_Exit(code);
  }

 private:
  struct Pending {
    Message message;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  static bool completed(Pending& pending) {
    int done = 0;
    check(MPI_Test(&pending.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  }

  MPI_Comm communicator_;
  int rank_ = 0, size_ = 1;
  std::list<Pending> sends_, receives_;  // lists: buffers must not move while MPI uses them
};

}  // namespace

Communicator MpiSession::start() {
  // A program started without mpirun needs no helper daemon beside it (Open MPI would fork one).
  if (setenv("OMPI_MCA_ess_singleton_isolated", "1", 0) != 0)
    throw Error(ErrorKind::environment, "setenv failed: out of memory");
  int provided = 0;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  if (provided < MPI_THREAD_FUNNELED)
    throw Error(ErrorKind::environment,
                "MPI was built without thread support (one thread talks while others compute) use a build "
                "that provides "
                "MPI_THREAD_FUNNELED");
  check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  MPI_Comm own = MPI_COMM_NULL;
  check(MPI_Comm_dup(MPI_COMM_WORLD, &own), "MPI_Comm_dup");  // the error handler is copied along
  auto transport = std::make_shared<MpiTransport>(own);
  refuse_singletons(transport->size(), [](const char* name) { return std::getenv(name); });
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  return Communicator(std::move(transport), std::string(name.data(), static_cast<std::size_t>(length)));
}

MpiSession::MpiSession() : exceptions_(std::uncaught_exceptions()), world_(start()) {}

MpiSession::~MpiSession() {
  if (std::uncaught_exceptions() > exceptions_) return;
  const int code = MPI_Finalize();
  if (code != MPI_SUCCESS) std::fprintf(stderr, "lcn: MPI_Finalize failed with code %d\n", code);
}

void MpiSession::bind_symbols_now([[maybe_unused]] char** argv) {
#ifdef OPEN_MPI
  if (std::getenv("LD_BIND_NOW") != nullptr || setenv("LD_BIND_NOW", "1", 0) != 0) return;
  std::array<char, 4096> program{};  // Linux knows no longer path
  const ssize_t length = readlink("/proc/self/exe", program.data(), program.size());
  if (length <= 0 || static_cast<std::size_t>(length) == program.size()) return;
  program[static_cast<std::size_t>(length)] = '\0';
  execv(program.data(), argv);  // returns only when it fails
#endif
}

std::string MpiSession::library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  check(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  const std::string version(text.data(), static_cast<std::size_t>(length));
  return version.substr(0, version.find('\n'));
}

}  // namespace lcn
