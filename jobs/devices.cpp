#include "kernels/device/devices.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "jobs/commands.hpp"
#include "jobs/gpu_binding.hpp"
#include "mpi/launch.hpp"
#include "mpi/mpi_session.hpp"

namespace lcn {
namespace {

constexpr double kMapDeadline = 60;  // seconds for all ranks to tell their GPUs

void print_devices() {
  const std::vector<DeviceInfo> devices = list_devices();
  if (devices.empty()) fmt::print("none ({})\n", no_device_reason());
  for (const DeviceInfo& device : devices)
    fmt::print("{}  {}  {}  {:.1f} GiB  {} SM  sm_{}{}\n", device.ordinal, device.name, device.uuid,
               static_cast<double>(device.memory_bytes) / (1 << 30), device.multiprocessors,
               device.capability_major, device.capability_minor);
}

// What `solve` would make of the same ranks.
void print_map() {
  const MpiSession session;
  Communicator world = session.world();
  const GpuBinding binding = bind_gpus(world, kMapDeadline);
  for (const std::string& line : binding.lines) fmt::print("{}\n", line);
  if (world.rank() == 0 && binding.refused)
    fmt::print("{}: {}\n", binding.only_sharing_refused ? "only with --allow-gpu-sharing" : "no map",
               binding.refused->what());
  world.agree(std::nullopt, kMapDeadline);  // nobody leaves before all know
  while (world.sending()) world.receive();
}

}  // namespace

std::vector<OptionTable> devices_options() {
  OptionTable table(
      "devices",
      "Lists the GPUs that this process sees: ordinal, name, UUID, memory, multiprocessors (SM), "
      "compute capability. Prints \"none\" and the reason when there is none. Under mpirun or srun rank 0 "
      "prints which GPU each rank would take, or why not.");
  return {table};
}

int devices_command(const std::vector<std::string>& args) {
  const Options options = devices_options().front().parse(args);
  if (options.handled()) return 0;
  if (launched_in_parallel([](const char* name) { return std::getenv(name); }))
    print_map();
  else
    print_devices();
  return 0;
}

}  // namespace lcn
