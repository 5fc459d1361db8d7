#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "geometry/point.hpp"
#include "graph/graph.hpp"

namespace lcn {

struct FamilyParameter {
  std::string name;
  double low, high;                     // both ends allowed
  std::optional<double> default_value;  // none: must be given
  bool integral;
  std::string help;  // one line
};

struct GraphFamily {
  std::string name;         // "ring-of-cliques"
  std::string description;  // one line, with the counts of vertices and edges where they are fixed
  std::vector<FamilyParameter> parameters;
};

struct GeneratedGraph {
  Graph graph;
  Grid grid;                       // suggested
  std::optional<Drawing> drawing;  // points that the family is made from; a proven valid drawing for planted
};

using FamilyValues = std::map<std::string, double>;  // parameter name -> value

// Every family that `lcn generate` knows, in the order of --help.
const std::vector<GraphFamily>& graph_families();

// Deterministic in (family, values, seed), on every machine: all randomness is Stream(derive_key(seed,
// generate_graph, family)). Error(usage) naming the parameter for an unknown family or name, a missing,
// fractional or out-of-range value, values that do not fit together (n * d odd), or a graph of more than
// 50,000,000 edges.
GeneratedGraph generate_graph(const std::string& family, const FamilyValues& values, std::uint64_t seed);

}  // namespace lcn
