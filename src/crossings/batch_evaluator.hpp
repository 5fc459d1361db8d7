#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "crossings/tuple.hpp"
#include "geometry/point.hpp"
#include "geometry/predicates.hpp"
#include "graph/graph.hpp"
#include "random/philox.hpp"

namespace lcn {

// "Vertex to another point", judged against a base drawing and never committed.
struct MoveProposal {
  VertexId vertex = 0;
  Point to;
  friend bool operator==(const MoveProposal&, const MoveProposal&) = default;
};

// One base drawing and the moves that are judged against it. Drawings may be invalid (coincident points,
// touches, overlaps): only proper crossings are counted, as the oracle defines them.
struct MoveWorkload {
  Graph graph;
  Drawing base;
  std::vector<MoveProposal> proposals;
};

// Independent workloads of equal shape (n, m, proposals), so that one launch can judge all of them.
class MoveBatch {
 public:
  // Throws Error(input) naming the workload when shapes differ, n or the number of proposals is 0, a proposal
  // names a vertex that does not exist, or a point is off the grid (exactness of the arithmetic rests on it).
  MoveBatch(Grid grid, std::vector<MoveWorkload> workloads);

  const Grid& grid() const { return grid_; }
  const std::vector<MoveWorkload>& workloads() const { return workloads_; }
  VertexId n() const { return workloads_.front().graph.n(); }
  EdgeId m() const { return workloads_.front().graph.m(); }
  std::size_t size() const { return workloads_.size(); }
  std::size_t proposals_per_workload() const { return workloads_.front().proposals.size(); }
  std::size_t evaluations() const { return size() * proposals_per_workload(); }
  Arithmetic arithmetic() const { return arithmetic_; }  // the fastest that is exact on the grid

 private:
  Grid grid_;
  std::vector<MoveWorkload> workloads_;
  Arithmetic arithmetic_;
};

// What every evaluator returns: for proposal p of workload w, evaluation w * proposals_per_workload + p, the
// crossings on each edge after the move, and their tuple. Integers: all evaluators agree in every entry.
struct MoveCounts {
  EdgeId m = 0;
  std::vector<std::int32_t> counts;  // [evaluation][edge]
  std::vector<Tuple> tuples;         // [evaluation]
  std::span<const std::int32_t> of(std::size_t evaluation) const {
    return {counts.data() + evaluation * static_cast<std::size_t>(m), static_cast<std::size_t>(m)};
  }
};

// Crossings on each edge of one drawing whose points lie on a grid of this arithmetic. O(m^2).
std::vector<std::int32_t> count_crossings(const Graph& graph, const Drawing& drawing, Arithmetic arithmetic);

// CPU reference of both methods for workloads [first, first + number) of a batch, in `arithmetic` (the
// batch's own or a wider one). full recounts every pair for every proposal, O(m^2) each; incremental counts
// the base once per workload and then only the pairs with an edge of the moved vertex, O(degree * m) each.
MoveCounts evaluate_full(const MoveBatch& batch, std::size_t first, std::size_t number,
                         Arithmetic arithmetic);
MoveCounts evaluate_incremental(const MoveBatch& batch, std::size_t first, std::size_t number,
                                Arithmetic arithmetic);

struct RandomBatchShape {
  VertexId vertices = 128;
  EdgeId edges = 512;
  std::size_t proposals = 32, workloads = 1;
};

// Uniform random simple graphs, points and moves for benchmarks and tests; workload w is a pure function of
// (shape, grid, key, w). Throws Error(input) when no simple graph has that shape, or when a MoveBatch would.
MoveBatch random_move_batch(const RandomBatchShape& shape, const Grid& grid, StreamKey key);

}  // namespace lcn
