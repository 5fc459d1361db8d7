#pragma once
#include <cstdint>
#include <vector>

#include "crossings/row_kernels.hpp"
#include "crossings/tuple.hpp"
#include "geometry/point.hpp"
#include "graph/graph.hpp"
#include "support/stop.hpp"

namespace lcn {

// How a BitCounter knows the present crossings of an edge. `matrix` keeps one bit per pair of edges (m^2 / 8
// bytes a drawing) and costs one pass over the edges per moved edge; `recount` keeps none and costs two. Same
// integers.
enum class CrossingStore { matrix, recount };

// Incremental crossing counter of one drawing on the CPU, the counter concept of search/chain.hpp for a team
// of one. For "vertex v to point p" it finds the exact change of every c(e) and whether V1-V4 would hold;
// then either commit() or discard(). Cost of evaluate: (1 + deg v) passes over all edges in vector registers,
// plus the changed pairs. T: float, double or std::int64_t, see row_kernels.hpp; the drawing must be valid on
// a grid that T allows.
template <class T>
class BitCounter {
 public:
  BitCounter(const Graph& graph, const Grid& grid, CrossingStore store);

  // Recounts everything, O(m^2 / vector width). The drawing must hold n points on the grid. Stopped when
  // `stop` turned true: the counter then waits for another load.
  void load(const Drawing& drawing, const StopFunction& stop = {});

  // --- the counter concept ---
  std::int32_t x(VertexId v) const { return x_[static_cast<std::size_t>(v)]; }
  std::int32_t y(VertexId v) const { return y_[static_cast<std::size_t>(v)]; }
  std::int32_t count(EdgeId e) const { return counts_[static_cast<std::size_t>(e)]; }
  bool crosses(EdgeId e, EdgeId f) const;
  // Tests the move; p must differ from v's place. False: the move would break V1, V2, V3 or V4; nothing is
  // pending then.
  bool evaluate(VertexId v, std::int32_t px, std::int32_t py);
  // Of the pending move: sum of table[new count] - table[old count] over the changed edges.
  std::int64_t energy_change(const std::int64_t* table) const;
  Tuple pending_tuple();
  void commit();
  void discard();
  const Tuple& tuple() const { return tuple_; }
  std::int64_t energy(const std::int64_t* table) const;

  const std::vector<std::int32_t>& counts() const { return counts_; }
  Drawing drawing() const;
  // Takes over another counter's drawing and counts (same graph and grid), cheaper than load.
  void copy_from(const BitCounter& other);
  std::size_t memory_bytes() const;

 private:
  void set_edge_end(EdgeId e, VertexId v, T px, T py);
  bool vertex_on_segment(VertexId w, VertexId v, VertexId u, std::int64_t px, std::int64_t py) const;
  bool touches_any(const std::uint64_t* touch, VertexId v, VertexId u, std::int64_t px,
                   std::int64_t py) const;
  void add_change(EdgeId f, std::int32_t amount);
  void shift_histogram(int direction);
  void forget_changes();

  const Graph* graph_;
  Grid grid_;
  CrossingStore store_;
  const RowKernels<T>* kernels_;
  int words_;
  std::vector<std::int32_t> x_, y_, counts_;
  std::vector<T> ax_, ay_, bx_, by_;  // edge ends, padded to 64
  std::vector<VertexId> isolated_;
  std::vector<std::uint64_t> matrix_;    // m rows of words_ words
  std::vector<std::int32_t> histogram_;  // edges per count, 0..m
  Tuple tuple_;
  // The pending move.
  VertexId vertex_ = -1;
  std::int32_t new_x_ = 0, new_y_ = 0;
  std::vector<T> rax_, ray_, rbx_, rby_, side_;  // relative to the new place
  std::vector<T> old_rax_, old_ray_, old_rbx_, old_rby_,
      old_side_;                                          // relative to the old place (recount only)
  std::vector<T> near_x_, near_y_;                        // neighbours relative to the new place
  std::vector<std::uint64_t> zero_, own_, touch_, rows_;  // rows_: new row of each moved edge
  std::vector<std::uint64_t> old_row_;
  std::vector<std::int32_t> delta_;
  std::vector<std::uint8_t> listed_;
  std::vector<EdgeId> touched_;
  bool shifted_ = false;  // the histogram already shows the pending move
  Tuple pending_;
};

extern template class BitCounter<float>;
extern template class BitCounter<double>;
extern template class BitCounter<std::int64_t>;

}  // namespace lcn
