#pragma once
#include <memory>
#include <string>
#include <vector>

#include "geometry/point.hpp"
#include "graph/graph.hpp"
#include "random/stream.hpp"
#include "support/stop.hpp"

namespace lcn {

// A drawing in real coordinates, any scale; x and y have n entries. `integral` says that the coordinates are
// integers whose exact shape matters (a planar drawing): admission may then only shift it and scale it by
// whole numbers.
struct Layout {
  std::vector<double> x, y;
  bool integral = false;
};

struct LayoutRequest {
  const Graph& graph;
  Grid grid;
  const Drawing* input = nullptr;  // the file's own coordinates, if it has any
  SeedPath seed;                   // each provider derives its key with its own purpose
  std::uint32_t index = 0;  // which of several starts: 0, 1, ...; deterministic providers may ignore it
  StopFunction stop = {};   // asked between iterations; true gives the layout up, never changes it

  void checkpoint() const { check_stop(stop); }
};

// One way to make a start drawing. Deterministic in the request (on one machine and build; real arithmetic).
class StartProvider {
 public:
  virtual ~StartProvider() = default;
  // Throws Error(unit) naming the reason when it does not apply: obstacle()'s, where there is one. Stopped
  // when request.stop turned true.
  virtual Layout layout(const LayoutRequest& request) const = 0;
  // Why layout() does not apply whatever seed and index are (planar: the graph is not, or the grid is too
  // small; input: no coordinates); empty when nothing is known against it. O(n + m).
  virtual std::string obstacle(const LayoutRequest&) const { return {}; }
};

struct StartProviderInfo {
  std::string name;         // "gradient"
  std::string description;  // one line for --help
  std::string parameters;   // "epochs=700,..." with defaults, empty when it has none
};

// The factory: src/layout/factory.cpp registers random, input, planar, spectral, snake, fmmm, gradient.
// `spec` is NAME or NAME:key=value,key=value; Error(usage) for an unknown name or key, or a value out of
// range.
std::unique_ptr<StartProvider> make_start_provider(const std::string& spec);
const std::vector<StartProviderInfo>& start_providers();

}  // namespace lcn
