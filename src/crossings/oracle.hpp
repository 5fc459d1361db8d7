#pragma once
#include <cstdint>
#include <vector>

#include "crossings/tuple.hpp"
#include "geometry/point.hpp"
#include "graph/graph.hpp"
#include "support/stop.hpp"

namespace lcn {

// The independent oracle: recounts every crossing with __int128, O(m^2), and shares no predicate with the
// fast paths. Exact for coordinates up to 2^61 in magnitude. Needs one point per vertex (Error(internal)
// otherwise). Touches and overlaps are no crossings, so it is defined for invalid drawings too. Stopped
// when `stop` turned true.
std::vector<std::int64_t> oracle_counts(const Graph& graph, const Drawing& drawing,
                                        const StopFunction& stop = {});
Tuple oracle_tuple(const Graph& graph, const Drawing& drawing, const StopFunction& stop = {});

}  // namespace lcn
