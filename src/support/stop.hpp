#pragma once
#include <cstdint>
#include <functional>

namespace lcn {

// Asked by long work several times a second; true asks it to give up.
using StopFunction = std::function<bool()>;

// Thrown by work that was asked to give up. No Error: nothing is wrong.
struct Stopped {};

inline void check_stop(const StopFunction& stop) {
  if (stop && stop()) throw Stopped();
}

// Asks after every so many steps, where asking costs more than a step.
class StopLook {
 public:
  // About 10 ms of simple steps.
  explicit StopLook(const StopFunction& stop, std::int64_t interval = std::int64_t{1} << 22)
      : stop_(stop), interval_(interval) {}
  void after(std::int64_t steps) {
    if ((steps_ += steps) < interval_) return;
    steps_ = 0;
    check_stop(stop_);
  }

 private:
  const StopFunction& stop_;
  std::int64_t interval_;
  std::int64_t steps_ = 0;
};

}  // namespace lcn
