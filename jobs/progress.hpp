#pragma once
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "io/unit_record.hpp"

namespace lcn {

// Whether what is written to standard output reaches a terminal. Open MPI gives every rank a pseudo-terminal
// even when mpirun writes to a file, so under a launcher the launcher's own output counts.
bool output_is_terminal();

struct RunningUnit {
  std::string instance;
  std::int64_t repetition = 1;
  int rank = 0;
  double seconds = 0;
};

// What a person sees of a running job: on a terminal a bar below the lines; otherwise only whole lines,
// flushed, one per unit and a heartbeat. Written by rank 0.
class Progress {
 public:
  // `total` units, of which `done` were finished by earlier runs; `heartbeat` in seconds.
  Progress(std::FILE* out, bool terminal, std::size_t total, std::size_t done, double heartbeat);

  // Text before a unit's line, where instance and seed do not say which unit it is.
  void set_label(std::function<std::string(const UnitRecord&)> label) { label_ = std::move(label); }

  void line(const std::string& text);
  // Instance, seed, start -> final tuple, bound, gap, status, seconds.
  void unit(const UnitRecord& record);
  void finished_elsewhere() { ++done_; }  // a unit, by another job on the same run
  // To be called often; `now` in seconds since the job's start. Draws the bar or writes the heartbeat when
  // due.
  void tick(double now, const std::vector<RunningUnit>& running);
  void finish();  // takes the bar away

  static std::string unit_text(const UnitRecord& record);

 private:
  void clear_bar();
  std::FILE* out_;
  bool terminal_, bar_shown_ = false;
  std::size_t total_, done_;
  double heartbeat_, last_ = 0;
  std::function<std::string(const UnitRecord&)> label_;
};

}  // namespace lcn
