#include "jobs/rank_job.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <exception>
#include <optional>
#include <thread>

#include "io/provenance.hpp"
#include "jobs/backends.hpp"
#include "jobs/command.hpp"
#include "jobs/protocol.hpp"
#include "jobs/signals.hpp"
#include "kernels/device/devices.hpp"
#include "mpi/mpi_session.hpp"
#include "mpi/nccl_channel.hpp"
#include "mpi/replica_mail.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

constexpr double kStartDeadline = 60;   // seconds for all ranks to tell their GPUs
constexpr double kFinishDeadline = 10;  // seconds for all ranks to meet at the end

// A variable that cannot be read is reported by rank 0, which everyone follows.
RunSettings settings_or_default() {
  try {
    return run_settings_from_environment();
  } catch (const Error&) {
    return {};
  }
}

// The last messages leave, and nobody goes before all are here.
void meet(Communicator world) {
  try {
    world.agree(std::nullopt, kFinishDeadline);
    const StopWatch clock;
    while (world.sending() && clock.seconds() < kFinishDeadline) {
      world.receive();
      std::this_thread::sleep_for(kPollInterval);
    }
  } catch (const Error& error) {
    last_resort(world, error.what());
  }
}

}  // namespace

int run_rank_job(const LeadFunction& lead) {
  install_stop_handlers();
  const MpiSession session;
  Communicator world = session.world();
  const GpuBinding binding = bind_gpus(world, kStartDeadline);
  int code = 0;
  if (world.rank() == 0) {
    // An exception that left this function would skip MPI_Finalize and leave the others waiting. It is
    // printed before they go: mpirun ends this rank as soon as another has left with a code.
    try {
      code = lead(world, binding);
    } catch (const std::exception&) {
      code = print_current_error();
    }
    std::fflush(nullptr);
    dismiss_ranks(world, code);
  } else {
    code = serve_units(world, machinery_on(binding), settings_or_default(), stop_signalled);
  }
  meet(world);
  return code;
}

int run_with_mail(const MailFunction& body) {
  std::optional<Error> failure;
  {
    const MpiSession session;
    Communicator world = session.world();
    const GpuBinding binding = bind_gpus(world, kStartDeadline);
    const auto mail = std::make_shared<ReplicaMail>(world.rank(), world.size(), world.host());
    std::optional<Error> own;
    std::atomic<bool> done{false};
    std::thread computing([&] {
      try {
        body(binding, mail);
      } catch (...) {
        own = current_error();
        mail->fail(*own);
      }
      done = true;
    });
    for (bool last = false; !last;) {
      last = done;  // what it wrote before is sent below
      while (std::optional<Message> message = world.receive())
        if (message->tag == kTagLetter) mail->deliver(message->from, std::move(message->bytes));
      send_letters(world, *mail);
      if (!last) mail->pause(kPollInterval);
    }
    computing.join();
    try {
      failure = world.agree(own, kStartDeadline);
    } catch (const Error& error) {
      last_resort(world, own ? own->what() : error.what());
    }
    if (failure && world.rank() == 0) print_error(*failure);  // before the others go, as above
    meet(world);
  }
  return failure ? exit_code(failure->kind()) : 0;
}

void use_gpu_of(const GpuBinding& binding) {
  use_device(binding.ordinal);
}

std::string resolve_device(const std::string& wish, bool sharing, const GpuBinding& binding) {
  if (wish == "cpu") return "cpu";
  const bool usable = binding.ordinal >= 0 && (!binding.refused || (sharing && binding.only_sharing_refused));
  if (usable) return "gpu";
  const std::string reason = no_device_reason();
  if (wish == "gpu")
    throw Error(ErrorKind::environment,
                "--device gpu: " + (reason.empty() ? binding.refused->what() : reason + " use --device cpu"));
  if (reason.empty()) fmt::print(stderr, "lcn: warning: computing on the CPU: {}\n", binding.refused->what());
  return "cpu";
}

std::string resolve_channel(const std::string& wish, const std::string& backend, const GpuBinding& binding) {
  const bool possible = backend == "gpu" && built_with_nccl() && !binding.refused;
  if (wish == "auto") return possible ? "nccl" : "mpi";
  if (wish == "nccl" && !possible)
    throw Error(ErrorKind::environment,
                fmt::format("--channel nccl: {} use --channel mpi",
                            !built_with_nccl() ? "this program was built without NCCL"
                            : backend != "gpu" ? "units are computed on CPUs"
                                               : "NCCL needs a GPU of its own for each rank"));
  return wish;
}

Machinery machinery_on(const GpuBinding& binding) {
  Machinery machinery;
  machinery.solve = [ordinal = binding.ordinal](const SolveInput& input, const SolveOptions& options,
                                                const SolveCallbacks& callbacks) {
    if (options.device == "gpu") use_device(ordinal);
    return solve_on(backend_for(options), input, options, callbacks);
  };
  machinery.join = [ordinal = binding.ordinal, deadline = settings_or_default().silence](
                       std::shared_ptr<ReplicaMail> mail, const UnitTask& task) {
    if (task.channel != "nccl") return make_mail_channel(std::move(mail), deadline);
    use_device(ordinal);
    return make_nccl_channel(std::move(mail), deadline);
  };
  return machinery;
}

std::string job_provenance(const Communicator& world, const std::vector<std::string>& argv,
                           const std::string& config) {
  ProvenanceInput input;
  input.argv = argv;
  input.config = config;
  input.environment = {"LCN_BEST_INTERVAL",   "LCN_HEARTBEAT", "LCN_SILENCE",
                       "LCN_STOP_DEADLINE",   "LCN_INJECT",    "SLURM_STEP_NUM_TASKS",
                       "OMPI_COMM_WORLD_SIZE"};
  input.mpi_library = MpiSession::library_version();
  input.ranks = world.size();
  return provenance_json(input);
}

}  // namespace lcn
