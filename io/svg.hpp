#pragma once
#include <string>

#include "geometry/point.hpp"
#include "graph/graph.hpp"

namespace lcn {

// A drawing as SVG: edges coloured by their crossings c(e) (light to dark blue, safe for colour-blind eyes;
// grey for 0), in ascending order of c(e), so that the edges with K crossings lie on top, in orange and
// thicker; a legend with the scale; `title` and the tuple above. The view is the drawing's bounding box, y
// upwards, about 1000 units wide or high. Counts come from the oracle, O(m^2). Deterministic. Error(internal)
// unless there is one point per vertex.
std::string drawing_svg(const Graph& graph, const Drawing& drawing, const std::string& title);

}  // namespace lcn
