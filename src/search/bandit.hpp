#pragma once
#include <cstdint>

#include "support/host_device.hpp"

namespace lcn {

inline constexpr std::int32_t kMaxArms = 6;

// Chooses among arms in proportion to their rate of accepted improvements, with a floor of 1/16 an arm. All
// integers; weights change only in end_round(), so a round's choices do not depend on what happens in it.
// Part of the trajectory.
struct Bandit {
  std::int32_t arms = 0;
  std::int32_t weight[kMaxArms] = {};                          // sum 65536
  std::int64_t score[kMaxArms] = {};                           // smoothed improvements per 2^20 tries
  std::int32_t tried[kMaxArms] = {}, improved[kMaxArms] = {};  // in the present round

  LCN_HD void reset(std::int32_t count) {
    arms = count;
    for (std::int32_t a = 0; a < kMaxArms; ++a) {
      weight[a] = a < count ? 65536 / count : 0;
      score[a] = 0;
      tried[a] = improved[a] = 0;
    }
    weight[0] += 65536 - (65536 / count) * count;
  }

  // word16: uniform in 0..65535.
  LCN_HD std::int32_t pick(std::uint32_t word16) const {
    std::int32_t rest = static_cast<std::int32_t>(word16);
    std::int32_t arm = 0;
    while (arm < arms - 1 && rest >= weight[arm]) rest -= weight[arm++];
    return arm;
  }

  LCN_HD void end_round() {
    std::int64_t total = 0;
    for (std::int32_t a = 0; a < arms; ++a) {
      if (tried[a] > 0) {
        const std::int64_t rate = (static_cast<std::int64_t>(improved[a]) << 20) / tried[a];
        score[a] += (rate - score[a]) / 8;
      }
      total += score[a];
      tried[a] = improved[a] = 0;
    }
    if (total <= 0) return;
    constexpr std::int32_t floor = 65536 / 16;
    const std::int64_t free = 65536 - static_cast<std::int64_t>(floor) * arms;
    std::int32_t given = 0;
    for (std::int32_t a = 0; a < arms; ++a) {
      weight[a] = floor + static_cast<std::int32_t>(free * score[a] / total);
      given += weight[a];
    }
    weight[0] += 65536 - given;
  }
};

}  // namespace lcn
