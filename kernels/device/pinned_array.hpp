#pragma once
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

#include "kernels/device/check.hpp"

namespace lcn {

// Page-locked host memory of `size` elements. Errors: Error(environment, "CUDA").
template <class T>
class PinnedArray {
 public:
  explicit PinnedArray(std::size_t size) : size_(size) {
    LCN_CUDA_CHECK(cudaHostAlloc(&data_, std::max<std::size_t>(size, 1) * sizeof(T), cudaHostAllocDefault));
    std::uninitialized_value_construct_n(data_, size);
  }
  ~PinnedArray() { (void)cudaFreeHost(data_); }  // nothing can be thrown from a destructor
  PinnedArray(const PinnedArray&) = delete;
  PinnedArray& operator=(const PinnedArray&) = delete;
  T& operator[](int i) const { return data_[i]; }
  std::span<T> span() const { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

}  // namespace lcn
