#include "kernels/device/devices.hpp"

namespace lcn {

std::vector<DeviceInfo> list_devices() {
  return {};
}

bool built_with_cuda() {
  return false;
}

std::string no_device_reason() {
  return "built without CUDA";
}

}  // namespace lcn
