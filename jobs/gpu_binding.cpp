#include "jobs/gpu_binding.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "jobs/protocol.hpp"
#include "kernels/device/devices.hpp"
#include "support/plural.hpp"

namespace lcn {
namespace {

using nlohmann::json;

VisibleGpus what_i_see(const Communicator& world) {
  VisibleGpus seen{world.host(), {}};
  for (const DeviceInfo& device : list_devices()) seen.uuids.push_back(device.uuid);
  return seen;
}

std::vector<VisibleGpus> gather_views(Communicator& world, const VisibleGpus& mine, double seconds) {
  std::vector<VisibleGpus> views(static_cast<std::size_t>(world.size()));
  views[0] = mine;
  const StopWatch clock;
  for (int missing = world.size() - 1; missing > 0;) {
    if (const auto message = world.receive(kTagVisibleGpus)) {
      const json view = json::parse(message->bytes);
      views[static_cast<std::size_t>(message->from)] = {view.at("host"), view.at("uuids")};
      --missing;
    } else if (clock.seconds() > seconds) {
      throw Error(ErrorKind::environment,
                  fmt::format("{} did not tell of GPUs within {} s", plural(missing, "rank"), seconds));
    } else {
      std::this_thread::sleep_for(kPollInterval);
    }
  }
  return views;
}

std::string line_of(std::size_t rank, const VisibleGpus& view, int local_rank, int ordinal) {
  return fmt::format(
      "rank {} on {}, local rank {}, sees {} GPU{}, takes {}", rank, view.host, local_rank, view.uuids.size(),
      view.uuids.size() == 1 ? "" : "s",
      ordinal < 0 ? "none" : fmt::format("{} {}", ordinal, view.uuids[static_cast<std::size_t>(ordinal)]));
}

json decide(const std::vector<VisibleGpus>& views) {
  json decision{
      {"ordinals", json::array()}, {"refused", nullptr}, {"sharing", false}, {"lines", json::array()}};
  std::vector<GpuChoice> choices;
  try {
    choices = assign_gpus(views, false);
  } catch (const Error& error) {
    decision["refused"] = error.what();
    try {
      choices = assign_gpus(views, true);
      decision["sharing"] = true;
    } catch (const Error&) {
      choices.assign(views.size(), GpuChoice{});
    }
  }
  std::map<std::string, int> ranks_on;
  for (std::size_t r = 0; r < views.size(); ++r) {
    decision["ordinals"].push_back(choices[r].ordinal);
    decision["lines"].push_back(line_of(r, views[r], ranks_on[views[r].host]++, choices[r].ordinal));
  }
  return decision;
}

}  // namespace

GpuBinding bind_gpus(Communicator world, double seconds) {
  const VisibleGpus mine = what_i_see(world);
  std::string text;
  if (world.rank() == 0)
    text = decide(gather_views(world, mine, seconds)).dump();
  else
    world.send(0, kTagVisibleGpus, json{{"host", mine.host}, {"uuids", mine.uuids}}.dump());
  const json decision = json::parse(world.broadcast(0, text, seconds));
  GpuBinding binding;
  if (!decision["refused"].is_null())
    binding.refused = Error(ErrorKind::environment, decision["refused"].get<std::string>());
  binding.only_sharing_refused = decision["sharing"];
  binding.ordinal = decision["ordinals"][static_cast<std::size_t>(world.rank())];
  if (binding.ordinal >= 0) binding.uuid = mine.uuids[static_cast<std::size_t>(binding.ordinal)];
  if (world.rank() == 0) binding.lines = decision["lines"].get<std::vector<std::string>>();
  return binding;
}

}  // namespace lcn
