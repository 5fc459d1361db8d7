#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "geometry/point.hpp"
#include "graph/graph.hpp"

namespace lcn {

// Which vertex stands on which grid point, at most one per point. A table with an entry per grid point where
// the grid is small, a hash map (looked up only, never iterated) where it is not.
class Occupancy {
 public:
  static constexpr VertexId kFree = -1;

  Occupancy(const Grid& grid, VertexId n);
  VertexId at(const Point& p) const {  // p must be on the grid
    if (dense_) return table_[index(p)];
    const auto found = map_.find(index(p));
    return found == map_.end() ? kFree : found->second;
  }
  void set(const Point& p, VertexId v);  // kFree empties the point
  // The free grid point nearest to p (p on the grid; Euclidean distance, ties by smaller y, then smaller x).
  // One must exist. Rings of growing radius around p, from first_radius on: the caller vouches that nothing
  // is free inside. On return first_radius holds what it may vouch for next time, as long as no point is
  // emptied meanwhile.
  Point nearest_free(const Point& p, std::int64_t& first_radius) const;

 private:
  std::uint64_t index(const Point& p) const {
    return static_cast<std::uint64_t>(p.y) * stride_ + static_cast<std::uint64_t>(p.x);
  }

  Grid grid_;
  std::uint64_t stride_;
  bool dense_;
  std::vector<VertexId> table_;
  std::unordered_map<std::uint64_t, VertexId> map_;
};

}  // namespace lcn
