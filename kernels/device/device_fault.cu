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

void fill_device() {
  std::size_t size = 0, total = 0;
  LCN_CUDA_CHECK(cudaMemGetInfo(&size, &total));
  while (size >= 256) {
    void* never_freed = nullptr;
    const cudaError_t code = cudaMalloc(&never_freed, size);
    if (code == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();
      size /= 2;
    } else {
      LCN_CUDA_CHECK(code);
    }
  }
}

}  // namespace lcn
