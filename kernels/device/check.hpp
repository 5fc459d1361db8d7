#pragma once
#include <cuda_runtime_api.h>

#include <source_location>
#include <string>

#include "support/error.hpp"

namespace lcn {

// Throws Error(environment) with library "CUDA", the call, its code and CUDA's own text unless `code` is
// cudaSuccess. Clears a non-sticky error first, so that the next call does not report it again.
inline void check_cuda(cudaError_t code, const char* call,
                       std::source_location where = std::source_location::current()) {
  if (code == cudaSuccess) return;
  (void)cudaGetLastError();
  throw Error(ErrorKind::environment, "CUDA", call, static_cast<long>(code),
              std::string(cudaGetErrorName(code)) + ", " + cudaGetErrorString(code), where);
}

}  // namespace lcn

// Every call of the CUDA runtime goes through this; after a kernel launch use
// LCN_CUDA_CHECK(cudaGetLastError()).
#define LCN_CUDA_CHECK(call) ::lcn::check_cuda((call), #call)
