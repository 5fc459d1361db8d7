#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "crossings/oracle.hpp"
#include "io/archive.hpp"
#include "io/unit_file.hpp"
#include "jobs/run_folder.hpp"
#include "jobs/solve_inputs.hpp"
#include "jobs/solve_job.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

struct StoredUnit {
  UnitRecord record;
  Instance instance;
};

// From a unit file, or by id from a run's unit files or archive.
StoredUnit find_unit(const SolveRequest& request) {
  namespace fs = std::filesystem;
  std::string path = request.replay;
  StoredUnit stored;
  std::error_code none;
  if (fs::is_regular_file(path, none)) {
    stored.record = read_unit_file(path);
  } else {
    if (request.out.empty())
      throw usage_error(
          fmt::format("--replay {}: no such file (a unit id needs its run) add --out RUN", path));
    path = unit_file_path(request.out, request.replay);
    if (fs::exists(path, none)) {
      stored.record = read_unit_file(path);
    } else {
      path = RunFolder(request.out).archive_path();
      if (!fs::exists(path, none))
        throw input_error(fmt::format("--replay {}: {} has neither such a unit file nor an archive",
                                      request.replay, request.out));
      stored.record = read_archive_unit(path, request.replay);
    }
  }
  if (stored.record.drawing.empty())
    throw input_error(fmt::format("{}: unit {} is {} (there is no result to compare with)", path,
                                  stored.record.unit, stored.record.status));
  for (BestDrawing& best : read_best_drawings(path))
    if (best.row.instance_sha256 == stored.record.instance_sha256) stored.instance = std::move(best.instance);
  return stored;
}

}  // namespace

int replay_unit(const SolveRequest& request, const SolveFunction& solve) {
  const StoredUnit stored = find_unit(request);
  const UnitRecord& before = stored.record;
  Configuration configuration = configuration_from_json(before.config);
  if (configuration.algorithm_version != kAlgorithmVersion)
    throw usage_error(
        fmt::format("--replay {}: the unit was made by algorithm version {}, this program is version {} (it "
                    "takes other steps) use the program of that version",
                    before.unit, configuration.algorithm_version, kAlgorithmVersion));
  UnitTask task;
  if (WarmStarts::is_warm(configuration.start)) {
    const std::string& start = request.configuration.start;
    if (!WarmStarts::is_warm(start))
      throw usage_error(
          fmt::format("--replay {}: the unit began at a given drawing ({}) add the same --start", before.unit,
                      configuration.start));
    const WarmStarts warm(start);
    if (warm.canonical() != configuration.start)
      throw usage_error(fmt::format("--replay {}: --start {} is {} but the unit began at {}", before.unit,
                                    start, warm.canonical(), configuration.start));
    std::vector<std::string> warnings;
    task.warm_starts = {warm.drawing(stored.instance, warnings)};
  }
  task.unit = before.unit;
  task.instance_sha256 = before.instance_sha256;
  task.repetition = before.repetition;
  task.root_seed = static_cast<std::uint64_t>(before.root_seed);
  task.config = before.config;
  task.options = solve_options_of(configuration, request.threads);
  task.options.ranks = static_cast<int>(before.ranks);
  task.options.gpu_team = request.gpu_team;
  task.options.gpu_group = request.gpu_group;
  task.bound = lower_bound(stored.instance.graph);
  for (const ScheduleRow& row : before.schedule)
    task.replay.push_back({row.stage, row.steps, row.temperature, row.table_K});

  fmt::print("replay of unit {}: {} seed {}\n", before.unit, before.instance, before.repetition);
  std::fflush(stdout);
  UnitOutcome outcome = run_unit(task, stored.instance, solve, {});
  const UnitRecord& now = outcome.record;
  verify_outcome(stored.instance, outcome);
  if (now.status == "failed" || now.status == "rejected")
    throw Error(ErrorKind::rejected,
                fmt::format("replay of unit {} {}: {}", before.unit, now.status, now.error));

  std::string differences;
  const auto compare = [&](const char* what, const std::string& was, const std::string& is) {
    if (was == is) fmt::print("{:<14} {}\n", what, is);
    if (was != is)
      differences += fmt::format("{}{} was {} and is {}", differences.empty() ? "" : "; ", what, was, is);
  };
  compare("start_sha256", before.start_sha256, now.start_sha256);
  compare("initial", to_string(before.initial), to_string(now.initial));
  compare("final", to_string(before.final), to_string(now.final));
  compare("state_sha256", before.state_sha256, now.state_sha256);
  if (before.drawing != now.drawing)
    differences += fmt::format("{}the drawing differs", differences.empty() ? "" : "; ");
  if (!differences.empty())
    throw Error(ErrorKind::rejected, fmt::format("replay of unit {}: {}", before.unit, differences));
  fmt::print("equal: the replay ends in the stored drawing and state\n");
  return 0;
}

}  // namespace lcn
