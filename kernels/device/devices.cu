#include "kernels/device/check.hpp"
#include "kernels/device/devices.hpp"

namespace lcn {
namespace {

std::string uuid_text(const cudaUUID_t& uuid) {
  static const char digits[] = "0123456789abcdef";
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  LCN_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

// No driver, or a driver without a device, is an answer and not a failure.
cudaError_t count_devices(int* count) {
  *count = 0;
  const cudaError_t code = cudaGetDeviceCount(count);
  if (code != cudaSuccess) {
    *count = 0;
    (void)cudaGetLastError();
  }
  return code;
}

bool means_none(cudaError_t code) {
  return code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver || code == cudaErrorStubLibrary;
}

}  // namespace

std::vector<DeviceInfo> list_devices() {
  int count = 0;
  const cudaError_t code = count_devices(&count);
  if (!means_none(code)) check_cuda(code, "cudaGetDeviceCount");
  std::vector<DeviceInfo> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    cudaDeviceProp properties{};
    LCN_CUDA_CHECK(cudaGetDeviceProperties(&properties, ordinal));
    DeviceInfo info;
    info.ordinal = ordinal;
    info.name = properties.name;
    info.uuid = uuid_text(properties.uuid);
    info.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
    info.multiprocessors = properties.multiProcessorCount;
    info.capability_major = properties.major;
    info.capability_minor = properties.minor;
    info.shared_memory_per_block = static_cast<std::int64_t>(properties.sharedMemPerBlockOptin);
    info.fp64_ratio = attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, ordinal);
    info.cooperative_launch = attribute(cudaDevAttrCooperativeLaunch, ordinal) != 0;
    devices.push_back(info);
  }
  return devices;
}

bool built_with_cuda() {
  return true;
}

void use_device(int ordinal) {
  LCN_CUDA_CHECK(cudaSetDevice(ordinal));
}

std::string no_device_reason() {
  int count = 0;
  const cudaError_t code = count_devices(&count);
  if (code == cudaSuccess) return count > 0 ? "" : "no GPU found";
  if (code == cudaErrorNoDevice) return "no GPU found";
  return std::string("no GPU found: ") + cudaGetErrorString(code);
}

}  // namespace lcn
