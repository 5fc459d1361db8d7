#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/files.hpp"
#include "jobs/claim.hpp"
#include "jobs/plan.hpp"
#include "jobs/verifier.hpp"

namespace lcn {

// The folder of one run (docs/format.md): plan.json, units/, best/, diagnostics/, archive.h5. Every file is
// written to a temporary name and renamed, so that a kill at any moment leaves whole files only.
class RunFolder : public ResultStore {
 public:
  explicit RunFolder(std::string path) : path_(std::move(path)) {}
  const std::string& path() const { return path_; }
  std::string archive_path() const { return path_ + "/archive.h5"; }
  std::string best_path(const UnitRecord& unit) const;

  std::optional<Plan> read_plan() const;
  // Under a lock, since several jobs may share a run: adds `mine` to the stored plan, or makes it, and
  // returns the plan as it is then, with the configuration of `mine`. Error(usage) when the stored one
  // differs.
  Plan extend_plan(const Plan& mine, const std::vector<std::int64_t>& repetitions);

  // What is known of a unit that was stored earlier, as far as resume needs it; nothing when it has to be
  // computed. The archive's row counts where the archive is newer than the unit's file, which is not read
  // then. Damaged files that are read are named in `warnings`.
  struct Finished {
    std::string status;
  };
  std::map<std::string, Finished> find_finished(const std::vector<std::string>& units,
                                                std::vector<std::string>& warnings) const;
  // The archive has all of these units and is newer than each of their files.
  bool archive_is_current(const std::vector<PlannedUnit>& units) const;

  // Asks for a unit on behalf of this job: locks its byte of RUN/.claims.lock, then looks whether another job
  // has finished the unit meanwhile; a failed one counts as finished unless `rerun_failed`. The claim lasts
  // until store_unit(unit), the end of this object, or the death of the process. Error(environment) without
  // locks.
  Claim claim(const std::string& unit, bool rerun_failed);
  // Units that this object has stored, or refused to store because they were finished already.
  const std::set<std::string>& stored() const { return stored_; }

  // Text for /provenance of the units that are stored from now on.
  void set_provenance(std::string provenance) { provenance_ = std::move(provenance); }
  // Never replaces a finished unit by another one. Error(rejected) when the two results differ although no
  // clock could end them; the refused drawing goes to diagnostics/.
  void store_unit(const UnitRecord& record, const Instance& instance) override;
  // Kept only if it is better than what best/ has.
  void store_best(const UnitRecord& unit, const Instance& instance, const Drawing& drawing,
                  const Tuple& tuple) override;
  // checkpoints/UNIT, until store_unit() removes it.
  void store_checkpoint(const UnitRecord& unit, const std::string& state) override;
  // What store_checkpoint() wrote, by this very program; empty when there is none. Why one that is there
  // cannot be used is said in `warnings`.
  std::string read_checkpoint(const std::string& unit, std::vector<std::string>& warnings) const;
  void store_diagnostic(const UnitRecord& record, const Instance& instance, const Drawing& drawing) override;

 private:
  std::string checkpoint_path(const std::string& unit) const;
  std::string path_, provenance_;
  std::map<std::string, Tuple> best_;  // of the files in best/ that were looked at
  std::set<std::string> stored_;
  std::optional<ByteLocks> claims_;
};

}  // namespace lcn
