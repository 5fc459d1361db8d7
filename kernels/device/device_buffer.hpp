#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/device/check.hpp"

namespace lcn {

// Owns `size()` elements of T in the memory of the device that was current at construction. Move-only. All
// copies are asynchronous on the given stream: host memory must live until the stream has passed them.
// Contents are undefined until written. Errors: Error(environment, "CUDA").
template <class T>
class DeviceBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t size) { resize(size); }
  ~DeviceBuffer() { release(); }
  DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    DeviceBuffer(std::move(other)).swap(*this);
    return *this;
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  // Makes size() == size. Grows and is reused: memory is allocated anew (contents lost) only beyond the
  // capacity.
  void resize(std::size_t size) {
    if (size > capacity_) {
      release();
      LCN_CUDA_CHECK(cudaMalloc(&data_, size * sizeof(T)));
      capacity_ = size;
    }
    size_ = size;
  }

  // Resizes to the host's size and copies it.
  void upload(std::span<const T> host, cudaStream_t stream) {
    resize(host.size());
    if (host.empty()) return;
    LCN_CUDA_CHECK(cudaMemcpyAsync(data_, host.data(), host.size_bytes(), cudaMemcpyHostToDevice, stream));
  }
  void upload(const std::vector<T>& host, cudaStream_t stream) { upload(std::span<const T>(host), stream); }

  // Copies the first host.size() elements (at most size()) to the host.
  void download(std::span<T> host, cudaStream_t stream) const {
    if (host.size() > size_)
      throw Error(ErrorKind::internal, "download of more elements than the buffer has");
    if (host.empty()) return;
    LCN_CUDA_CHECK(cudaMemcpyAsync(host.data(), data_, host.size_bytes(), cudaMemcpyDeviceToHost, stream));
  }

  // The whole buffer, after waiting for the stream.
  std::vector<T> to_host(cudaStream_t stream) const {
    std::vector<T> host(size_);
    download(std::span<T>(host), stream);
    LCN_CUDA_CHECK(cudaStreamSynchronize(stream));
    return host;
  }

  // Sets every byte of the buffer.
  void fill_bytes(int value, cudaStream_t stream) {
    if (size_ > 0) LCN_CUDA_CHECK(cudaMemsetAsync(data_, value, size_ * sizeof(T), stream));
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void swap(DeviceBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  void release() noexcept {
    // A failure here was reported by the call that caused it: nothing can be thrown from a destructor.
    if (data_ != nullptr) (void)cudaFree(data_);
    data_ = nullptr;
    size_ = capacity_ = 0;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace lcn
