#include <fmt/format.h>

#include "jobs/commands.hpp"
#include "jobs/method_options.hpp"
#include "jobs/presets.hpp"
#include "jobs/rank_job.hpp"
#include "jobs/solve_job.hpp"
#include "kernels/search/gpu_population.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

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
  request.gpu_team = static_cast<int>(options.integer("gpu-team"));
  request.gpu_group = static_cast<int>(options.integer("gpu-group"));
  check_gpu_population_options({request.gpu_team, false, request.gpu_group});
  request.out = options.text("out");
  request.dry_run = options.flag("dry-run");
  request.rerun_failed = options.flag("rerun-failed");
  request.replay = options.text("replay");
  if (!request.replay.empty())
    for (const char* name : {"preset", "seeds", "root-seed", "time", "steps", "target", "search", "replicas",
                             "device", "allow-gpu-sharing", "dry-run", "rerun-failed"})
      if (options.given(name))
        throw usage_error(
            fmt::format("solve: --{} ({}) has no effect with --replay (the unit brings its own "
                        "configuration) leave it out",
                        name, options.source(name)));
  request.argv = {"lcn", "solve"};
  request.argv.insert(request.argv.end(), args.begin(), args.end());
  configuration.backend = resolve_device(options.text("device"), options.flag("allow-gpu-sharing"), binding);
  request.channel = resolve_channel(options.text("channel"), configuration.backend, binding);
  if (request.inputs.empty() == request.replay.empty())
    throw usage_error(request.replay.empty()
                          ? "solve: no input (FILES_OR_FOLDERS) see lcn solve --help"
                          : "solve: --replay takes its instance from the unit, give no other");
  return request;
}

int lead(const Communicator& world, const std::vector<std::string>& args, const GpuBinding& binding) {
  const Options options = solve_options().front().parse(args);
  if (options.handled()) return 0;
  const SolveRequest request = request_from(options, args, binding);
  if (request.configuration.backend == "gpu")
    for (const std::string& line : binding.lines) fmt::print("{}\n", line);
  const Machinery machinery = machinery_on(binding);
  return request.replay.empty() ? run_solve_job(world, request, machinery)
                                : replay_unit(request, machinery.solve);
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
      .duration("time", "", 0.01, 366 * 86400.0,
                "wall clock per unit, from start drawing to result; 60s when neither time nor steps are "
                "given. Without a "
                "drawing that is admitted and counted a unit may take 5 s and a sixth longer for each of the "
                "two, then it fails")
      .integer("steps", "", 1, OptionTable::kAnyInteger,
               "proposals per replica; alone: no time limit, and a result that is the same on every machine; "
               "with time: "
               "whichever comes first")
      .integer("target", "", 0, OptionTable::kAnyInteger, "end a unit as soon as K is at most this");
  add_method_options(table.section("Method"));
  table.section("Resources")
      .integer("threads", "1", 1, 4096, "CPU threads of each rank; no influence on a result by steps")
      .choice("device", "auto", {"auto", "cpu", "gpu"},
              "where units are computed; auto takes a GPU when each rank has one")
      .choice("distribute", "units", {"units", "replicas"},
              "units: each rank computes units of its own; replicas: all ranks compute each unit together, a "
              "band of its replicas each (a core or GPU of its own for each rank)")
      .choice(
          "channel", "auto", {"auto", "nccl", "mpi"},
          "how ranks that share units exchange replicas: nccl from GPU to GPU, mpi through the hosts; auto "
          "takes nccl where each rank has a GPU of its own; no influence on a result by steps")
      .flag("allow-gpu-sharing", "let several ranks compute on one GPU")
      .integer(
          "gpu-team", "0", 0, 512,
          "threads of a replica's team on a GPU, a multiple of 32; 0: by graph and number of replicas; no "
          "influence on a result by steps")
      .integer("gpu-group", "0", 0, 15,
               "teams that test a replica's next proposals at the same time, up to 64 proposals of which at "
               "most one is accepted; together at most 512 threads, since larger blocks would leave a thread "
               "too few registers, and 15 teams, which is what a block has barriers for; 0: one team; no "
               "influence on a result by steps");
  table.section("Output")
      .text("out", "RUN", "", "folder of the run; runs/NAME-DATE-TIME when not given")
      .flag("dry-run", "print plan and resolved configuration, write nothing")
      .flag("rerun-failed", "compute units again that failed earlier")
      .text("replay", "UNIT", "",
            "repeat a stored unit (a unit file, or a unit id with --out) and compare, write nothing");
  table.with_config();
  add_solve_presets(table);
  table.epilogue(method_list());
  return {table};
}

int solve_command(const std::vector<std::string>& args) {
  return run_rank_job(
      [&args](const Communicator& world, const GpuBinding& binding) { return lead(world, args, binding); });
}

}  // namespace lcn
