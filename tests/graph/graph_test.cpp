#include "graph/graph.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/error.hpp"

namespace lcn {
namespace {

// The message of the Error(input) that from_edges throws; empty when it throws none.
std::string refusal(VertexId n, const std::vector<Edge>& edges) {
  try {
    Graph::from_edges(n, edges);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "";
}

TEST(Graph, EmptyOnes) {
  for (VertexId n : {0, 1, 5}) {
    const Graph graph = Graph::from_edges(n, {});
    EXPECT_EQ(graph.n(), n);
    EXPECT_EQ(graph.m(), 0);
    EXPECT_EQ(graph.max_degree(), 0);
    EXPECT_EQ(graph.offsets(), std::vector<std::int32_t>(static_cast<std::size_t>(n) + 1, 0));
    for (VertexId v = 0; v < n; ++v) EXPECT_TRUE(graph.incident(v).empty());
  }
  EXPECT_EQ(Graph().n(), 0);
  EXPECT_EQ(Graph().offsets().size(), 1u);
}

TEST(Graph, KeepsEdgesAndListsIncidencesByEdge) {
  const std::vector<Edge> edges = {{2, 0}, {1, 2}, {3, 2}, {0, 3}};
  const Graph graph = Graph::from_edges(5, edges);
  EXPECT_EQ(graph.edges(), edges);
  EXPECT_EQ(graph.max_degree(), 3);
  std::vector<std::vector<std::pair<VertexId, EdgeId>>> lists(5);
  for (VertexId v = 0; v < 5; ++v) {
    EXPECT_EQ(graph.degree(v), static_cast<std::int32_t>(graph.incident(v).size()));
    for (const Incidence& incidence : graph.incident(v))
      lists[v].push_back({incidence.neighbour, incidence.edge});
  }
  using List = std::vector<std::pair<VertexId, EdgeId>>;
  EXPECT_EQ(lists,
            (std::vector<List>{{{2, 0}, {3, 3}}, {{2, 1}}, {{0, 0}, {1, 1}, {3, 2}}, {{2, 2}, {0, 3}}, {}}));
}

TEST(Graph, RefusesWhatIsNotSimpleAndNamesTheEdge) {
  EXPECT_NE(refusal(3, {{0, 1}, {2, 2}}).find("edge 1 is a self-loop at vertex 2"), std::string::npos);
  EXPECT_NE(refusal(3, {{0, 1}, {1, 2}, {0, 1}}).find("edge 2 repeats edge 0"), std::string::npos);
  EXPECT_NE(refusal(3, {{1, 2}, {0, 1}, {2, 1}}).find("edge 2 repeats edge 0"), std::string::npos);
  EXPECT_NE(refusal(3, {{0, 1}, {1, 3}}).find("edge 1 names vertex 3"), std::string::npos);
  EXPECT_NE(refusal(3, {{-1, 1}}).find("edge 0 names vertex -1"), std::string::npos);
  EXPECT_NE(refusal(0, {{0, 1}}).find("edge 0 names vertex 0"), std::string::npos);
  EXPECT_NE(refusal(-1, {}).find("-1 vertices"), std::string::npos);
  EXPECT_EQ(refusal(3, {{0, 1}, {1, 2}, {2, 0}}), "");
}

}  // namespace
}  // namespace lcn
