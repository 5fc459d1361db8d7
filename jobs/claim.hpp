#pragma once

namespace lcn {

// What became of a wish to compute a unit of a run on which several jobs may work at the same time.
enum class Claim {
  taken,     // it is this job's until its result is stored, or the job ends
  finished,  // another job has finished it meanwhile
  elsewhere  // another job has it in work
};

}  // namespace lcn
