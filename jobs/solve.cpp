#include <fmt/format.h>

#include <exception>
#include <optional>
#include <thread>

#include "jobs/backends.hpp"
#include "jobs/commands.hpp"
#include "jobs/gpu_binding.hpp"
#include "jobs/presets.hpp"
#include "jobs/protocol.hpp"
#include "jobs/signals.hpp"
#include "jobs/solve_inputs.hpp"
#include "jobs/solve_job.hpp"
#include "kernels/device/devices.hpp"
#include "layout/layout.hpp"
#include "mpi/mpi_session.hpp"
#include "search/search.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

constexpr double kStartDeadline = 60;   // seconds for all ranks to tell their GPUs
constexpr double kFinishDeadline = 10;  // seconds for all ranks to meet at the end

void check_start(const std::string& text) {
  if (text == "auto" || WarmStarts::is_warm(text)) return;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t plus = std::min(text.find('+', from), text.size());
    make_start_provider(text.substr(from, plus - from));
    from = plus + 1;
  }
}

void check_search(const std::string& text) {
  if (text != "auto") make_search(text);
}

template <class Info>
std::string member_list(const std::vector<Info>& members) {
  std::string text;
  for (const Info& member : members) {
    text += fmt::format("  {:<12} {}\n", member.name, member.description);
    if (!member.parameters.empty()) text += fmt::format("  {:<12}   {}\n", "", member.parameters);
  }
  return text;
}

// auto takes the GPUs when every rank has one of its own, and says why not when there are some.
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

SolveRequest request_from(const Options& options, const std::vector<std::string>& args,
                          const GpuBinding& binding) {
  SolveRequest request;
  request.inputs = options.positional();
  request.seeds = options.seeds("seeds");
  Configuration& configuration = request.configuration;
  configuration.root_seed = static_cast<std::uint64_t>(options.integer("root-seed"));
  if (options.has("time")) configuration.time = options.seconds("time");
  if (options.has("steps")) configuration.steps = options.integer("steps");
  if (!configuration.time && !configuration.steps) configuration.time = SolveOptions().time;
  configuration.shared = options.text("distribute") == "replicas";
  if (options.has("replicas")) configuration.replicas = static_cast<int>(options.integer("replicas"));
  configuration.start = options.text("start");
  configuration.search = options.text("search");
  if (options.has("target")) configuration.target_K = options.integer("target");
  request.threads = static_cast<int>(options.integer("threads"));
  request.out = options.text("out");
  request.dry_run = options.flag("dry-run");
  request.rerun_failed = options.flag("rerun-failed");
  request.replay = options.text("replay");
  request.argv = {"lcn", "solve"};
  request.argv.insert(request.argv.end(), args.begin(), args.end());
  configuration.backend = resolve_device(options.text("device"), options.flag("allow-gpu-sharing"), binding);
  if (request.inputs.empty() == request.replay.empty())
    throw usage_error(request.replay.empty()
                          ? "solve: no input (FILES_OR_FOLDERS) see lcn solve --help"
                          : "solve: --replay takes its instance from the unit, give no other");
  return request;
}

Machinery machinery_on(const GpuBinding& binding, const RunSettings& settings) {
  Machinery machinery;
  machinery.solve = [ordinal = binding.ordinal](const SolveInput& input, const SolveOptions& options,
                                                const SolveCallbacks& callbacks) {
    if (options.device == "gpu") use_device(ordinal);
    return solve_on(backend_of(options.device), input, options, callbacks);
  };
  machinery.join = [deadline = settings.silence](std::shared_ptr<ReplicaMail> mail, const UnitTask&) {
    return make_mail_channel(std::move(mail), deadline);
  };
  return machinery;
}

// A variable that cannot be read is reported by rank 0, which everyone follows.
RunSettings settings_or_default() {
  try {
    return run_settings_from_environment();
  } catch (const Error&) {
    return {};
  }
}

int lead(const Communicator& world, const std::vector<std::string>& args, const GpuBinding& binding) {
  const Options options = solve_options().front().parse(args);
  if (options.handled()) return 0;
  const SolveRequest request = request_from(options, args, binding);
  if (request.configuration.backend == "gpu")
    for (const std::string& line : binding.lines) fmt::print("{}\n", line);
  const Machinery machinery = machinery_on(binding, settings_or_default());
  return request.replay.empty() ? run_solve_job(world, request, machinery)
                                : replay_unit(request, machinery.solve);
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

std::vector<OptionTable> solve_options() {
  OptionTable table(
      "solve",
      "Draws each instance once per seed and keeps the best drawing found: verified results of all units go "
      "into RUN/archive.h5. Works alone and under mpirun or srun; the same command again goes on where an "
      "earlier one stopped.");
  table.positional("inputs", "FILES_OR_FOLDERS", 0, 1'000'000, "contest JSON files, or folders of them");
  table.section("Units")
      .seeds("seeds", "1", "repetitions, for example 1..4,7: one unit per seed and instance")
      .integer("root-seed", "0", 0, OptionTable::kAnyInteger, "seed of all seeds")
      .duration(
          "time", "", 0.01, 366 * 86400.0,
          "wall clock per unit, from start drawing to result; 60s when neither time nor steps are given")
      .integer("steps", "", 1, OptionTable::kAnyInteger,
               "proposals per replica; alone: no time limit, and a result that is the same on every machine; "
               "with time: "
               "whichever comes first")
      .integer("target", "", 0, OptionTable::kAnyInteger, "end a unit as soon as K is at most this");
  table.section("Method")
      .text("start", "SPEC", "auto", "start drawing: auto, a provider (below), file:PATH or archive:FILE",
            check_start)
      .text("search", "SPEC", "auto", "search: auto or one of those below", check_search)
      .integer("replicas", "", 1, 1'000'000,
               "replicas per unit, in total; when not given 1 on the CPU (more threads than replicas stay "
               "idle), a few per multiprocessor on a GPU");
  table.section("Resources")
      .integer("threads", "1", 1, 4096, "CPU threads of each rank; no influence on a result by steps")
      .choice("device", "auto", {"auto", "cpu", "gpu"},
              "where units are computed; auto takes a GPU when each rank has one")
      .choice("distribute", "units", {"units", "replicas"},
              "units: each rank computes units of its own; replicas: all ranks compute each unit together, a "
              "band of its replicas each")
      .flag("allow-gpu-sharing", "let several ranks compute on one GPU");
  table.section("Output")
      .text("out", "RUN", "", "folder of the run; runs/NAME-DATE-TIME when not given")
      .flag("dry-run", "print plan and resolved configuration, write nothing")
      .flag("rerun-failed", "compute units again that failed earlier")
      .text("replay", "UNIT", "",
            "repeat a stored unit (a unit file, or a unit id with --out) and compare, write nothing");
  table.with_config();
  add_solve_presets(table);
  table.epilogue(
      fmt::format("Start providers (NAME or NAME:key=value,...; several joined by '+'):\n{}\nSearches:\n{}",
                  member_list(start_providers()), member_list(searches())));
  return {table};
}

int solve_command(const std::vector<std::string>& args) {
  install_stop_handlers();
  std::exception_ptr failure;
  int code = 0;
  {
    const MpiSession session;
    Communicator world = session.world();
    const GpuBinding binding = bind_gpus(world, kStartDeadline);
    if (world.rank() == 0) {
      // Whatever goes wrong here is told to the other ranks before main reports it: an exception that left
      // this block would skip MPI_Finalize and leave them waiting.
      try {
        code = lead(world, args, binding);
      } catch (...) {
        failure = std::current_exception();
        code = exit_code(current_error().kind());
      }
      std::fflush(nullptr);
      dismiss_ranks(world, code);
    } else {
      const RunSettings settings = settings_or_default();
      code = serve_units(world, machinery_on(binding, settings), settings, stop_signalled);
    }
    meet(world);
  }
  if (failure) std::rethrow_exception(failure);
  return code;
}

}  // namespace lcn
