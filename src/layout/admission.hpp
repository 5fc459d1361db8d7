#pragma once
#include <cstdint>

#include "geometry/point.hpp"
#include "graph/graph.hpp"
#include "layout/layout.hpp"
#include "support/stop.hpp"

namespace lcn {

struct AdmissionOptions {
  std::int64_t max_moves = 2'000'000;  // candidate positions examined by the violation search
  StopFunction stop = {};              // true gives the admission up, never changes it
};

struct Admission {
  Drawing drawing;            // valid: V1-V4 hold
  std::int64_t repaired = 0;  // vertices that were moved off their rounded place
};

// Brings a layout onto the grid: scale (keeping the aspect ratio unless the grid is too small for that),
// round, move coincident points to the nearest free ones, then lower the number of V3/V4 violations by moving
// vertices until none is left. Deterministic in (layout, key). Throws Error(unit) "no valid drawing found
// within ..." when the budget ends, and at once when n > (width + 1)(height + 1). Stopped when
// options.stop turned true.
Admission admit(const Graph& graph, const Grid& grid, const Layout& layout, StreamKey key,
                const AdmissionOptions& options = {});

// The same for an integer drawing that may be off the grid, coincident or touching; a valid drawing comes
// back unchanged.
Admission admit(const Graph& graph, const Grid& grid, const Drawing& drawing, StreamKey key,
                const AdmissionOptions& options = {});

}  // namespace lcn
