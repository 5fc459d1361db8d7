#include "jobs/study_job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "geometry/drawing_hash.hpp"
#include "io/archive.hpp"
#include "io/files.hpp"
#include "io/provenance.hpp"
#include "jobs/backends.hpp"
#include "jobs/rank_job.hpp"
#include "jobs/run_folder.hpp"
#include "jobs/runner.hpp"
#include "jobs/signals.hpp"
#include "jobs/solve_inputs.hpp"
#include "jobs/solve_job.hpp"
#include "jobs/study_file.hpp"
#include "jobs/study_manifest.hpp"
#include "search/starts.hpp"
#include "support/error.hpp"
#include "support/plural.hpp"
#include "support/sha256.hpp"

namespace lcn {
namespace {

constexpr int kStudyStoppedEarly = 75;

void say(const std::string& text) {
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

void warn_all(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) fmt::print(stderr, "lcn: warning: {}\n", warning);
  std::fflush(stderr);
}

bool has_failed(const RunFolder::Finished& unit) {
  return unit.status == "failed" || unit.status == "rejected";
}

// Each unit's result goes to the folder of its configuration.
class StudyStore : public ResultStore {
 public:
  void assign(const std::string& unit, RunFolder& folder) { folders_[unit] = &folder; }

  void store_unit(const UnitRecord& record, const Instance& instance) override {
    folders_.at(record.unit)->store_unit(record, instance);
  }
  void store_best(const UnitRecord& unit, const Instance& instance, const Drawing& drawing,
                  const Tuple& tuple) override {
    folders_.at(unit.unit)->store_best(unit, instance, drawing, tuple);
  }
  void store_checkpoint(const UnitRecord& unit, const std::string& state) override {
    folders_.at(unit.unit)->store_checkpoint(unit, state);
  }
  void store_diagnostic(const UnitRecord& record, const Instance& instance, const Drawing& drawing) override {
    folders_.at(record.unit)->store_diagnostic(record, instance, drawing);
  }

 private:
  std::map<std::string, RunFolder*> folders_;
};

class StudyJob {
 public:
  StudyJob(const Communicator& world, const Study& study, const StudyRequest& request,
           const Machinery& machinery)
      : world_(world),
        study_(study),
        request_(request),
        machinery_(machinery),
        settings_(run_settings_from_environment()) {}

  int run() {
    if (std::filesystem::exists(request_.out + "/plan.json"))
      throw usage_error(
          fmt::format("{}: is a run of lcn solve (it has a plan.json) use another --out", request_.out));
    if (!request_.dry_run) check_output_folder(request_.out);
    load();
    if (!plan()) {
      say("stopped early: before the manifest was made, nothing was written");
      return kStudyStoppedEarly;
    }
    if (request_.dry_run) return print_order();
    store_manifest();
    for (std::size_t c = 0; c < plans_.size(); ++c) {
      plans_[c] = folders_[c]->extend_plan(plans_[c], manifest_.seeds);
      for (const PlannedUnit& unit : plans_[c].units) store_.assign(unit.id, *folders_[c]);
    }
    choose_units();
    if (!todo_.empty()) compute();
    return finish();
  }

 private:
  // A study needs all of its instances, each with a name of its own: targets and tables go by names.
  void load() {
    const std::vector<std::string>& inputs = request_.inputs.empty() ? study_.instances : request_.inputs;
    if (inputs.empty())
      throw usage_error("study run: no instances (neither in [study] nor after the file's name)");
    LoadedInstances loaded = load_instances(inputs);
    if (!loaded.problems.empty()) throw input_error(loaded.problems.front());
    warn_all(loaded.warnings);
    instances_ = std::move(loaded.instances);
    std::map<std::string, std::string> paths;
    for (const auto& instance : instances_)
      if (const auto [same, is_new] = paths.emplace(instance->name, instance->path); !is_new)
        throw input_error(fmt::format("{}: has the name of {} (instances of a study are told apart by name)",
                                      instance->path, same->second));
    for (const auto& [name, K] : study_.targets)
      if (!paths.contains(name))
        throw usage_error(fmt::format("target.{} = {}: the study has no instance of this name", name, K));
    for (const StudyConfiguration& c : study_.configurations) load_configuration(c);
  }

  // Drawings to start from are taken by content, as in lcn solve, and every instance needs one.
  void load_configuration(const StudyConfiguration& c) {
    ManifestConfiguration loaded{c.name, c.configuration, {}};
    loaded.configuration.backend = request_.device;
    std::vector<Drawing> drawings;
    if (WarmStarts::is_warm(c.configuration.start)) {
      try {
        const WarmStarts warm(c.configuration.start);
        std::vector<std::string> warnings;
        for (const auto& instance : instances_) drawings.push_back(warm.drawing(*instance, warnings));
        loaded.configuration.start = warm.canonical();
        warn_all(warnings);
      } catch (const Error& error) {
        throw Error(error.kind(), fmt::format("[{}]: {}", c.name, error.what()));
      }
    }
    for (const ManifestConfiguration& other : manifest_.configurations)
      if (other.configuration.json() == loaded.configuration.json())
        throw usage_error(
            fmt::format("[{}] and [{}] start from the same content: {} (they are the same configuration)",
                        other.name, c.name, loaded.configuration.start));
    warm_starts_.push_back(std::move(drawings));
    manifest_.configurations.push_back(std::move(loaded));
  }

  // The manifest and each configuration's plan. False when a signal came.
  bool plan() {
    manifest_.name = study_.name;
    manifest_.question = study_.question;
    manifest_.hypothesis = study_.hypothesis;
    manifest_.baseline = study_.baseline;
    manifest_.device = request_.device;
    manifest_.rule = study_.rule;
    manifest_.seeds = study_.seeds;
    manifest_.threads = study_.threads;
    manifest_.binary_sha256 = program_sha256();
    for (const ManifestConfiguration& c : manifest_.configurations) {
      plans_.push_back({c.configuration, {}, {}});
      folders_.push_back(std::make_unique<RunFolder>(study_run_folder(request_.out, c.name)));
    }
    const std::optional<Plan> stored = folders_.front()->read_plan();
    for (std::size_t i = 0; i < instances_.size(); ++i) {
      plan_instance(i, stored);
      if (stop_signalled()) return false;
    }
    manifest_.order = run_order(manifest_);
    return true;
  }

  void plan_instance(std::size_t i, const std::optional<Plan>& stored) {
    const Instance& instance = *instances_[i];
    PlannedInstance planned{.name = instance.name,
                            .path = instance.path,
                            .sha256 = to_hex(instance.hash),
                            .n = instance.graph.n(),
                            .m = instance.graph.m(),
                            .grid = instance.grid};
    const std::optional<std::size_t> known = stored ? stored->find_instance(planned.sha256) : std::nullopt;
    planned.bound = known ? stored->instances[*known].bound : lower_bound(instance.graph);
    for (std::size_t c = 0; c < plans_.size(); ++c) {
      planned.resolved =
          resolve_options_on(backend_of(request_.device), instance.graph, instance.grid, planned.bound,
                             solve_options_of(manifest_.configurations[c].configuration, manifest_.threads));
      std::string start_sha256;
      if (!warm_starts_[c].empty()) {
        planned.resolved.start = manifest_.configurations[c].configuration.start;
        start_sha256 = to_hex(drawing_sha256({warm_starts_[c][i]}));
      } else {
        require_start(manifest_.configurations[c].name, instance, planned.resolved.start);
      }
      plans_[c].instances.push_back(planned);
      manifest_.configurations[c].resolved.push_back(
          {planned.resolved.start, planned.resolved.search, planned.resolved.replicas, start_sha256});
    }
    const auto own = study_.targets.find(instance.name);
    const std::optional<std::int64_t> target = own != study_.targets.end() ? own->second : study_.target;
    if (target && *target < planned.bound.value)
      throw usage_error(
          fmt::format("{}: the target K = {} is below the proven bound {} (no drawing reaches it)",
                      instance.name, *target, planned.bound.value));
    manifest_.instances.push_back(
        {planned.name, planned.path, planned.sha256, planned.n, planned.m, planned.bound.value, target});
  }

  // A configuration whose units are bound to fail on an instance would lose there without having been tried.
  static void require_start(const std::string& configuration, const Instance& instance,
                            const std::string& start) {
    const std::string reason =
        start_obstacle(instance.graph, instance.grid, instance.drawing ? &*instance.drawing : nullptr, start);
    if (!reason.empty())
      throw input_error(
          fmt::format("[{}]: {}: no unit can start ({})", configuration, instance.path, reason));
  }

  int print_order() {
    for (std::size_t c = 0; c < plans_.size(); ++c)
      for (const PlannedInstance& i : plans_[c].instances)
        say(fmt::format("configuration {} on {}: n {}, m {}, bound {}, start {}, search {}, replicas {}",
                        manifest_.configurations[c].name, i.name, i.n, i.m, i.bound.value, i.resolved.start,
                        i.resolved.search, i.resolved.replicas));
    for (const StudyUnit& unit : manifest_.order)
      if (in_share(unit))
        say(fmt::format("pair {} unit {} {} seed {} {}", unit.pair, unit.id,
                        manifest_.instances[unit.instance].name, unit.repetition,
                        manifest_.configurations[unit.configuration].name));
    say(fmt::format("dry run: {}; nothing was written", plural(manifest_.order.size(), "unit")));
    return 0;
  }

  bool in_share(const StudyUnit& unit) const {
    return static_cast<std::int64_t>(unit.pair) % request_.share.count == request_.share.index - 1;
  }

  // Written before the first unit runs; jobs that come later must be of the same study.
  void store_manifest() {
    make_folder(request_.out);
    const std::string path = request_.out + "/manifest.json";
    const FileLock lock(request_.out + "/.manifest.lock");
    std::string text = manifest_json(manifest_, job_provenance(world_, request_.argv, ""));
    std::error_code none;
    if (std::filesystem::exists(path, none)) {
      const std::string stored = read_text_file(path);
      parse_manifest(stored, path);
      if (const std::string difference = manifest_difference(stored, text); !difference.empty())
        throw usage_error(
            fmt::format("--out {}: {} (a study is fixed before it runs) use another folder, or the old value",
                        request_.out, difference));
      text = stored;
    } else {
      write_file_atomically(path, text);
    }
    manifest_sha256_ = sha256_hex(text);
  }

  void choose_units() {
    find_finished([this](const StudyUnit& unit) { return in_share(unit); });
    for (const StudyUnit& unit : manifest_.order) {
      if (!in_share(unit)) continue;
      const auto found = finished_.find(unit.id);
      const bool failed = found != finished_.end() && has_failed(found->second);
      if (found == finished_.end() || (failed && request_.rerun_failed)) {
        todo_.push_back(unit);
        finished_.erase(unit.id);
      } else {
        ++earlier_;
        earlier_failed_ += failed;
      }
    }
  }

  // Looks which of these units are finished, but for those of which it is known.
  void find_finished(const std::function<bool(const StudyUnit&)>& wanted) {
    std::vector<std::vector<std::string>> ids(folders_.size());
    for (const StudyUnit& unit : manifest_.order)
      if (wanted(unit) && !finished_.contains(unit.id) &&
          !folders_[unit.configuration]->stored().contains(unit.id))
        ids[unit.configuration].push_back(unit.id);
    std::vector<std::string> warnings;
    for (std::size_t c = 0; c < folders_.size(); ++c)
      finished_.merge(folders_[c]->find_finished(ids[c], warnings));
    warn_all(warnings);
  }

  void compute() {
    say(fmt::format("{}: {} of {}, {} and {}, {} finished earlier; {} x {}", request_.out,
                    plural(todo_.size() + earlier_, "unit"), plural(plans_.size(), "configuration"),
                    plural(instances_.size(), "instance"), plural(manifest_.seeds.size(), "seed"), earlier_,
                    plural(world_.size(), "rank"), plural(manifest_.threads, "thread")));
    std::map<std::string, std::size_t> configuration_of;
    for (const StudyUnit& unit : todo_) configuration_of[unit.id] = unit.configuration;
    for (std::size_t c = 0; c < folders_.size(); ++c)
      folders_[c]->set_provenance(job_provenance(world_, request_.argv, provenance_config(c)));
    Job job;
    job.units = todo_.size();
    job.instance = [this](std::size_t i) { return instances_[todo_[i].instance]; };
    job.task = [this](std::size_t i) { return task(todo_[i]); };
    job.claim = [this](std::size_t i) {
      return folders_[todo_[i].configuration]->claim(todo_[i].id, request_.rerun_failed);
    };
    Progress progress(stdout, output_is_terminal(), todo_.size() + earlier_, earlier_, settings_.heartbeat);
    progress.set_label([&](const UnitRecord& record) {
      return manifest_.configurations[configuration_of.at(record.unit)].name + ":";
    });
    summary_ = run_units(world_, job, store_, progress, machinery_, settings_, stop_signalled);
  }

  // The manifest's hash binds each unit to what was fixed before it ran.
  std::string provenance_config(std::size_t c) const {
    nlohmann::json config = nlohmann::json::parse(plans_[c].configuration.json());
    config["root_seed"] = plans_[c].configuration.root_seed;
    config["threads"] = manifest_.threads;
    config["device"] = manifest_.device;
    config["study_configuration"] = manifest_.configurations[c].name;
    config["study_manifest_sha256"] = manifest_sha256_;
    config["study_share"] = {request_.share.index, request_.share.count};
    return config.dump();
  }

  // extend_plan() may have found the instances in another order.
  const PlannedInstance& planned_instance(const StudyUnit& unit) const {
    const Plan& plan = plans_[unit.configuration];
    return plan.instances[*plan.find_instance(manifest_.instances[unit.instance].sha256)];
  }

  UnitTask task(const StudyUnit& unit) const {
    const Configuration& configuration = plans_[unit.configuration].configuration;
    UnitTask task;
    task.unit = unit.id;
    task.instance_sha256 = manifest_.instances[unit.instance].sha256;
    task.repetition = unit.repetition;
    task.root_seed = configuration.root_seed;
    task.config = configuration.json();
    task.options = solve_options_of(configuration, manifest_.threads);
    const PlannedInstance& planned = planned_instance(unit);
    // What the plan says, so that every job that goes on with the unit does the same.
    if (const std::vector<Drawing>& drawings = warm_starts_[unit.configuration]; !drawings.empty())
      task.warm_starts = {drawings[unit.instance]};
    else
      task.options.start = planned.resolved.start;
    task.options.search = planned.resolved.search;
    task.options.replicas = planned.resolved.replicas;
    task.bound = planned.bound;
    std::vector<std::string> warnings;
    task.checkpoint = folders_[unit.configuration]->read_checkpoint(unit.id, warnings);
    warn_all(warnings);
    return task;
  }

  // What became of the units while this job was at work, here and in other jobs on the study.
  struct Outcome {
    std::int64_t by_others = 0, failed_by_others = 0;  // of this share, finished by other jobs
    std::int64_t left = 0;                             // of this share, finished by nobody
    std::int64_t missing = 0;                          // of other shares
    std::set<std::size_t> incomplete;                  // configurations with units that nobody has finished
  };

  Outcome look_again() {
    Outcome outcome;
    find_finished([](const StudyUnit&) { return true; });
    std::set<std::string> mine;
    for (const StudyUnit& unit : todo_) mine.insert(unit.id);
    for (const StudyUnit& unit : manifest_.order) {
      if (folders_[unit.configuration]->stored().contains(unit.id)) continue;
      const auto found = finished_.find(unit.id);
      if (found == finished_.end()) {
        ++(mine.contains(unit.id) ? outcome.left : outcome.missing);
        outcome.incomplete.insert(unit.configuration);
      } else if (mine.contains(unit.id)) {
        ++outcome.by_others;
        outcome.failed_by_others += has_failed(found->second);
      }
    }
    return outcome;
  }

  void merge(std::size_t configuration) const {
    const MergeReport report = merge_run(folders_[configuration]->path());
    warn_all(report.warnings);
    warn_all(report.unreadable);
    if (!report.written)
      throw Error(
          ErrorKind::environment,
          fmt::format(
              "{}: {} vanished before the merge (another program changed the folder?) run the same command "
              "again",
              folders_[configuration]->path(), plural(report.missing.size(), "unit")));
  }

  // Merges the runs that are whole, says how it went, and returns the exit code.
  int finish() {
    const Outcome outcome = look_again();
    if (outcome.by_others > 0)
      say(fmt::format("{} finished by another job on this study", plural(outcome.by_others, "unit")));
    if (outcome.left > 0 && summary_.stopped) {
      say(fmt::format("stopped early: {} not done; run the same command again to go on",
                      plural(outcome.left, "unit")));
      return kStudyStoppedEarly;
    }
    for (std::size_t c = 0; c < plans_.size(); ++c)
      if (!outcome.incomplete.contains(c) && !folders_[c]->archive_is_current(plans_[c].units)) merge(c);
    std::vector<std::string> lacking;
    if (outcome.left > 0)
      lacking.push_back(
          fmt::format("{} in work in another job (if that one is stopped, run the same command again)",
                      plural(outcome.left, "unit")));
    if (outcome.missing > 0)
      lacking.push_back(
          fmt::format("{} of other shares {} missing", outcome.missing, outcome.missing == 1 ? "is" : "are"));
    if (lacking.empty())
      say(fmt::format("done: all {}; lcn study report {}", plural(manifest_.order.size(), "unit"),
                      request_.out));
    else
      say(fmt::format("done: {}; {}; the job that ends last merges the archives",
                      plural(static_cast<std::int64_t>(todo_.size() + earlier_) - outcome.left, "unit"),
                      fmt::join(lacking, ", ")));
    const std::int64_t failed =
        static_cast<std::int64_t>(summary_.failed + earlier_failed_) + outcome.failed_by_others;
    if (failed > 0)
      say(fmt::format("{} failed (the reason is in the archives' column error; --rerun-failed tries again)",
                      plural(failed, "unit")));
    return failed > 0 ? exit_code(ErrorKind::unit) : 0;
  }

  Communicator world_;
  const Study& study_;
  const StudyRequest& request_;
  const Machinery& machinery_;
  RunSettings settings_;
  std::vector<std::shared_ptr<const Instance>> instances_;  // in the order of the manifest
  std::vector<std::vector<Drawing>> warm_starts_;           // by configuration and instance; else empty
  StudyManifest manifest_;
  std::string manifest_sha256_;
  std::vector<Plan> plans_;                          // by configuration
  std::vector<std::unique_ptr<RunFolder>> folders_;  // likewise
  StudyStore store_;
  std::map<std::string, RunFolder::Finished> finished_;  // by other jobs, as far as it was looked for
  std::vector<StudyUnit> todo_;
  std::size_t earlier_ = 0, earlier_failed_ = 0;
  RunSummary summary_;
};

}  // namespace

std::string study_run_folder(const std::string& study, const std::string& configuration) {
  return fmt::format("{}/runs/{}", study, configuration);
}

int run_study_job(const Communicator& world, const Study& study, const StudyRequest& request,
                  const Machinery& machinery) {
  return StudyJob(world, study, request, machinery).run();
}

}  // namespace lcn
