#pragma once
#include <cuda_runtime_api.h>

#include "kernels/device/check.hpp"

namespace lcn {

// A stream or an event of the CUDA runtime, destroyed with its owner. Errors: Error(environment, "CUDA").
template <class Handle, cudaError_t (*create)(Handle*, unsigned), unsigned flags,
          cudaError_t (*destroy)(Handle)>
class CudaHandle {
 public:
  CudaHandle() { LCN_CUDA_CHECK(create(&handle_, flags)); }
  ~CudaHandle() { (void)destroy(handle_); }  // nothing can be thrown from a destructor
  CudaHandle(const CudaHandle&) = delete;
  CudaHandle& operator=(const CudaHandle&) = delete;
  Handle get() const { return handle_; }

 private:
  Handle handle_ = nullptr;
};

// A stream that does not wait for the default stream, and an event that records time.
using CudaStream =
    CudaHandle<cudaStream_t, cudaStreamCreateWithFlags, cudaStreamNonBlocking, cudaStreamDestroy>;
using CudaEvent = CudaHandle<cudaEvent_t, cudaEventCreateWithFlags, cudaEventDefault, cudaEventDestroy>;

}  // namespace lcn
