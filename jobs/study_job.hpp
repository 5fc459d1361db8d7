#pragma once
#include <string>
#include <vector>

#include "jobs/runner.hpp"
#include "mpi/communicator.hpp"

namespace lcn {

struct Study;

// A part of the study's pairs for one of several jobs: pair p is of share p mod count + 1.
struct StudyShare {
  std::int64_t index = 1, count = 1;
};

struct StudyRequest {
  std::string out;                  // STUDY
  std::vector<std::string> inputs;  // instead of the file's instances, when not empty
  StudyShare share;
  std::string device;  // resolved: cpu or gpu
  bool dry_run = false, rerun_failed = false;
  std::vector<std::string> argv;  // for provenance
};

// Where a configuration's run is: STUDY/runs/NAME, a RUN folder like those of lcn solve.
std::string study_run_folder(const std::string& study, const std::string& configuration);

// Rank 0's part of `lcn study run`: instances, bounds, manifest, units, archives. Returns the exit code: 0
// done, 3 some units failed, 75 stopped early. Error(usage) naming the field when STUDY holds another study.
int run_study_job(const Communicator& world, const Study& study, const StudyRequest& request,
                  const Machinery& machinery);

}  // namespace lcn
