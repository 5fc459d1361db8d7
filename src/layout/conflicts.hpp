#pragma once
#include <cstdint>
#include <vector>

#include "geometry/point.hpp"
#include "graph/graph.hpp"
#include "layout/occupancy.hpp"

namespace lcn {

// A V3 conflict: the vertex lies on the edge without being its end.
struct Conflict {
  VertexId vertex;
  EdgeId edge;
};

// Vertices on distinct grid points (V2 holds by construction) and their V3 conflicts. V4 needs no count of
// its own:
//
// Claim: in a simple graph, V2 and V3 imply V4. Proof: let edges e != f overlap in a segment pq, p != q. Each
// end of the intersection of two collinear segments is an end of one of them, so p is the place of an end u
// of e or f, and q of an end w of e or f; by V2 a place names its vertex. As u lies on both edges, V3 makes
// it an end of both; likewise w. So e and f both join u and w, and u != w as p != q: the same edge twice,
// which a simple graph has not.
//
// A vertex may be absent for a while: it occupies nothing, and its edges do not exist. Exact: an edge's
// candidates are the gcd - 1 lattice points in its interior, and orientations are taken in int64 (grid sides
// up to 2^30).
class ConflictState {
 public:
  ConflictState(const Graph& graph, const Grid& grid);  // all vertices absent

  void place(VertexId v, const Point& p);  // v absent, p free
  void remove(VertexId v);                 // v placed
  const Point& position(VertexId v) const { return positions_[static_cast<std::size_t>(v)]; }
  const Occupancy& occupancy() const { return occupancy_; }
  const Drawing& drawing() const { return positions_; }

  // Appended to `found`: the placed vertices in the interior of e, in no set order but a deterministic one;
  // none where an end is absent. O(min(gcd, n)).
  void vertices_on(EdgeId e, std::vector<Conflict>& found) const;
  // Appended to `found`: the conflicts in which the placed vertex v takes part, as the vertex or as an end of
  // the edge. O(m + sum over its edges of min(gcd, n)).
  void conflicts_of(VertexId v, std::vector<Conflict>& found) const;

 private:
  bool placed(VertexId v) const { return placed_[static_cast<std::size_t>(v)] != 0; }
  bool lies_on(VertexId v, const Edge& edge) const;

  const Graph& graph_;
  Occupancy occupancy_;
  Drawing positions_;
  std::vector<char> placed_;
};

}  // namespace lcn
