#include "layout/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "support/error.hpp"
#include "support/plural.hpp"

namespace lcn {
namespace {

void require_points(const Graph& graph, std::size_t xs, std::size_t ys) {
  const auto n = static_cast<std::size_t>(graph.n());
  if (xs != n || ys != n)
    throw Error(ErrorKind::internal,
                fmt::format("admission: {} x and {} y for {} (one point per vertex is needed)", xs, ys,
                            plural(graph.n(), "vertex", "vertices")));
}

struct Range {
  double low = 0, high = 0;
  double size() const { return high - low; }
};

Range range_of(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {*low, *high};
}

// Whole-number scaling of one axis: an affine map, so no crossing and no touch arises.
std::int64_t whole_factor(std::int64_t size, std::int64_t side) {
  return size == 0 ? 1 : side / size;
}

Drawing fit_integral(const Grid& grid, const Layout& layout, const Range& x, const Range& y) {
  if (x.size() > static_cast<double>(grid.width) || y.size() > static_cast<double>(grid.height))
    throw Error(
        ErrorKind::unit,
        fmt::format(
            "admission: the {:.0f} x {:.0f} drawing does not fit on the {} x {} grid (its shape must not "
            "change) use a larger grid or another start",
            x.size(), y.size(), grid.width, grid.height));
  const auto fx = whole_factor(static_cast<std::int64_t>(x.size()), grid.width);
  const auto fy = whole_factor(static_cast<std::int64_t>(y.size()), grid.height);
  Drawing drawing(layout.x.size());
  for (std::size_t v = 0; v < drawing.size(); ++v)
    drawing[v] = {fx * static_cast<std::int64_t>(layout.x[v] - x.low),
                  fy * static_cast<std::int64_t>(layout.y[v] - y.low)};
  return drawing;
}

std::int64_t rounded(double value, std::int64_t side) {
  return std::clamp<std::int64_t>(std::llround(value), 0, side);
}

}  // namespace

Drawing fit_to_grid(const Graph& graph, const Grid& grid, const Layout& layout) {
  require_points(graph, layout.x.size(), layout.y.size());
  if (graph.n() == 0) return {};
  for (std::size_t v = 0; v < layout.x.size(); ++v) {
    if (!std::isfinite(layout.x[v]) || !std::isfinite(layout.y[v]))
      throw Error(
          ErrorKind::unit,
          fmt::format(
              "admission: vertex {} of the start layout is not at a finite place (the layout diverged) "
              "use another start or other parameters",
              v));
  }
  const Range x = range_of(layout.x), y = range_of(layout.y);
  if (layout.integral) return fit_integral(grid, layout, x, y);
  const auto width = static_cast<double>(grid.width), height = static_cast<double>(grid.height);
  // Sizes below the smallest normal numbers would overflow the scale: treat them as zero.
  const double free_x = x.size() > 1e-300 ? width / x.size() : -1,
               free_y = y.size() > 1e-300 ? height / y.size() : -1;
  double scale_x = free_x < 0 ? free_y : free_y < 0 ? free_x : std::min(free_x, free_y);
  if (scale_x < 0) scale_x = 0;  // all at one point
  double scale_y = scale_x;
  if ((x.size() * scale_x + 1) * (y.size() * scale_y + 1) < 4.0 * graph.n()) {
    scale_x = std::max(free_x, 0.0);
    scale_y = std::max(free_y, 0.0);
  }
  const double left = (width - x.size() * scale_x) / 2, bottom = (height - y.size() * scale_y) / 2;
  Drawing drawing(layout.x.size());
  for (std::size_t v = 0; v < drawing.size(); ++v)
    drawing[v] = {rounded(left + (layout.x[v] - x.low) * scale_x, grid.width),
                  rounded(bottom + (layout.y[v] - y.low) * scale_y, grid.height)};
  return drawing;
}

Drawing fit_to_grid(const Graph& graph, const Grid& grid, const Drawing& drawing) {
  require_points(graph, drawing.size(), drawing.size());
  const auto off = static_cast<std::size_t>(
      std::count_if(drawing.begin(), drawing.end(), [&](const Point& p) { return !grid.contains(p); }));
  if (off == 0) return drawing;
  Drawing moved = drawing;
  if (off * 10 <= drawing.size()) {
    for (Point& p : moved)
      p = {std::clamp<std::int64_t>(p.x, 0, grid.width), std::clamp<std::int64_t>(p.y, 0, grid.height)};
    return moved;
  }
  Point low = drawing[0], high = drawing[0];
  for (const Point& p : drawing) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  if (high.x - low.x <= grid.width && high.y - low.y <= grid.height) {
    for (Point& p : moved) p = {p.x - low.x, p.y - low.y};
    return moved;
  }
  Layout layout;
  for (const Point& p : drawing) {
    layout.x.push_back(static_cast<double>(p.x - low.x));  // the shift keeps small drawings far away exact
    layout.y.push_back(static_cast<double>(p.y - low.y));
  }
  return fit_to_grid(graph, grid, layout);
}

}  // namespace lcn
