#include "kernels/device/devices.hpp"

#include <fmt/format.h>

#include "jobs/commands.hpp"

namespace lcn {

int devices_command(const std::vector<std::string>&) {
  const std::vector<DeviceInfo> devices = list_devices();
  if (devices.empty()) fmt::print("none ({})\n", no_device_reason());
  for (const DeviceInfo& device : devices)
    fmt::print("{}  {}  {}  {:.1f} GiB  {} SMs  sm_{}{}\n", device.ordinal, device.name, device.uuid,
               static_cast<double>(device.memory_bytes) / (1 << 30), device.multiprocessors,
               device.capability_major, device.capability_minor);
  return 0;
}

}  // namespace lcn
