#pragma once
#include <cstdint>
#include <string>

namespace lcn {

// A lower bound on K that follows from counts alone, and the rule of docs/bounds.md that gives it.
// Value 0 means that no rule says anything; the rule is then empty.
struct RuleValue {
  std::int64_t value = 0;
  std::string rule;
};

// For every simple graph of n vertices and m edges: density of straight-line k-plane drawings, crossing
// lemma.
RuleValue density_rule(std::int64_t n, std::int64_t m);

// For bipartite graphs whose sides have n - smaller_side >= smaller_side vertices.
RuleValue bipartite_density_rule(std::int64_t n, std::int64_t m, std::int64_t smaller_side);

// The least K of a straight-line drawing of the complete graph on r vertices.
std::int64_t complete_graph_local_crossing_number(std::int64_t r);

}  // namespace lcn
