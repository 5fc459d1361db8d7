#include "kernels/device/devices.hpp"
#include "support/error.hpp"

namespace lcn {

std::vector<DeviceInfo> list_devices() {
  return {};
}

bool built_with_cuda() {
  return false;
}

void use_device(int) {
  throw Error(ErrorKind::environment, "no GPU can be used: built without CUDA");
}

std::string no_device_reason() {
  return "built without CUDA";
}

}  // namespace lcn
