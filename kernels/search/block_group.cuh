#pragma once
#include <climits>
#include <cstdint>

#include "crossings/tuple.hpp"
#include "kernels/search/block_team.cuh"
#include "search/group.hpp"

namespace lcn {

// Shared memory of a group beside its members' and its replica's.
struct GroupMemory {
  struct Epoch {
    int next, lowest;  // the next step to begin; the lowest that was accepted, INT_MAX: none yet
  };
  Epoch epochs[2];  // alternating: one is prepared while the other is still read
  Tuple tuple;      // after the last commit
  StepOutcome outcomes[kEpochSteps];
};

// The device's group (search/group.hpp): one block, whose parts are the members; every thread of the block
// calls every function. Members take steps from a counter in shared memory, so that none waits for a slower
// one before the epoch ends. Two barriers of the block an epoch: behind the first all outcomes are known,
// behind the second the commit is.
template <class Counter, class Team>
class BlockGroup {
 public:
  __device__ BlockGroup(GroupMemory* memory, Counter& counter, const Team& team)
      : memory_(memory), counter_(counter), team_(team) {
    if (threadIdx.x == 0) memory_->epochs[0] = {0, INT_MAX};
    __syncthreads();
  }

  __device__ void use_table(const std::int64_t* table) { counter_.use_table(table); }

  template <class Step>
  __device__ std::int32_t walk(std::int32_t limit, Step&& step) {
    GroupMemory::Epoch& epoch = memory_->epochs[parity_];
    mine_ = -1;
    for (;;) {
      std::int32_t i = 0;
      if (team_.leader()) {
        i = atomicAdd(&epoch.next, 1);
        if (i > *const_cast<volatile int*>(&epoch.lowest)) i = limit;
      }
      i = team_.from_leader(i);
      if (i >= limit) break;
      mine_ = i;
      const StepOutcome outcome = step(counter_, team_, i);
      if (team_.leader()) {
        memory_->outcomes[i] = outcome;
        if (outcome.accepted) atomicMin(&epoch.lowest, i);
      }
    }
    __syncthreads();
    return min(epoch.lowest, limit);
  }

  __device__ StepOutcome outcome(std::int32_t i) const { return memory_->outcomes[i]; }

  __device__ void finish(std::int32_t lowest, bool accepted) {
    if (accepted && mine_ == lowest) {
      counter_.commit();
      if (team_.leader()) memory_->tuple = counter_.tuple();
    }
    parity_ ^= 1;
    if (threadIdx.x == 0) memory_->epochs[parity_] = {0, INT_MAX};
    __syncthreads();
    if (accepted) counter_.set_tuple(memory_->tuple);
  }

  __device__ const Tuple& tuple() const { return counter_.tuple(); }

 private:
  GroupMemory* memory_;
  Counter& counter_;
  const Team& team_;
  std::int32_t mine_ = -1;  // the step that this member began last
  int parity_ = 0;
};

}  // namespace lcn
