#include "bounds/lower_bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "bounds/density_rules.hpp"
#include "bounds/planarity.hpp"
#include "bounds/subgraph.hpp"
#include "crossings/oracle.hpp"
#include "crossings/validator.hpp"
#include "graph/fixed_families.hpp"
#include "graph/generators.hpp"
#include "random/stream.hpp"

namespace lcn {
namespace {

// Recounts a certificate from the graph alone and applies its rule again.
void check_certificate(const Graph& graph, const LowerBound& bound) {
  const Certificate& proof = bound.certificate;
  ASSERT_EQ(proof.n, static_cast<std::int64_t>(proof.vertices.size()));
  ASSERT_TRUE(std::is_sorted(proof.vertices.begin(), proof.vertices.end()));
  const std::set<VertexId> inside(proof.vertices.begin(), proof.vertices.end());
  ASSERT_EQ(inside.size(), proof.vertices.size());
  ASSERT_TRUE(inside.empty() || (*inside.begin() >= 0 && *inside.rbegin() < graph.n()));
  std::int64_t m = 0;
  for (const Edge& edge : graph.edges()) m += inside.contains(edge.a) && inside.contains(edge.b);
  ASSERT_EQ(proof.m, m);
  const Graph subgraph = SubgraphMaker(graph).induced(proof.vertices);
  EXPECT_EQ(bound.planar, bound.value == 0);
  if (proof.rule == "planar") {
    EXPECT_EQ(bound.value, 0);
    EXPECT_EQ(proof.n, graph.n());
    EXPECT_TRUE(is_planar(graph));
  } else if (proof.rule == "non-planar") {
    EXPECT_EQ(bound.value, 1);
    EXPECT_FALSE(is_planar(subgraph));
  } else if (proof.rule == "clique") {
    EXPECT_EQ(proof.m, proof.n * (proof.n - 1) / 2);
    EXPECT_EQ(bound.value, complete_graph_local_crossing_number(proof.n));
  } else if (proof.rule.starts_with("bipartite")) {
    const auto sides = bipartite_sides(subgraph);
    ASSERT_TRUE(sides.has_value());
    const auto ones = static_cast<std::int64_t>(std::count(sides->begin(), sides->end(), 1));
    const RuleValue again = bipartite_density_rule(proof.n, proof.m, std::min(ones, proof.n - ones));
    EXPECT_EQ(again.rule, proof.rule);
    EXPECT_EQ(again.value, bound.value);
  } else {
    EXPECT_EQ(density_rule(proof.n, proof.m).rule, proof.rule);
    EXPECT_EQ(density_rule(proof.n, proof.m).value, bound.value);
  }
}

std::int64_t value_of(const Graph& graph) {
  const LowerBound bound = lower_bound(graph);
  check_certificate(graph, bound);
  return bound.value;
}

Graph generated(const std::string& family, const FamilyValues& values, std::uint64_t seed = 1) {
  return generate_graph(family, values, seed).graph;
}

TEST(LowerBound, CompleteGraphs) {
  // The values of Abrego and Fernandez-Merchant; K_8 and K_14 are their exceptions.
  const std::vector<std::int64_t> expected = {0, 0, 0,  0,  0,  1,  1,  2,  4,  4, 6,
                                              8, 9, 12, 15, 16, 20, 23, 25, 30, 33};
  for (VertexId r = 1; r <= 20; ++r) {
    EXPECT_EQ(complete_graph_local_crossing_number(r), expected[r]) << r;
    EXPECT_EQ(value_of(complete_graph(r)), expected[r]) << r;
  }
}

TEST(LowerBound, CompleteBipartiteGraphs) {
  EXPECT_EQ(value_of(complete_bipartite_graph(2, 50)), 0);
  EXPECT_EQ(value_of(complete_bipartite_graph(3, 3)), 1);
  EXPECT_EQ(value_of(complete_bipartite_graph(3, 6)), 1);  // K_{3,6} is 1-planar, K_{3,7} is not (Karpov)
  EXPECT_EQ(value_of(complete_bipartite_graph(3, 7)), 2);
  EXPECT_EQ(value_of(complete_bipartite_graph(4, 4)), 1);  // 1-planar; K_{4,5} is not
  EXPECT_EQ(value_of(complete_bipartite_graph(4, 5)), 2);
  EXPECT_EQ(value_of(complete_bipartite_graph(6, 6)), 3);     // 36 > 35
  EXPECT_EQ(value_of(complete_bipartite_graph(7, 7)), 4);     // 49 > 48
  EXPECT_EQ(value_of(complete_bipartite_graph(20, 20)), 13);  // 2048 * 400^2 / (16875 * 40^2) = 12.1...
}

TEST(LowerBound, PlanarFamiliesGetZeroAndSaySo) {
  const std::vector<Graph> graphs = {Graph(),
                                     Graph::from_edges(1, {}),
                                     Graph::from_edges(7, {}),
                                     path_graph(30),
                                     cycle_graph(30),
                                     star_graph(30),
                                     wheel_graph(30),
                                     grid_graph(12, 9),
                                     complete_graph(4),
                                     hypercube_graph(3),
                                     ring_of_cliques(6, 4),
                                     generated("planted", {{"n", 300}, {"k", 0}})};
  for (const Graph& graph : graphs) {
    const LowerBound bound = lower_bound(graph);
    EXPECT_TRUE(bound.planar);
    EXPECT_EQ(bound.value, 0);
    EXPECT_EQ(bound.certificate.rule, "planar");
    check_certificate(graph, bound);
  }
}

TEST(LowerBound, NonPlanarFamilies) {
  EXPECT_EQ(value_of(torus_graph(3, 3)), 1);
  EXPECT_EQ(value_of(hypercube_graph(4)), 1);
  EXPECT_EQ(value_of(ring_of_cliques(5, 6)), 1);
  EXPECT_EQ(value_of(ring_of_cliques(3, 9)), 4);  // the clique is found inside a sparser graph
  const Graph petersen = Graph::from_edges(10, {{0, 1},
                                                {1, 2},
                                                {2, 3},
                                                {3, 4},
                                                {4, 0},
                                                {0, 5},
                                                {1, 6},
                                                {2, 7},
                                                {3, 8},
                                                {4, 9},
                                                {5, 7},
                                                {7, 9},
                                                {9, 6},
                                                {6, 8},
                                                {8, 5}});
  EXPECT_EQ(value_of(petersen), 1);
}

TEST(LowerBound, TheCertificateIsTheDensePart) {
  // K_{7,7} at the end of a long path: the path must not dilute it.
  std::vector<Edge> edges = complete_bipartite_graph(7, 7).edges();
  for (VertexId v = 13; v < 200; ++v) edges.push_back({v, v + 1});
  const Graph graph = Graph::from_edges(201, edges);
  const LowerBound bound = lower_bound(graph);
  check_certificate(graph, bound);
  EXPECT_EQ(bound.value, 4);
  EXPECT_EQ(bound.certificate.rule, "bipartite-density-3");
  EXPECT_EQ(bound.certificate.n, 14);
  // The same with a triangle elsewhere: only the block is bipartite.
  edges.push_back({198, 200});
  EXPECT_EQ(value_of(Graph::from_edges(201, edges)), 4);
  // A subdivided K_{3,3} at the end of a long path: the certificate leaves most of the path out.
  std::vector<Edge> subdivided = {{0, 6}, {6, 3}, {0, 4}, {0, 5}, {1, 3},
                                  {1, 4}, {1, 5}, {2, 3}, {2, 4}, {2, 5}};
  for (VertexId v = 6; v < 300; ++v) subdivided.push_back({v, v + 1});
  const LowerBound sparse = lower_bound(Graph::from_edges(301, subdivided));
  EXPECT_EQ(sparse.value, 1);
  EXPECT_EQ(sparse.certificate.vertices, (std::vector<VertexId>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(DensityRule, EveryLimitIsExact) {
  const auto at = [](std::int64_t n, std::int64_t m) { return density_rule(n, m).value; };
  for (std::int64_t n : {100, 101, 10'000, 10'001}) {
    EXPECT_EQ(at(n, 3 * n - 6), 0);
    EXPECT_EQ(at(n, 3 * n - 5), 1);
    EXPECT_EQ(at(n, 4 * n - 9), 1);
    EXPECT_EQ(at(n, 4 * n - 8), 2);
    EXPECT_EQ(at(n, 5 * n - 10), 2);
    EXPECT_EQ(at(n, 5 * n - 9), 3);
    EXPECT_EQ(at(n, (11 * n - 22) / 2), 3);
    EXPECT_EQ(at(n, (11 * n - 22) / 2 + 1), 4);
    EXPECT_EQ(at(n, 6 * n - 12), 4);
    EXPECT_EQ(at(n, 6 * n - 11), 5);
    EXPECT_EQ(at(n, 7 * n - 14), 5);
    EXPECT_EQ(at(n, 7 * n - 13), 6);
  }
  EXPECT_EQ(at(2, 1), 0);
  EXPECT_EQ(at(3, 3), 0);
  EXPECT_EQ(at(1000, 9'079), 6);  // 50 m^2 / (687 n^2) = 5.9992
  EXPECT_EQ(at(1000, 9'081), 7);  // 6.0018
}

TEST(DensityRule, CrossingLemmaIsCeilingOfTheExactFraction) {
  for (std::int64_t n : {30, 1'000, 12'345})
    for (std::int64_t m = 7 * n; m < 40 * n; m += 1 + n / 7) {
      if (m > n * (n - 1) / 2) break;
      const RuleValue rule = density_rule(n, m);
      // K is proven, K + 1 is not: 687 n^2 (K - 1) < 50 m^2, and if the lemma gave it, 50 m^2 <= 687 n^2 K.
      if (rule.rule != "crossing-lemma") continue;
      EXPECT_LT(687 * n * n * (rule.value - 1), 50 * m * m);
      EXPECT_LE(50 * m * m, 687 * n * n * rule.value);
    }
  EXPECT_EQ(density_rule(1'000'000'000, 40'000'000'000).value, 117);  // no overflow: 50 * 1600 / 687 = 116.4
}

TEST(BipartiteDensityRule, LimitsAndSides) {
  const auto at = [](std::int64_t n, std::int64_t m, std::int64_t side) {
    return bipartite_density_rule(n, m, side).value;
  };
  EXPECT_EQ(at(20, 36, 10), 0);
  EXPECT_EQ(at(20, 37, 10), 1);
  EXPECT_EQ(at(20, 52, 10), 1);
  EXPECT_EQ(at(20, 53, 10), 2);
  EXPECT_EQ(at(21, 54, 10), 1);  // 3 n - 9 for odd n
  EXPECT_EQ(at(21, 55, 10), 2);
  EXPECT_EQ(at(20, 63, 10), 2);
  EXPECT_EQ(at(20, 64, 10), 3);
  EXPECT_EQ(at(20, 72, 10), 3);
  EXPECT_EQ(at(20, 73, 10), 4);
  EXPECT_EQ(at(20, 40, 3), 1);  // 2 n + 4 x - 12
  EXPECT_EQ(at(20, 41, 3), 2);
  EXPECT_EQ(at(3, 2, 1), 0);
  EXPECT_EQ(at(50, 49, 1), 0);
}

// No rule may exceed K of any valid drawing: drawings with a known K, and random ones of every density.
TEST(LowerBound, NeverExceedsAValidDrawing) {
  for (int k : {1, 2, 3, 4, 5, 7, 10, 16})
    for (std::uint64_t seed : {1, 2, 3}) {
      const GeneratedGraph made = generate_graph("planted", {{"n", 80}, {"k", double(k)}}, seed);
      EXPECT_LE(value_of(made.graph), oracle_tuple(made.graph, *made.drawing).K);
    }
  Stream stream({21, static_cast<std::uint32_t>(Purpose::test)});
  const Grid grid{1000, 1000};
  int valid = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const VertexId n = 4 + static_cast<VertexId>(stream.below(20));
    const bool bipartite = stream.below(2) == 0;
    const std::uint32_t density = 1 + stream.below(10);
    std::vector<Edge> edges;
    for (VertexId a = 0; a < n; ++a)
      for (VertexId b = a + 1; b < n; ++b)
        if ((!bipartite || (a < n / 2 && b >= n / 2)) && stream.below(10) < density) edges.push_back({a, b});
    const Graph graph = Graph::from_edges(n, edges);
    Drawing drawing;
    for (VertexId v = 0; v < n; ++v) drawing.push_back({stream.between(0, 1000), stream.between(0, 1000)});
    if (!validate(graph, grid, drawing).valid()) continue;
    ++valid;
    ASSERT_LE(value_of(graph), oracle_tuple(graph, drawing).K) << "trial " << trial;
  }
  EXPECT_GT(valid, 200);
}

// A graph's bound is at least each block's, and does not depend on the order of edges.
TEST(LowerBound, DeterministicAndIndependentOfEdgeOrder) {
  Graph graph = generated("geometric", {{"n", 200}, {"degree", 12}});
  std::vector<Edge> edges = graph.edges();
  std::reverse(edges.begin(), edges.end());
  for (Edge& edge : edges) std::swap(edge.a, edge.b);
  EXPECT_EQ(value_of(graph), value_of(Graph::from_edges(graph.n(), edges)));
  const LowerBound first = lower_bound(graph), second = lower_bound(graph);
  EXPECT_EQ(first.certificate.vertices, second.certificate.vertices);
  EXPECT_EQ(first.certificate.rule, second.certificate.rule);
}

TEST(BiconnectedBlocks, OfABowTieWithATail) {
  // Triangles 0-1-2 and 2-3-4 share vertex 2; 4-5 is a bridge; 6 is isolated.
  const Graph graph = Graph::from_edges(7, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 2}, {4, 5}});
  std::vector<std::vector<VertexId>> blocks = biconnected_blocks(graph, 2);
  std::sort(blocks.begin(), blocks.end());
  EXPECT_EQ(blocks, (std::vector<std::vector<VertexId>>{{0, 1, 2}, {2, 3, 4}, {4, 5}}));
  EXPECT_EQ(biconnected_blocks(graph, 3).size(), 2u);
  EXPECT_TRUE(biconnected_blocks(Graph(), 2).empty());
}

TEST(MinDegreePeeling, RemovesASmallestDegreeEachTimeAndCountsEdges) {
  for (const Graph& graph :
       {generated("barabasi-albert", {{"n", 120}, {"m", 4}}), wheel_graph(9), complete_graph(6)}) {
    const Peeling peeling = min_degree_peeling(graph);
    std::vector<std::int32_t> degree;
    for (VertexId v = 0; v < graph.n(); ++v) degree.push_back(graph.degree(v));
    std::set<VertexId> left(peeling.order.begin(), peeling.order.end());
    ASSERT_EQ(left.size(), static_cast<std::size_t>(graph.n()));
    EdgeId edges = graph.m();
    std::int32_t core = 0;
    for (std::size_t i = 0; i < peeling.order.size(); ++i) {
      ASSERT_EQ(peeling.edges_from[i], edges);
      const VertexId v = peeling.order[i];
      ASSERT_EQ(peeling.place[v], static_cast<VertexId>(i));
      std::int32_t smallest = degree[v];
      for (VertexId u : left) smallest = std::min(smallest, degree[u]);
      core = std::max(core, smallest);
      ASSERT_LE(degree[v], core);  // smallest, or tied with it inside the current core
      left.erase(v);
      edges -= degree[v];
      for (const Incidence& incidence : graph.incident(v))
        if (left.contains(incidence.neighbour)) --degree[incidence.neighbour];
    }
    EXPECT_EQ(edges, 0);
  }
}

TEST(BipartiteSides, FindsOddCycles) {
  EXPECT_FALSE(bipartite_sides(cycle_graph(7)).has_value());
  const auto sides = bipartite_sides(cycle_graph(6));
  ASSERT_TRUE(sides.has_value());
  EXPECT_EQ(*sides, (std::vector<std::uint8_t>{0, 1, 0, 1, 0, 1}));
}

Graph shared_graph(const std::filesystem::path& path) {
  std::ifstream file(path);
  const auto json = nlohmann::json::parse(file);
  std::vector<Edge> edges;
  for (const auto& edge : json.at("edges")) edges.push_back({edge.at("source"), edge.at("target")});
  return Graph::from_edges(static_cast<VertexId>(json.at("nodes").size()), edges);
}

const std::filesystem::path kShared = std::filesystem::path(LCN_SOURCE_DIR) / ".." / "shared" / "instances";

TEST(LowerBound, ContestInstances) {
  if (!std::filesystem::exists(kShared / "contest")) GTEST_SKIP() << "shared/instances/contest is not here";
  // The best published K: a bound above it would be a false proof.
  const std::vector<std::pair<std::string, std::int64_t>> best = {
      {"example-15", 4},  {"example-70", 9},    {"example-100", 6},  {"example-150", 31}, {"example-225", 9},
      {"example-625", 1}, {"Automatic-2", 3},   {"Automatic-3", 30}, {"Automatic-7", 26}, {"instance_02", 2},
      {"instance_03", 9}, {"instance_05", 175}, {"instance_08", 49}};
  for (const auto& [name, k] : best) {
    SCOPED_TRACE(name);
    const std::int64_t value = value_of(shared_graph(kShared / "contest" / (name + ".json")));
    EXPECT_GE(value, 1);
    EXPECT_LE(value, k);
    if (name == "example-15") {
      EXPECT_GE(value, 2);
    }
  }
}

TEST(LowerBound, EveryRomeAndBarabasiAlbertGraphIsNonPlanar) {
  if (!std::filesystem::exists(kShared / "rome")) GTEST_SKIP() << "shared/instances/rome is not here";
  int files = 0;
  for (const char* folder : {"rome", "ba"})
    for (const auto& entry : std::filesystem::directory_iterator(kShared / folder)) {
      if (entry.path().extension() != ".json") continue;
      SCOPED_TRACE(entry.path().filename());
      ++files;
      EXPECT_GE(value_of(shared_graph(entry.path())), 1);
    }
  EXPECT_EQ(files, 260);
}

TEST(LowerBound, LargeInstancesAreFast) {
  if (!std::filesystem::exists(kShared / "large")) GTEST_SKIP() << "shared/instances/large is not here";
  for (const auto& [name, planar, limit] :
       std::vector<std::tuple<std::string, bool, double>>{{"sparse-5000", true, 2.0},
                                                          {"sparse-2000", true, 2.0},
                                                          {"powerlaw-1000", false, 10.0},
                                                          {"waxman-1000", false, 10.0}}) {
    SCOPED_TRACE(name);
    const Graph graph = shared_graph(kShared / "large" / (name + ".json"));
    const auto begin = std::chrono::steady_clock::now();
    const LowerBound bound = lower_bound(graph);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(bound.planar, planar);
    EXPECT_LT(seconds.count(), limit);
    check_certificate(graph, bound);
  }
}

}  // namespace
}  // namespace lcn
