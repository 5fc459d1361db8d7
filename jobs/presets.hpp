#pragma once
#include "jobs/options.hpp"

namespace lcn {

// The presets of `lcn solve` (and of what runs units like it): quick, contest, study. Call it after the
// options `time`, `steps` and `seeds` are declared. `study` gives steps and no time, so `time` must have no
// default that would still apply then: its results are a pure function of the seeds.
void add_solve_presets(OptionTable& table);

}  // namespace lcn
