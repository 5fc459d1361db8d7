#include "layout/barnes_hut.hpp"

#include <algorithm>
#include <numeric>

namespace lcn {

BarnesHut::BarnesHut(const std::vector<double>& x, const std::vector<double>& y)
    : x_(x), y_(y), order_(x.size()) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  if (x.empty()) return;
  const auto [low_x, high_x] = std::minmax_element(x.begin(), x.end());
  const auto [low_y, high_y] = std::minmax_element(y.begin(), y.end());
  cells_.reserve(x.size());
  build(0, x.size(), *low_x, *low_y, std::max(*high_x - *low_x, *high_y - *low_y));
}

std::int32_t BarnesHut::build(std::size_t begin, std::size_t end, double low_x, double low_y, double size) {
  const auto index = static_cast<std::int32_t>(cells_.size());
  Cell cell{begin, end, size, 0, 0, {-1, -1, -1, -1}, true};
  for (std::size_t i = begin; i < end; ++i) {
    cell.mass_x += x_[order_[i]];
    cell.mass_y += y_[order_[i]];
  }
  cell.mass_x /= static_cast<double>(end - begin);
  cell.mass_y /= static_cast<double>(end - begin);
  const double half = size / 2, middle_x = low_x + half, middle_y = low_y + half;
  // A cell that rounding no longer halves holds (nearly) coincident points.
  cell.leaf = end - begin < kLeafSize || !(middle_x > low_x && middle_y > low_y);
  cells_.push_back(cell);
  if (cell.leaf) return index;
  const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
  const auto split = [&](std::size_t from, std::size_t to, const std::vector<double>& values, double middle) {
    return static_cast<std::size_t>(
        std::stable_partition(at(from), at(to), [&](std::size_t v) { return values[v] < middle; }) -
        order_.begin());
  };
  const std::size_t rows = split(begin, end, y_, middle_y);
  const std::size_t bounds[5] = {begin, split(begin, rows, x_, middle_x), rows,
                                 split(rows, end, x_, middle_x), end};
  for (int quarter = 0; quarter < 4; ++quarter) {
    if (bounds[quarter] == bounds[quarter + 1]) continue;
    const std::int32_t child = build(bounds[quarter], bounds[quarter + 1], quarter % 2 ? middle_x : low_x,
                                     quarter / 2 ? middle_y : low_y, half);
    cells_[static_cast<std::size_t>(index)].children[quarter] = child;
  }
  return index;
}

void BarnesHut::repulsion(std::size_t v, double opening, double& sum_x, double& sum_y,
                          std::vector<std::size_t>& coincident) const {
  sum_x = sum_y = 0;
  const double opening_squared = opening * opening;
  std::vector<std::int32_t> stack{0};
  while (!stack.empty()) {
    const Cell& cell = cells_[static_cast<std::size_t>(stack.back())];
    stack.pop_back();
    if (cell.leaf) {
      for (std::size_t i = cell.begin; i < cell.end; ++i) {
        const std::size_t u = order_[i];
        if (u == v) continue;
        const double dx = x_[v] - x_[u], dy = y_[v] - y_[u], squared = dx * dx + dy * dy;
        if (squared > 0) {
          sum_x += dx / squared;
          sum_y += dy / squared;
        } else {
          coincident.push_back(u);
        }
      }
      continue;
    }
    const double dx = x_[v] - cell.mass_x, dy = y_[v] - cell.mass_y, squared = dx * dx + dy * dy;
    if (cell.size * cell.size < opening_squared * squared) {
      const auto mass = static_cast<double>(cell.end - cell.begin);
      sum_x += mass * dx / squared;
      sum_y += mass * dy / squared;
      continue;
    }
    for (int quarter = 3; quarter >= 0; --quarter) {
      if (cell.children[quarter] >= 0) stack.push_back(cell.children[quarter]);
    }
  }
}

}  // namespace lcn
