#pragma once

namespace lcn {

struct Interval {
  double low = 0, high = 0;
};

}  // namespace lcn
