#pragma once
#include "geometry/point.hpp"
#include "graph/graph.hpp"
#include "layout/layout.hpp"

namespace lcn {

// The first step of admission: points on the grid, possibly coincident or on edges.

// Scales the layout to the largest size that fits, keeping the aspect ratio unless fewer than four grid
// points per vertex would be left (then each side is stretched on its own), centres it and rounds. An
// integral layout is only shifted and scaled by whole numbers, one for each axis. Throws Error(unit) for a
// coordinate that is not finite, or an integral layout larger than the grid; Error(internal) when there is
// not one point per vertex.
Drawing fit_to_grid(const Graph& graph, const Grid& grid, const Layout& layout);

// A drawing on the grid comes back unchanged. Where at most a tenth of the vertices is off the grid, these
// are clamped to it; otherwise the whole is shifted if its box fits, and scaled like a layout if not.
Drawing fit_to_grid(const Graph& graph, const Grid& grid, const Drawing& drawing);

}  // namespace lcn
