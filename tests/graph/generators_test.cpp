#include "graph/generators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "crossings/oracle.hpp"
#include "crossings/validator.hpp"
#include "support/error.hpp"
#include "support/sha256.hpp"

namespace lcn {
namespace {

Graph make(const std::string& family, const FamilyValues& values, std::uint64_t seed = 1) {
  return generate_graph(family, values, seed).graph;
}

std::vector<std::int32_t> degrees(const Graph& graph) {
  std::vector<std::int32_t> list;
  for (VertexId v = 0; v < graph.n(); ++v) list.push_back(graph.degree(v));
  std::sort(list.begin(), list.end());
  return list;
}

std::string edge_hash(const Graph& graph) {
  std::string text = std::to_string(graph.n());
  for (const Edge& edge : graph.edges()) text += ";" + std::to_string(edge.a) + "-" + std::to_string(edge.b);
  return sha256_hex(text).substr(0, 16);
}

struct Counts {
  std::string family;
  FamilyValues values;
  VertexId n;
  EdgeId m;
};

// That the graphs are simple is checked by Graph::from_edges itself.
TEST(Generators, CountsOfVerticesAndEdges) {
  const std::vector<Counts> table = {
      {"grid", {{"rows", 6}, {"cols", 7}}, 42, 71},
      {"grid", {{"rows", 1}, {"cols", 1}}, 1, 0},
      {"torus", {{"rows", 3}, {"cols", 3}}, 9, 18},
      {"torus", {{"rows", 4}, {"cols", 7}}, 28, 56},
      {"complete", {{"n", 1}}, 1, 0},
      {"complete", {{"n", 9}}, 9, 36},
      {"bipartite", {{"a", 3}, {"b", 5}}, 8, 15},
      {"hypercube", {{"d", 0}}, 1, 0},
      {"hypercube", {{"d", 5}}, 32, 80},
      {"ring-of-cliques", {{"count", 4}, {"size", 5}}, 20, 44},
      {"ring-of-cliques", {{"count", 3}, {"size", 1}}, 3, 3},
      {"geometric", {{"n", 20}, {"radius", 1.5}}, 20, 190},
      {"regular", {{"n", 20}, {"d", 3}}, 20, 30},
      {"regular", {{"n", 9}, {"d", 8}}, 9, 36},
      {"regular", {{"n", 5}, {"d", 0}}, 5, 0},
      {"barabasi-albert", {{"n", 50}, {"m", 3}}, 50, 141},
      {"barabasi-albert", {{"n", 4}, {"m", 3}}, 4, 3},
      {"planted", {{"n", 1}}, 1, 0},
      {"path", {{"n", 1}}, 1, 0},
      {"path", {{"n", 10}}, 10, 9},
      {"star", {{"n", 10}}, 10, 9},
      {"wheel", {{"n", 4}}, 4, 6},
      {"wheel", {{"n", 10}}, 10, 18},
      {"cycle", {{"n", 3}}, 3, 3},
  };
  for (const Counts& row : table) {
    SCOPED_TRACE(row.family);
    const Graph graph = make(row.family, row.values);
    EXPECT_EQ(graph.n(), row.n);
    EXPECT_EQ(graph.m(), row.m);
  }
}

TEST(Generators, DegreesThatTheFamiliesPromise) {
  EXPECT_EQ(degrees(make("torus", {{"rows", 4}, {"cols", 5}})), std::vector<std::int32_t>(20, 4));
  EXPECT_EQ(degrees(make("hypercube", {{"d", 4}})), std::vector<std::int32_t>(16, 4));
  EXPECT_EQ(degrees(make("ring-of-cliques", {{"count", 3}, {"size", 3}})),
            (std::vector<std::int32_t>{2, 2, 2, 3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(degrees(make("star", {{"n", 5}})), (std::vector<std::int32_t>{1, 1, 1, 1, 4}));
  EXPECT_EQ(degrees(make("wheel", {{"n", 6}})), (std::vector<std::int32_t>{3, 3, 3, 3, 3, 5}));
  for (int d : {1, 3, 4, 11, 25, 48, 49})
    for (std::uint64_t seed : {1, 2, 3})
      EXPECT_EQ(degrees(make("regular", {{"n", 50}, {"d", double(d)}}, seed)),
                std::vector<std::int32_t>(50, d));
  const std::vector<std::int32_t> attached = degrees(make("barabasi-albert", {{"n", 500}, {"m", 2}}));
  EXPECT_GE(attached[1], 1);
  EXPECT_GE(attached[2], 2);       // only two of the three first vertices may stay below m
  EXPECT_GT(attached.back(), 20);  // there are hubs
}

TEST(Generators, GeometricEdgesAreExactlyTheShortPairs) {
  const GeneratedGraph made = generate_graph("geometric", {{"n", 300}, {"radius", 0.1}}, 5);
  ASSERT_TRUE(made.drawing.has_value());
  const Drawing& points = *made.drawing;
  std::int64_t near = 0;
  for (std::size_t u = 0; u < points.size(); ++u)
    for (std::size_t v = u + 1; v < points.size(); ++v) {
      const std::int64_t dx = points[u].x - points[v].x, dy = points[u].y - points[v].y;
      near += dx * dx + dy * dy <= std::int64_t{100'000} * 100'000;
    }
  EXPECT_EQ(made.graph.m(), near);
  const Graph by_degree = make("geometric", {{"n", 2000}, {"degree", 8}});
  EXPECT_NEAR(2.0 * by_degree.m() / by_degree.n(), 8.0, 1.0);
}

TEST(Generators, PlantedDrawingsProveTheirK) {
  for (int k : {0, 1, 2, 3, 5, 9})
    for (std::uint64_t seed : {1, 2}) {
      const GeneratedGraph made = generate_graph("planted", {{"n", 150}, {"k", double(k)}}, seed);
      ASSERT_TRUE(made.drawing.has_value());
      EXPECT_TRUE(validate(made.graph, made.grid, *made.drawing).valid());
      EXPECT_EQ(oracle_tuple(made.graph, *made.drawing).K, k);  // greedy addition exhausts what is allowed
      EXPECT_GT(made.graph.m(), 2 * 150);
    }
  const GeneratedGraph large = generate_graph("planted", {{"n", 5000}, {"k", 2}}, 3);
  EXPECT_TRUE(validate(large.graph, large.grid, *large.drawing).valid());
  EXPECT_EQ(oracle_tuple(large.graph, *large.drawing).K, 2);
}

TEST(Generators, DeterministicBySeed) {
  for (const auto& [family, values] :
       std::vector<std::pair<std::string, FamilyValues>>{{"geometric", {{"n", 100}}},
                                                         {"regular", {{"n", 100}, {"d", 4}}},
                                                         {"barabasi-albert", {{"n", 100}}},
                                                         {"planted", {{"n", 100}}}}) {
    SCOPED_TRACE(family);
    EXPECT_EQ(edge_hash(make(family, values, 7)), edge_hash(make(family, values, 7)));
    EXPECT_NE(edge_hash(make(family, values, 7)), edge_hash(make(family, values, 8)));
  }
}

// Files that people generated must be reproducible by later versions: these hashes never change.
TEST(Generators, KnownHashes) {
  EXPECT_EQ(edge_hash(make("grid", {{"rows", 6}, {"cols", 7}})), "05038f01960bf42b");
  EXPECT_EQ(edge_hash(make("geometric", {{"n", 100}}, 7)), "4726ecd92df4f3f1");
  EXPECT_EQ(edge_hash(make("regular", {{"n", 100}, {"d", 4}}, 7)), "ff968996ccb326a3");
  EXPECT_EQ(edge_hash(make("barabasi-albert", {{"n", 100}}, 7)), "e2ad93548c6ac02d");
  EXPECT_EQ(edge_hash(make("planted", {{"n", 100}}, 7)), "870761278a01a0c9");
}

TEST(Generators, RefusalsNameTheParameter) {
  const auto refusal = [](const std::string& family, const FamilyValues& values) -> std::string {
    try {
      generate_graph(family, values, 1);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal("tours", {}).find("unknown family 'tours'"), std::string::npos);
  EXPECT_NE(refusal("tours", {}).find("torus"), std::string::npos);
  EXPECT_NE(refusal("grid", {{"rows", 3}}).find("cols is missing"), std::string::npos);
  EXPECT_NE(refusal("grid", {{"rows", 3}, {"columns", 3}}).find("unknown parameter 'columns'"),
            std::string::npos);
  EXPECT_NE(refusal("grid", {{"rows", 2.5}, {"cols", 3}}).find("rows = 2.5 must be a whole number"),
            std::string::npos);
  EXPECT_NE(refusal("grid", {{"rows", 1e6}, {"cols", 1e6}}).find("too many"), std::string::npos);
  EXPECT_NE(refusal("torus", {{"rows", 2}, {"cols", 3}}).find("rows = 2 is out of range"), std::string::npos);
  EXPECT_NE(refusal("path", {{"n", std::numeric_limits<double>::quiet_NaN()}}).find("out of range"),
            std::string::npos);
  EXPECT_NE(refusal("cycle", {{"n", -3}}).find("n = -3 is out of range"), std::string::npos);
  EXPECT_NE(refusal("regular", {{"n", 5}, {"d", 3}}).find("5 * 3 is odd"), std::string::npos);
  EXPECT_NE(refusal("regular", {{"n", 4}, {"d", 4}}).find("d = 4"), std::string::npos);
  EXPECT_NE(refusal("barabasi-albert", {{"n", 3}, {"m", 3}}).find("m = 3"), std::string::npos);
  EXPECT_EQ(refusal("regular", {{"n", 4}, {"d", 3}}), "");
}

TEST(Generators, TheTableDescribesEveryFamily) {
  EXPECT_EQ(graph_families().size(), 14u);
  for (const GraphFamily& family : graph_families()) {
    EXPECT_FALSE(family.description.empty()) << family.name;
    FamilyValues smallest;
    for (const FamilyParameter& parameter : family.parameters) {
      EXPECT_FALSE(parameter.help.empty()) << family.name;
      EXPECT_LE(parameter.low, parameter.high);
      if (!parameter.default_value) smallest[parameter.name] = std::max(5.0, parameter.low);
    }
    if (family.name == "regular") smallest["n"] = 6;
    EXPECT_GE(generate_graph(family.name, smallest, 1).graph.n(), 3) << family.name;
  }
}

}  // namespace
}  // namespace lcn
