#pragma once
#include <string>
#include <vector>

namespace lcn {

// What one rank sees: its host's name (for messages only: two nodes may share a name) and the UUIDs of its
// visible GPUs in the order of their ordinals.
struct VisibleGpus {
  std::string host;
  std::vector<std::string> uuids;
};

struct GpuChoice {
  int ordinal = -1;
  bool shared = false;  // another rank has the same GPU
};

// Which GPU each rank binds, a pure function of what all ranks see (one entry a rank, in rank order), the
// same on every rank. Ranks that see a common UUID are on one node. On a node: every rank sees one GPU: that
// one; all see the same list: by order of rank. Error(environment), naming ranks and host, when a rank sees
// none, lists overlap only partly, or a node has more ranks than GPUs; with allow_sharing the last case deals
// the GPUs out in turn.
std::vector<GpuChoice> assign_gpus(const std::vector<VisibleGpus>& ranks, bool allow_sharing);

}  // namespace lcn
