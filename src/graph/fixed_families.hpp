#pragma once
#include "graph/graph.hpp"

namespace lcn {

// Graph families without randomness. Vertices are numbered row by row, part by part, hub first. Callers check
// ranges.
Graph grid_graph(VertexId rows, VertexId columns);   // rows (columns - 1) + columns (rows - 1) edges
Graph torus_graph(VertexId rows, VertexId columns);  // both >= 3; 2 rows columns edges
Graph complete_graph(VertexId n);
Graph complete_bipartite_graph(VertexId a, VertexId b);
Graph hypercube_graph(int dimension);                  // 2^d vertices, d 2^(d-1) edges
Graph ring_of_cliques(VertexId count, VertexId size);  // count >= 3 cliques, one edge between neighbours
Graph path_graph(VertexId n);
Graph cycle_graph(VertexId n);  // n >= 3
Graph star_graph(VertexId n);   // n vertices in all
Graph wheel_graph(VertexId n);  // n >= 4 vertices in all: a hub and a cycle of n - 1

}  // namespace lcn
