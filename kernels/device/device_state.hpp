#pragma once
#include <string>

namespace lcn {

// What a benchmark says about the GPU that it ran on, beside devices.hpp.
struct DeviceState {
  std::string driver;        // "580.159.04" as the kernel module reports it, else "CUDA driver API 13.0"
  std::string cuda_runtime;  // "13.0"
  double rated_clock_mhz = 0;
};

// Of the current device. Error(environment) without a GPU.
DeviceState device_state();

// The multiprocessor clock at this moment, in MHz: cycles over nanoseconds of a block that spins for 20 ms of
// the global timer. Settings of the GPU are neither read nor changed.
double measured_clock_mhz();

}  // namespace lcn
