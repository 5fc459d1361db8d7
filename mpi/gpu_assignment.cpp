#include "mpi/gpu_assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "support/error.hpp"

namespace lcn {
namespace {

// Nodes as groups of ranks that are connected by common UUIDs, in order of their lowest rank.
std::vector<std::vector<int>> nodes_of(const std::vector<VisibleGpus>& ranks) {
  std::vector<int> group(ranks.size());
  std::iota(group.begin(), group.end(), 0);
  const auto root = [&](int r) {
    while (group[static_cast<std::size_t>(r)] != r) r = group[static_cast<std::size_t>(r)];
    return r;
  };
  std::map<std::string, int> first_with;
  for (std::size_t r = 0; r < ranks.size(); ++r)
    for (const std::string& uuid : ranks[r].uuids) {
      const auto [known, added] = first_with.emplace(uuid, static_cast<int>(r));
      if (added) continue;
      const int a = root(known->second), b = root(static_cast<int>(r));
      group[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  std::map<int, std::vector<int>> members;
  for (std::size_t r = 0; r < ranks.size(); ++r)
    members[root(static_cast<int>(r))].push_back(static_cast<int>(r));
  std::vector<std::vector<int>> nodes;
  for (auto& [lowest, list] : members) nodes.push_back(std::move(list));
  return nodes;
}

std::string names(const std::vector<int>& ranks) {
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "));
}

}  // namespace

std::vector<GpuChoice> assign_gpus(const std::vector<VisibleGpus>& ranks, bool allow_sharing) {
  for (std::size_t r = 0; r < ranks.size(); ++r)
    if (ranks[r].uuids.empty())
      throw Error(
          ErrorKind::environment,
          fmt::format(
              "rank {} on {} sees no GPU (each rank needs one) start fewer ranks there or use --device cpu",
              r, ranks[r].host));
  std::vector<GpuChoice> choices(ranks.size());
  for (const std::vector<int>& node : nodes_of(ranks)) {
    const VisibleGpus& first = ranks[static_cast<std::size_t>(node.front())];
    const bool same = std::all_of(node.begin(), node.end(), [&](int r) {
      return ranks[static_cast<std::size_t>(r)].uuids == first.uuids;
    });
    if (!same)
      throw Error(ErrorKind::environment, fmt::format("{} on {} see different but overlapping lists of GPUs "
                                                      "(no assignment is safe) give each rank one "
                                                      "GPU of its own, or all ranks all GPUs of the node",
                                                      names(node), first.host));
    const auto gpus = first.uuids.size();
    if (node.size() > gpus && !allow_sharing)
      throw Error(ErrorKind::environment,
                  fmt::format("{} on {} share {} GPU{} (a rank should have one of its own) start at most {} "
                              "there, or allow it "
                              "with --allow-gpu-sharing",
                              names(node), first.host, gpus, gpus == 1 ? "" : "s", gpus));
    for (std::size_t i = 0; i < node.size(); ++i)
      choices[static_cast<std::size_t>(node[i])] = {static_cast<int>(i % gpus), node.size() > gpus};
  }
  return choices;
}

}  // namespace lcn
