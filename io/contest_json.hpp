#pragma once
#include <optional>
#include <string>
#include <vector>

#include "geometry/point.hpp"
#include "graph/graph.hpp"
#include "support/sha256.hpp"

namespace lcn {

// One instance as read from a contest file: keys nodes (id, x, y), edges (source, target), width, height.
// Vertex v of the graph is the node with id v; edge e is the e-th entry of "edges".
struct Instance {
  std::string name;  // file name without folder and .json
  std::string path;  // as given
  std::string text;  // the file's bytes: unknown keys are kept from here on output
  Sha256 hash{};     // of `text`
  Graph graph;
  Grid grid;  // 1,000,000 x 1,000,000 where the file names none
  std::optional<Drawing>
      drawing;  // when every node has x and y; none when no node has; a mixture is an error
};

// Errors are Error(input) "FILE: place: reason": missing file, broken JSON (line and column), wrong types,
// fractional coordinates (5.0 is an integer), ids that are not 0..n-1 or repeat, self-loops, duplicate edges,
// unknown end points, negative or too large grids. Integers off the grid are kept as they are.
Instance read_instance(const std::string& path);
Instance parse_instance(const std::string& text, const std::string& name, const std::string& path);

// The instance's JSON with this drawing's coordinates: same ids, all edges, integers, width and height,
// unknown keys kept.
std::string instance_json(const Instance& instance, const Drawing& drawing);
// For generated graphs: a new file's text. `drawing` may be null: nodes without coordinates.
std::string graph_json(const Graph& graph, const Grid& grid, const Drawing* drawing);

// Every *.json below the given files and folders (not in run folders below them, which hold a plan.json),
// sorted by path, without duplicates. Error(input) for a missing path or a folder without any.
std::vector<std::string> find_instance_files(const std::vector<std::string>& paths);

}  // namespace lcn
