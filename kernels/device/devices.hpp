#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace lcn {

// One GPU as this process sees it.
struct DeviceInfo {
  int ordinal = 0;   // index for cudaSetDevice in this process (after CUDA_VISIBLE_DEVICES)
  std::string name;  // "NVIDIA H200"
  std::string uuid;  // "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx": the same for every process of the host
  std::int64_t memory_bytes = 0;
  int multiprocessors = 0;
  int capability_major = 0, capability_minor = 0;
  std::int64_t shared_memory_per_block = 0;  // bytes that one block may ask for (opt-in limit)
  int fp64_ratio = 0;                        // FP32 throughput / FP64 throughput: 2 on data-centre GPUs
  bool cooperative_launch = false;
};

// All GPUs in order of ordinal; empty when there is none, no driver, or the program was built without CUDA.
// Error(environment) when the driver is there but fails.
std::vector<DeviceInfo> list_devices();

// Whether this program contains GPU code.
bool built_with_cuda();

// Why list_devices() is empty: "built without CUDA", "no GPU found" or the driver's own words. Empty if it is
// not.
std::string no_device_reason();

// Makes a GPU current for the calling thread. Error(environment) when there is no such GPU.
void use_device(int ordinal);

}  // namespace lcn
