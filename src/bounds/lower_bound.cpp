#include "bounds/lower_bound.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "bounds/clique.hpp"
#include "bounds/density_rules.hpp"
#include "bounds/planarity.hpp"
#include "bounds/subgraph.hpp"

namespace lcn {
namespace {

std::vector<VertexId> all_vertices(const Graph& graph) {
  std::vector<VertexId> vertices(static_cast<std::size_t>(graph.n()));
  std::iota(vertices.begin(), vertices.end(), 0);
  return vertices;
}

// A larger value wins, then a smaller subgraph: it is the shorter proof.
void keep_better(LowerBound& best, const LowerBound& other) {
  if (other.value > best.value || (other.value == best.value && other.certificate.n < best.certificate.n))
    best = other;
}

// Best counting rule over the subgraphs of the peeling order; vertices are those of `graph`.
LowerBound peeled_density(const Graph& graph, const Peeling& peeling) {
  const std::optional<std::vector<std::uint8_t>> sides = bipartite_sides(graph);
  std::int64_t on_side[2] = {0, 0};
  LowerBound best;
  std::size_t best_start = peeling.order.size();
  for (std::size_t i = peeling.order.size();
       i-- > 0;) {  // from small to large: the smallest of equals is kept
    const auto n = static_cast<std::int64_t>(peeling.order.size() - i);
    const std::int64_t m = peeling.edges_from[i];
    RuleValue value = density_rule(n, m);
    if (sides) {
      ++on_side[(*sides)[peeling.order[i]]];
      RuleValue bipartite = bipartite_density_rule(n, m, std::min(on_side[0], on_side[1]));
      if (bipartite.value > value.value) value = std::move(bipartite);
    }
    if (value.value <= best.value) continue;
    best.value = value.value;
    best.certificate = {value.rule, n, m, {}};
    best_start = i;
  }
  best.certificate.vertices.assign(peeling.order.begin() + static_cast<std::ptrdiff_t>(best_start),
                                   peeling.order.end());
  std::sort(best.certificate.vertices.begin(), best.certificate.vertices.end());
  return best;
}

LowerBound clique_bound(const Graph& graph, const Peeling& peeling) {
  LowerBound bound;
  std::vector<VertexId> clique = large_clique(graph, peeling);
  const auto r = static_cast<std::int64_t>(clique.size());
  bound.value = complete_graph_local_crossing_number(r);
  bound.certificate = {"clique", r, r * (r - 1) / 2, std::move(clique)};
  return bound;
}

// Renames a certificate of the subgraph induced by `block`.
void to_parent(LowerBound& bound, const std::vector<VertexId>& block) {
  for (VertexId& v : bound.certificate.vertices) v = block[static_cast<std::size_t>(v)];
}

LowerBound non_planar(const Graph& block) {
  LowerBound bound;
  bound.value = 1;
  std::vector<VertexId> vertices = small_non_planar_subgraph(block);
  const auto n = static_cast<std::int64_t>(vertices.size());
  const std::int64_t m = SubgraphMaker(block).induced(vertices).m();
  bound.certificate = {"non-planar", n, m, std::move(vertices)};
  return bound;
}

}  // namespace

LowerBound lower_bound(const Graph& graph) {
  constexpr std::size_t kSmallestNonPlanar = 5;
  SubgraphMaker maker(graph);
  LowerBound best;
  // A graph is planar if and only if its blocks are; planar blocks bound nothing.
  for (const std::vector<VertexId>& block : biconnected_blocks(graph, kSmallestNonPlanar)) {
    const Graph subgraph = maker.induced(block);
    if (is_planar(subgraph)) continue;
    LowerBound bound = peeled_density(subgraph, min_degree_peeling(subgraph));
    if (bound.value <= 1) bound = non_planar(subgraph);
    to_parent(bound, block);
    if (best.value == 0)
      best = std::move(bound);
    else
      keep_better(best, bound);
  }
  if (best.value == 0) {
    best.planar = true;
    best.certificate = {"planar", graph.n(), graph.m(), all_vertices(graph)};
    return best;
  }
  const Peeling peeling = min_degree_peeling(graph);
  keep_better(best, peeled_density(graph, peeling));  // several blocks together can be denser than each
  keep_better(best, clique_bound(graph, peeling));
  return best;
}

}  // namespace lcn
