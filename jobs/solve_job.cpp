#include "jobs/solve_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "io/archive.hpp"
#include "jobs/backends.hpp"
#include "jobs/rank_job.hpp"
#include "jobs/run_folder.hpp"
#include "jobs/signals.hpp"
#include "jobs/solve_inputs.hpp"
#include "search/starts.hpp"
#include "support/error.hpp"
#include "support/plural.hpp"

namespace lcn {
namespace {

constexpr int kStoppedEarly = 75;

void print_warning(const std::string& text) {
  fmt::print(stderr, "lcn: warning: {}\n", text);
  std::fflush(stderr);
}

void print_problem(const std::string& text) {
  fmt::print(stderr, "lcn: input error: {}\n", text);
  std::fflush(stderr);
}

void print_line(const std::string& text) {
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

// runs/NAME-YYYYMMDD-HHMMSS, NAME of the only input; "-2", "-3", ... when it exists.
std::string fresh_folder(const std::vector<std::string>& inputs) {
  namespace fs = std::filesystem;
  std::string name = "solve";
  if (inputs.size() == 1) {
    fs::path path = fs::path(inputs.front()).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();
    if (!path.stem().empty() && path.stem() != "." && path.stem() != "..") name = path.stem().string();
  }
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  char stamp[32] = "";
  if (localtime_r(&now, &local)) std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
  const std::string base = fmt::format("runs/{}-{}", name, stamp);
  std::string folder = base;
  std::error_code none;
  for (int i = 2; fs::exists(folder, none); ++i) folder = fmt::format("{}-{}", base, i);
  return folder;
}

class SolveJob {
 public:
  SolveJob(const Communicator& world, const SolveRequest& request, const Machinery& machinery)
      : world_(world),
        request_(request),
        machinery_(machinery),
        settings_(run_settings_from_environment()),
        folder_(request.out.empty() ? fresh_folder(request.inputs) : request.out) {}

  int run() {
    if (!request_.dry_run) check_output_folder(folder_.path());
    if (!load() || !plan_instances()) {
      print_line("stopped early: before any unit began, nothing was written");
      return kStoppedEarly;
    }
    if (request_.dry_run) return print_plan();
    plan_ = folder_.extend_plan(plan_, request_.seeds);
    choose_units();
    if (!todo_.empty()) compute();
    return finish();
  }

 private:
  // Reads instances and drawings to start from; what is wrong with one of several is reported and costs that
  // one. False when a signal came.
  bool load() {
    LoadedInstances loaded = load_instances(request_.inputs);
    for (const std::string& warning : loaded.warnings) print_warning(warning);
    for (const std::string& problem : loaded.problems) print_problem(problem);
    problems_ = loaded.problems.size();
    plan_.configuration = request_.configuration;
    std::optional<WarmStarts> warm;
    if (WarmStarts::is_warm(request_.configuration.start)) {
      warm.emplace(request_.configuration.start);
      plan_.configuration.start = warm->canonical();
    }
    for (std::shared_ptr<const Instance>& instance : loaded.instances) {
      const std::string hash = to_hex(instance->hash);
      if (warm) {
        std::vector<std::string> warnings;
        try {
          warm_starts_[hash] = warm->drawing(*instance, warnings, stop_signalled);
        } catch (const Stopped&) {
          return false;
        } catch (const Error& error) {
          if (loaded.instances.size() + problems_ == 1) throw;
          print_problem(error.what());
          ++problems_;
          continue;
        }
        for (const std::string& warning : warnings) print_warning(warning);
      }
      instances_[hash] = instance;
      order_.push_back(hash);
    }
    if (order_.empty()) throw input_error("no instance is left to solve (see the messages above)");
    return true;
  }

  // Bounds and resolved options, kept from the stored plan where it has them. False when a signal came.
  bool plan_instances() {
    if (std::filesystem::exists(folder_.path() + "/manifest.json"))
      throw usage_error(
          fmt::format("{}: is a study (it has a manifest.json) use another --out", folder_.path()));
    const std::optional<Plan> stored = folder_.read_plan();
    if (stored) require_same(stored->configuration, plan_.configuration, folder_.path());
    for (const std::string& hash : order_) {
      const Instance& instance = *instances_.at(hash);
      PlannedInstance planned;
      const std::optional<std::size_t> known = stored ? stored->find_instance(hash) : std::nullopt;
      if (known) {
        planned = stored->instances[*known];
      } else {
        planned = {.name = instance.name,
                   .path = instance.path,
                   .sha256 = hash,
                   .n = instance.graph.n(),
                   .m = instance.graph.m(),
                   .grid = instance.grid,
                   .bound = lower_bound(instance.graph)};
        planned.resolved = resolve_options_on(backend_of(plan_.configuration.backend), instance.graph,
                                              instance.grid, planned.bound, options());
        if (warm_starts_.contains(hash))
          planned.resolved.start = plan_.configuration.start;
        else
          warn_if_none_can_start(instance, planned.resolved.start);
        if (stored) warn_if_changed(*stored, instance);
      }
      if (request_.configuration.shared && planned.resolved.replicas < world_.size())
        throw usage_error(fmt::format(
            "--distribute replicas: {}{} for {} ranks (each rank needs one) use --replicas {} or more",
            plural(planned.resolved.replicas, "replica"),
            request_.configuration.replicas == 0 ? " by default" : "", world_.size(), world_.size()));
      plan_.instances.push_back(std::move(planned));
      if (stop_signalled()) return false;
    }
    return true;
  }

  // Its units are computed and fail: one instance must not cost the others.
  static void warn_if_none_can_start(const Instance& instance, const std::string& start) {
    const std::string reason =
        start_obstacle(instance.graph, instance.grid, instance.drawing ? &*instance.drawing : nullptr, start);
    if (!reason.empty()) print_warning(fmt::format("{}: no unit can start ({})", instance.path, reason));
  }

  static void warn_if_changed(const Plan& stored, const Instance& instance) {
    for (const PlannedInstance& old : stored.instances)
      if (old.path == instance.path)
        print_warning(fmt::format(
            "{}: its content has changed since the plan was made (it is planned anew, the units of "
            "the old content stay)",
            instance.path));
  }

  SolveOptions options() const {
    SolveOptions options = solve_options_of(plan_.configuration, request_.threads);
    if (request_.configuration.shared) options.ranks = world_.size();
    options.gpu_team = request_.gpu_team;
    options.gpu_group = request_.gpu_group;
    return options;
  }

  int print_plan() {
    std::vector<std::size_t> all(plan_.instances.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    plan_.add(all, request_.seeds);
    std::vector<std::string> warnings;
    const auto finished = find_finished(warnings);
    for (const std::string& warning : warnings) print_warning(warning);
    print_line(fmt::format("configuration {}", plan_.configuration.json()));
    for (const PlannedInstance& i : plan_.instances)
      print_line(fmt::format(
          "instance {}: n {}, m {}, grid {} x {}, bound {} ({}), start {}, search {}, replicas {}", i.name,
          i.n, i.m, i.grid.width, i.grid.height, i.bound.value, i.bound.certificate.rule, i.resolved.start,
          i.resolved.search, i.resolved.replicas));
    for (const PlannedUnit& unit : plan_.units)
      print_line(fmt::format("unit {} {} seed {}{}", unit.id, plan_.instances[unit.instance].name,
                             unit.repetition, finished.contains(unit.id) ? " (finished)" : ""));
    print_line(fmt::format("dry run: {}, {} finished; nothing was written",
                           plural(plan_.units.size(), "unit"), finished.size()));
    return problems_ > 0 ? exit_code(ErrorKind::unit) : 0;
  }

  std::map<std::string, RunFolder::Finished> find_finished(std::vector<std::string>& warnings) const {
    std::vector<std::string> ids;
    for (const PlannedUnit& unit : plan_.units) ids.push_back(unit.id);
    return folder_.find_finished(ids, warnings);
  }

  // Of the whole plan those that were asked for and are not finished.
  void choose_units() {
    std::vector<std::string> warnings;
    const auto finished = find_finished(warnings);
    for (const std::string& warning : warnings) print_warning(warning);
    const std::set<std::int64_t> seeds(request_.seeds.begin(), request_.seeds.end());
    for (std::size_t u = 0; u < plan_.units.size(); ++u) {
      const PlannedUnit& unit = plan_.units[u];
      const bool asked =
          seeds.contains(unit.repetition) && instances_.contains(plan_.instances[unit.instance].sha256);
      const auto found = finished.find(unit.id);
      const bool failed =
          found != finished.end() && (found->second.status == "failed" || found->second.status == "rejected");
      if (asked && (found == finished.end() || (failed && request_.rerun_failed))) {
        todo_.push_back(u);
      } else if (found == finished.end()) {
        unasked_.push_back(u);
      } else {
        earlier_ += asked;
        earlier_failed_ += asked && failed;
      }
    }
  }

  void compute() {
    print_line(fmt::format("{}: {} of {}, {} finished earlier; {} x {}", folder_.path(),
                           plural(todo_.size() + earlier_, "unit"), plural(order_.size(), "instance"),
                           earlier_, plural(world_.size(), "rank"), plural(request_.threads, "thread")));
    folder_.set_provenance(provenance());
    Job job;
    job.units = todo_.size();
    job.shared = request_.configuration.shared;
    job.instance = [this](std::size_t i) { return instances_.at(planned_instance(i).sha256); };
    job.task = [this](std::size_t i) { return task(i); };
    job.claim = [this](std::size_t i) {
      return folder_.claim(plan_.units[todo_[i]].id, request_.rerun_failed);
    };
    Progress progress(stdout, output_is_terminal(), todo_.size() + earlier_, earlier_, settings_.heartbeat);
    summary_ = run_units(world_, job, folder_, progress, machinery_, settings_, stop_signalled);
  }

  const PlannedInstance& planned_instance(std::size_t i) const {
    return plan_.instances[plan_.units[todo_[i]].instance];
  }

  UnitTask task(std::size_t i) const {
    const PlannedUnit& unit = plan_.units[todo_[i]];
    const PlannedInstance& instance = planned_instance(i);
    UnitTask task;
    task.unit = unit.id;
    task.instance_sha256 = instance.sha256;
    task.repetition = unit.repetition;
    task.root_seed = plan_.configuration.root_seed;
    task.config = plan_.configuration.json();
    task.options = options();
    // What the plan says, so that every rank, and every job that goes on with the unit, does the same.
    if (!WarmStarts::is_warm(instance.resolved.start)) task.options.start = instance.resolved.start;
    task.options.search = instance.resolved.search;
    task.options.replicas = instance.resolved.replicas;
    task.channel = request_.channel;
    task.bound = instance.bound;
    if (const auto warm = warm_starts_.find(instance.sha256); warm != warm_starts_.end())
      task.warm_starts = {warm->second};
    std::vector<std::string> warnings;
    task.checkpoint = folder_.read_checkpoint(unit.id, warnings);
    for (const std::string& warning : warnings) print_warning(warning);
    return task;
  }

  std::string provenance() const {
    nlohmann::json config = nlohmann::json::parse(plan_.configuration.json());
    config["root_seed"] = plan_.configuration.root_seed;
    config["threads"] = request_.threads;
    config["seeds"] = request_.seeds;
    config["device"] = plan_.configuration.backend;
    config["gpu_team"] = request_.gpu_team;
    config["gpu_group"] = request_.gpu_group;
    return job_provenance(world_, request_.argv, config.dump());
  }

  // What other jobs on the same run have done since this one looked.
  void look_again() {
    if (std::optional<Plan> now = folder_.read_plan()) {
      for (std::size_t u = plan_.units.size(); u < now->units.size(); ++u) unasked_.push_back(u);
      now->configuration = plan_.configuration;
      plan_ = std::move(*now);
    }
    std::vector<std::string> ids, warnings;
    for (const auto* units : {&todo_, &unasked_})
      for (const std::size_t u : *units)
        if (!folder_.stored().contains(plan_.units[u].id)) ids.push_back(plan_.units[u].id);
    if (ids.empty()) return;
    const auto finished = folder_.find_finished(ids, warnings);
    for (const std::size_t u : todo_) {
      const std::string& id = plan_.units[u].id;
      if (folder_.stored().contains(id)) continue;
      const auto found = finished.find(id);
      if (found == finished.end())
        ++left_;
      else
        ++by_others_,
            earlier_failed_ += found->second.status == "failed" || found->second.status == "rejected";
    }
    std::erase_if(unasked_, [&](std::size_t u) { return finished.contains(plan_.units[u].id); });
  }

  // Merges if the whole plan is done, says how it went, and returns the exit code.
  int finish() {
    look_again();
    if (by_others_ > 0)
      print_line(fmt::format("{} finished by another job on this run", plural(by_others_, "unit")));
    if (left_ > 0 && summary_.stopped) {
      print_line(fmt::format(
          "stopped early: {} not done (best drawings so far are in {}/best, what interrupted units "
          "need in checkpoints) run the same command again to go on",
          plural(left_, "unit"), folder_.path()));
      return kStoppedEarly;
    }
    if (left_ > 0) {
      print_line(fmt::format(
          "done: {} verified; {} in work in another job on this run, so no archive was merged (the job that "
          "ends last merges it; if that one is stopped, run the same command again)",
          plural(summary_.done, "unit"), plural(left_, "unit")));
    } else if (!unasked_.empty()) {
      print_line(fmt::format(
          "done: {}; {} of the plan that this command did not ask for {} missing, so no archive was "
          "merged ('lcn archive merge --partial' makes one)",
          plural(todo_.size() + earlier_, "unit"), plural(unasked_.size(), "unit"),
          unasked_.size() == 1 ? "is" : "are"));
    } else if (folder_.stored().empty() && folder_.archive_is_current(plan_.units)) {
      // Rows alone were looked at: reading and recounting all drawings would take what a merge takes, or
      // more.
      print_line(
          fmt::format("nothing to do: {} of {} finished earlier, see {} (drawings were not recounted "
                      "now: lcn archive verify {})",
                      plural(earlier_ + by_others_, "unit"), folder_.path(), folder_.archive_path(),
                      folder_.archive_path()));
    } else {
      const MergeReport report = merge_run(folder_.path());
      for (const std::string& warning : report.warnings) print_warning(warning);
      for (const std::string& file : report.unreadable) print_warning(file);
      if (!report.written)
        throw Error(
            ErrorKind::environment,
            fmt::format("{}: {} vanished before the merge (another program changed the folder?) run the same "
                        "command again",
                        folder_.path(), plural(report.missing.size(), "unit")));
      print_line(fmt::format("done: {} verified, archive {} has {}", plural(summary_.done, "unit"),
                             report.archive, plural(report.units, "row")));
    }
    const std::size_t failed = summary_.failed + earlier_failed_;
    if (failed > 0)
      print_line(
          fmt::format("{} failed (the reason is in the archive's column error; --rerun-failed tries again)",
                      plural(failed, "unit")));
    if (problems_ > 0) print_line(fmt::format("{} could not be read", plural(problems_, "input")));
    return failed + problems_ > 0 ? exit_code(ErrorKind::unit) : 0;
  }

  Communicator world_;
  const SolveRequest& request_;
  const Machinery& machinery_;
  RunSettings settings_;
  RunFolder folder_;
  Plan plan_;
  std::map<std::string, std::shared_ptr<const Instance>> instances_;  // by sha256
  std::map<std::string, Drawing> warm_starts_;                        // by the instance's sha256
  std::vector<std::string> order_;                                    // sha256 of the instances asked for
  std::vector<std::size_t> todo_;                                     // indices into plan_.units
  std::size_t problems_ = 0, earlier_ = 0, earlier_failed_ = 0;
  std::vector<std::size_t> unasked_;      // planned, not finished, not asked for
  std::size_t by_others_ = 0, left_ = 0;  // of todo_: finished by other jobs, and by nobody so far
  RunSummary summary_;
};

}  // namespace

SolveOptions solve_options_of(const Configuration& configuration, int threads) {
  SolveOptions options;
  options.time_limited = configuration.time.has_value();
  if (configuration.time) options.time = *configuration.time;
  options.steps = configuration.steps.value_or(0);
  options.replicas = configuration.replicas;
  options.threads = threads;
  // drawings to start from are handed over as such; the spec is then not looked at
  options.start = WarmStarts::is_warm(configuration.start) ? "auto" : configuration.start;
  options.search = configuration.search;
  options.device = configuration.backend;
  options.target_K = configuration.target_K;
  return options;
}

int run_solve_job(const Communicator& world, const SolveRequest& request, const Machinery& machinery) {
  return SolveJob(world, request, machinery).run();
}

}  // namespace lcn
