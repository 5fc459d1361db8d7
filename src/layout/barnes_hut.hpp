#pragma once
#include <cstdint>
#include <vector>

namespace lcn {

// A quadtree over n points for sums of d / |d|^2. Cells of fewer than kLeafSize points, or so small that they
// cannot be halved, are leaves and are summed exactly; an inner cell of size s at distance d acts as all its
// points at its centre of mass where s < opening x d, which leaves a relative error of the order of opening^2
// in that cell's part (0 sums everything exactly). Deterministic.
class BarnesHut {
 public:
  // Keeps references to x and y.
  BarnesHut(const std::vector<double>& x, const std::vector<double>& y);
  // Sum over u != v of (p_v - p_u) / |p_v - p_u|^2; points that coincide with v are left out and reported in
  // `coincident`.
  void repulsion(std::size_t v, double opening, double& sum_x, double& sum_y,
                 std::vector<std::size_t>& coincident) const;

 private:
  static constexpr std::size_t kLeafSize = 8;
  struct Cell {
    std::size_t begin, end;  // of order_
    double size, mass_x, mass_y;
    std::int32_t children[4];  // -1: none
    bool leaf;
  };
  std::int32_t build(std::size_t begin, std::size_t end, double low_x, double low_y, double size);

  const std::vector<double>&x_, &y_;
  std::vector<std::size_t> order_;
  std::vector<Cell> cells_;
};

}  // namespace lcn
