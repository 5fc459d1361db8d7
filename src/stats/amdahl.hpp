#pragma once

namespace lcn {

// Speed-up of the whole when a part that took `share` (0..1) of its time becomes `speed_up` (> 0) times as
// fast: 1 / ((1 - share) + share / speed_up) (Amdahl 1967). Its limit is 1 / (1 - share).
inline double whole_speed_up(double share, double speed_up) {
  return 1 / ((1 - share) + share / speed_up);
}

}  // namespace lcn
