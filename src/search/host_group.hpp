#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "random/stream.hpp"
#include "search/group.hpp"

namespace lcn {

// Emulates on one thread a group (search/group.hpp) whose members run at the same time: a stream decides
// which member begins or ends its step next, so that a result that depended on their timing would differ
// between streams. The counters share drawing and counts, and each has its own pending move.
template <class Counter, class Team>
class HostGroup {
 public:
  HostGroup(std::span<Counter> counters, const Team& team, StreamKey timing)
      : counters_(counters),
        team_(team),
        timing_(timing),
        member_of_(static_cast<std::size_t>(kEpochSteps)) {}

  void use_table(const std::int64_t* table) {
    for (Counter& counter : counters_) counter.use_table(table);
  }

  template <class Step>
  std::int32_t walk(std::int32_t limit, Step&& step) {
    outcomes_.assign(static_cast<std::size_t>(limit), StepOutcome{});
    std::int32_t next = 0, lowest = limit;
    std::vector<std::int32_t> busy(counters_.size(), kIdle);
    std::size_t leaving = 0;
    while (leaving < counters_.size()) {
      const std::size_t member = timing_.below(static_cast<std::uint32_t>(counters_.size()));
      std::int32_t& mine = busy[member];
      if (mine == kGone) continue;
      if (mine == kIdle) {  // begins a step, whose outcome the others do not know yet
        if (next >= limit || next > lowest) {
          mine = kGone;
          ++leaving;
          continue;
        }
        mine = next++;
        outcomes_[static_cast<std::size_t>(mine)] = step(counters_[member], team_, mine);
        member_of_[static_cast<std::size_t>(mine)] = member;
      } else {  // ends it
        if (outcomes_[static_cast<std::size_t>(mine)].accepted && mine < lowest) lowest = mine;
        mine = kIdle;
      }
    }
    tested_ += next;
    for (std::int32_t i = lowest + 1; i < next; ++i)
      if (outcomes_[static_cast<std::size_t>(i)].accepted)
        counters_[member_of_[static_cast<std::size_t>(i)]].discard();
    return lowest;
  }

  const StepOutcome& outcome(std::int32_t i) const { return outcomes_[static_cast<std::size_t>(i)]; }

  void finish(std::int32_t lowest, bool accepted) {
    if (!accepted) return;
    Counter& winner = counters_[member_of_[static_cast<std::size_t>(lowest)]];
    winner.commit();
    for (Counter& counter : counters_) counter.set_tuple(winner.tuple());
  }

  const Tuple& tuple() const { return counters_.front().tuple(); }

  std::int64_t tested() const { return tested_; }  // steps that were tested, executed or not

 private:
  static constexpr std::int32_t kIdle = -1, kGone = -2;

  std::span<Counter> counters_;
  const Team& team_;
  Stream timing_;
  std::vector<StepOutcome> outcomes_;
  std::vector<std::size_t> member_of_;  // a step of the epoch
  std::int64_t tested_ = 0;
};

}  // namespace lcn
