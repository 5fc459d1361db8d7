#include "layout/occupancy.hpp"

#include <algorithm>

namespace lcn {

Occupancy::Occupancy(const Grid& grid, VertexId n)
    : grid_(grid), stride_(static_cast<std::uint64_t>(grid.width) + 1) {
  const std::uint64_t cells = stride_ * (static_cast<std::uint64_t>(grid.height) + 1);
  constexpr std::uint64_t kSmallTable = std::uint64_t{1} << 22;  // 16 MiB
  dense_ = cells <= std::max(kSmallTable, static_cast<std::uint64_t>(n) * 8);
  if (dense_)
    table_.assign(cells, kFree);
  else
    map_.reserve(static_cast<std::size_t>(n));
}

void Occupancy::set(const Point& p, VertexId v) {
  if (dense_)
    table_[index(p)] = v;
  else if (v == kFree)
    map_.erase(index(p));
  else
    map_[index(p)] = v;
}

Point Occupancy::nearest_free(const Point& p, std::int64_t& first_radius) const {
  Point best;
  std::int64_t best_distance = -1;
  const auto consider = [&](std::int64_t x, std::int64_t y) {
    const Point q{x, y};
    if (!grid_.contains(q) || at(q) != kFree) return;
    const std::int64_t distance = (x - p.x) * (x - p.x) + (y - p.y) * (y - p.y);
    const bool better = best_distance < 0 || distance < best_distance ||
                        (distance == best_distance && (y < best.y || (y == best.y && x < best.x)));
    if (!better) return;
    best = q;
    best_distance = distance;
  };
  const std::int64_t last = std::max(std::max(p.x, grid_.width - p.x), std::max(p.y, grid_.height - p.y));
  std::int64_t ring_of_best = -1;
  // A ring of Chebyshev radius r has no point nearer than r, so rings beyond the best distance cannot win.
  for (std::int64_t r = first_radius; r <= last; ++r) {
    if (best_distance >= 0 && r * r > best_distance) break;
    const std::int64_t low_x = std::max<std::int64_t>(p.x - r, 0), high_x = std::min(p.x + r, grid_.width);
    const std::int64_t low_y = std::max<std::int64_t>(p.y - r + 1, 0),
                       high_y = std::min(p.y + r - 1, grid_.height);
    for (std::int64_t x = low_x; x <= high_x; ++x) {
      consider(x, p.y - r);
      if (r > 0) consider(x, p.y + r);
    }
    for (std::int64_t y = low_y; y <= high_y; ++y) {
      consider(p.x - r, y);
      consider(p.x + r, y);
    }
    if (ring_of_best < 0 && best_distance >= 0) ring_of_best = r;  // the first ring with a free point
  }
  first_radius = std::max<std::int64_t>(ring_of_best, 0);
  return best;
}

}  // namespace lcn
