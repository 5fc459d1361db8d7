#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "geometry/point.hpp"
#include "graph/graph.hpp"
#include "support/stop.hpp"

namespace lcn {

// V1 off the grid; V2 two vertices at one point; V3 a vertex on an edge that it is not an end of; V4 two
// edges overlap along a positive length.
enum class ViolationCode { V1 = 1, V2, V3, V4 };
const char* to_string(ViolationCode code);

struct Violation {
  ViolationCode code;
  std::vector<VertexId> vertices;  // V1: {v}; V2: {u, v}; V3: {v}; V4: {}
  std::vector<EdgeId> edges;       // V3: {e}; V4: {e, f}
};

struct Validation {
  std::vector<Violation> violations;     // at most `limit`, in order of code, then ids
  std::array<std::int64_t, 5> totals{};  // totals[code] counts every violation, listed or not
  bool valid() const { return totals[1] + totals[2] + totals[3] + totals[4] == 0; }
  std::vector<std::string> codes() const;  // the distinct codes found, ascending: {"V3", "V4"}
};

// Exact for coordinates up to 2^61 in magnitude (__int128). O(n log n + n m + m^2) at worst, with
// bounding-box rejection; deterministic. Stopped when `stop` turned true.
Validation validate(const Graph& graph, const Grid& grid, const Drawing& drawing, std::size_t limit = 100,
                    const StopFunction& stop = {});

}  // namespace lcn
