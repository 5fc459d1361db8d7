#include <fstream>
#include <sstream>

#include "kernels/device/check.hpp"
#include "kernels/device/device_buffer.hpp"
#include "kernels/device/device_state.hpp"

namespace lcn {
namespace {

constexpr long long kSpinNanoseconds = 20'000'000;

__device__ long long global_nanoseconds() {
  long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// Spins until the global timer has advanced, between two of its ticks, and reports both clocks.
__global__ void clock_kernel(long long* cycles_and_nanoseconds) {
  const long long before = global_nanoseconds();
  long long start = before;
  while (start == before) start = global_nanoseconds();  // the timer has just ticked
  const long long first_cycle = clock64();
  long long now = start;
  while (now - start < kSpinNanoseconds) now = global_nanoseconds();
  cycles_and_nanoseconds[0] = clock64() - first_cycle;
  cycles_and_nanoseconds[1] = now - start;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  ...": the first word that is a dotted number.
std::string module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line, word;
  if (!std::getline(file, line)) return "";
  for (std::istringstream words(line); words >> word;)
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos)
      return word;
  return "";
}

}  // namespace

DeviceState device_state() {
  int driver = 0, runtime = 0, device = 0, kilohertz = 0;
  LCN_CUDA_CHECK(cudaDriverGetVersion(&driver));
  LCN_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
  LCN_CUDA_CHECK(cudaGetDevice(&device));
  LCN_CUDA_CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device));
  DeviceState state;
  state.driver = module_version();
  if (state.driver.empty()) state.driver = "CUDA driver API " + version_text(driver);
  state.cuda_runtime = version_text(runtime);
  state.rated_clock_mhz = kilohertz / 1000.0;
  return state;
}

double measured_clock_mhz() {
  cudaStream_t stream = nullptr;
  LCN_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  long long host[2] = {};
  {
    DeviceBuffer<long long> clocks(2);
    clock_kernel<<<1, 1, 0, stream>>>(clocks.data());
    LCN_CUDA_CHECK(cudaGetLastError());
    clocks.download(std::span<long long>(host), stream);
    LCN_CUDA_CHECK(cudaStreamSynchronize(stream));
  }
  LCN_CUDA_CHECK(cudaStreamDestroy(stream));
  return static_cast<double>(host[0]) * 1e3 / static_cast<double>(host[1]);
}

}  // namespace lcn
