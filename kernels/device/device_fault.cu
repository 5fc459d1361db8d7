#include "kernels/device/check.hpp"
#include "kernels/device/device_fault.hpp"

namespace lcn {
namespace {

__global__ void write_kernel(volatile int* address) {
  *address = 1;
}

}  // namespace

void break_device() {
  write_kernel<<<1, 1>>>(reinterpret_cast<int*>(16));
  LCN_CUDA_CHECK(cudaGetLastError());
}

}  // namespace lcn
