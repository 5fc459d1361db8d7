#include "kernels/device/devices.hpp"

#include <fmt/format.h>

#include "jobs/commands.hpp"

namespace lcn {

std::vector<OptionTable> devices_options() {
  OptionTable table(
      "devices",
      "Lists the GPUs that this process sees: ordinal, name, UUID, memory, multiprocessors (SM), "
      "compute capability. Prints \"none\" and the reason when there is none.");
  return {table};
}

int devices_command(const std::vector<std::string>& args) {
  const Options options = devices_options().front().parse(args);
  if (options.handled()) return 0;
  const std::vector<DeviceInfo> devices = list_devices();
  if (devices.empty()) fmt::print("none ({})\n", no_device_reason());
  for (const DeviceInfo& device : devices)
    fmt::print("{}  {}  {}  {:.1f} GiB  {} SM  sm_{}{}\n", device.ordinal, device.name, device.uuid,
               static_cast<double>(device.memory_bytes) / (1 << 30), device.multiprocessors,
               device.capability_major, device.capability_minor);
  return 0;
}

}  // namespace lcn
