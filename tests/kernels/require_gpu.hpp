#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "kernels/device/devices.hpp"

// Skips a test that needs `count` GPUs where there are fewer; the variable LCN_REQUIRE_GPU=1 turns "no GPU"
// into a failure.
#define LCN_REQUIRE_GPUS(count)                                                             \
  if (const std::size_t gpus = lcn::list_devices().size(); gpus < std::size_t{count}) {     \
    const char* required = std::getenv("LCN_REQUIRE_GPU");                                  \
    ASSERT_FALSE(gpus == 0 && required != nullptr && std::string(required) == "1")          \
        << "LCN_REQUIRE_GPU=1, but there is no GPU: " << lcn::no_device_reason();           \
    GTEST_SKIP() << gpus << " GPUs, " << (count) << " needed. " << lcn::no_device_reason(); \
  }                                                                                         \
  static_assert(true)
#define LCN_REQUIRE_GPU() LCN_REQUIRE_GPUS(1)
