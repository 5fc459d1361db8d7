#pragma once
#include <cstdint>
#include <vector>

#include "graph/graph.hpp"
#include "layout/layout.hpp"
#include "random/stream.hpp"

namespace lcn {

// Force-directed layout after FM^3 (Hachul and Juenger 2004) in float64: the readable reference that other
// backends are compared with. All lengths are in units of an ideal edge of the input graph, which is 1.

// A graph with an ideal length for each edge, as compressed rows: row v lists v's neighbours and the lengths.
struct ForceGraph {
  std::vector<std::int32_t> offsets{0};  // n + 1
  std::vector<VertexId> neighbours;      // 2 m
  std::vector<double> lengths;           // 2 m, > 0
  double mean_length = 1;                // over edges; 1 without edges

  VertexId n() const { return static_cast<VertexId>(offsets.size()) - 1; }
};
ForceGraph unit_lengths(const Graph& graph);

struct ForceParameters {
  double spring = 1;              // strength of attraction
  double repulsion = 1;           // strength of repulsion
  double step = 0.05;             // displacement = step x force, before the cap
  double max_displacement = 0.2;  // cap of one vertex' displacement, in units of sqrt(n) x mean length
  double threshold =
      0.01;  // converged when the mean displacement per vertex is below threshold x step x mean length
  VertexId exact_limit = 1500;  // above this number of vertices repulsion is Barnes-Hut's with `opening`
  double opening = 0.7;         // a cell of size s at distance d acts as one point when s < opening x d
};

// Positions, and the displacements of the last iteration, which the damping compares with; n entries each.
struct ForceState {
  std::vector<double> x, y, last_x, last_y;
};
ForceState at_rest(std::vector<double> x, std::vector<double> y);

// Forces of all vertices from one set of positions. With d the vector from one vertex to another and L the
// ideal length,
//   repulsion_v = - sum over u of d / |d|^2,   attraction_v = sum over edges of d log2(|d| / L) |d| / L^3,
//   force = (spring attraction + repulsion_strength repulsion) mean_length^2.
// Coincident vertices repel each other in a fixed direction that depends on their indices, with the force of
// a distance of mean_length / 1000; an edge of length 0 attracts with 0. Each vertex sums its own row in
// order: no result depends on the order in which vertices are visited.
void layout_forces(const ForceGraph& graph, const ForceParameters& parameters, const std::vector<double>& x,
                   const std::vector<double>& y, std::vector<double>& force_x, std::vector<double>& force_y);

// One Jacobi iteration: forces from the present positions, displacement = step x force, limited by the cap
// and damped against oscillation (its length may be at most 2, 3/2, 1, 2/3, 1/2, 1/3 times the last one's
// when it turns by up to 30, 60, 90, 120, 150, 180 degrees). Returns the mean length of the displacements.
double iterate_layout(const ForceGraph& graph, const ForceParameters& parameters, ForceState& state);

// Iterates until converged, or `iterations` times. Returns the number of executed iterations. `checkpoint` is
// called before each and may throw to give up.
int run_layout(const ForceGraph& graph, const ForceParameters& parameters, int iterations, ForceState& state,
               const std::function<void()>& checkpoint = {});

struct MultilevelParameters {
  ForceParameters force;
  int iterations = 60;          // at most, on the input graph
  int coarse_iterations = 300;  // at most, on the coarsest level; linear in between
};

struct MultilevelReport {
  std::vector<VertexId> level_sizes;  // input graph first
  std::vector<int> iterations;        // executed on each level
};

// Multilevel layout of a connected graph: vertices are merged into stars around suns that are at least three
// edges apart, level by level; the coarsest graph starts at random, finer ones from the places of their suns,
// shifted along the paths to neighbouring suns. Deterministic in the stream. `report` may be null;
// `checkpoint` is called between iterations and may throw to give up.
Layout multilevel_layout(const Graph& graph, const MultilevelParameters& parameters, Stream& stream,
                         MultilevelReport* report = nullptr, const std::function<void()>& checkpoint = {});

}  // namespace lcn
