// Tiny drawings with the violations and tuples that they must give: the shared file, and our own of every
// kind.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "crossings/oracle.hpp"
#include "crossings/validator.hpp"

namespace lcn {
namespace {

struct Fixture {
  std::string name;
  Grid grid;
  Drawing drawing;
  std::vector<Edge> edges;
  std::vector<std::string> codes;
  Tuple tuple;
};

void check(const Fixture& fixture) {
  SCOPED_TRACE(fixture.name);
  const Graph graph = Graph::from_edges(static_cast<VertexId>(fixture.drawing.size()), fixture.edges);
  EXPECT_EQ(validate(graph, fixture.grid, fixture.drawing).codes(), fixture.codes);
  EXPECT_EQ(to_string(oracle_tuple(graph, fixture.drawing)), to_string(fixture.tuple));
}

TEST(Fixtures, SharedFile) {
  const auto path = std::filesystem::path(LCN_SOURCE_DIR) / ".." / "shared" / "instances" / "fixtures.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "shared/instances/fixtures.json is not here";
  std::ifstream file(path);
  const auto entries = nlohmann::json::parse(file);
  ASSERT_GE(entries.size(), 20u);
  for (const auto& entry : entries) {
    Fixture fixture{entry.at("name"), {entry.at("width"), entry.at("height")}, {}, {}, {}, {}};
    fixture.drawing.resize(entry.at("nodes").size());
    for (const auto& node : entry.at("nodes"))
      fixture.drawing.at(node.at("id").get<std::size_t>()) = {node.at("x"), node.at("y")};
    for (const auto& edge : entry.at("edges"))
      fixture.edges.push_back({edge.at("source"), edge.at("target")});
    const auto& expected = entry.at("expected");
    fixture.codes = expected.at("violations").get<std::vector<std::string>>();
    fixture.tuple = {expected.at("K"), expected.at("n_K"), expected.at("Phi"), expected.at("C")};
    check(fixture);
  }
}

constexpr std::int64_t kFar = std::int64_t{1}
                              << 61;  // the largest coordinate that oracle and validator promise
constexpr std::int64_t kSide = std::int64_t{1} << 30;

const std::vector<Fixture>& own_fixtures() {
  using Codes = std::vector<std::string>;
  static const std::vector<Fixture> fixtures = {
      {"empty graph", {0, 0}, {}, {}, Codes{}, {0, 0, 0, 0}},
      {"one vertex on a one-point grid", {0, 0}, {{0, 0}}, {}, Codes{}, {0, 0, 0, 0}},
      {"one vertex off a one-point grid", {0, 0}, {{0, 1}}, {}, Codes{"V1"}, {0, 0, 0, 0}},
      {"proper crossing", {9, 9}, {{1, 1}, {7, 5}, {2, 6}, {5, 0}}, {{0, 1}, {2, 3}}, Codes{}, {1, 2, 2, 1}},
      {"reversed edges", {9, 9}, {{1, 1}, {7, 5}, {2, 6}, {5, 0}}, {{1, 0}, {3, 2}}, Codes{}, {1, 2, 2, 1}},
      {"boxes meet, segments do not",
       {9, 9},
       {{0, 0}, {9, 9}, {5, 2}, {9, 3}},
       {{0, 1}, {2, 3}},
       Codes{},
       {}},
      {"lines cross beyond an end", {9, 9}, {{0, 4}, {9, 4}, {3, 5}, {3, 9}}, {{0, 1}, {2, 3}}, Codes{}, {}},
      {"parallel", {9, 9}, {{0, 0}, {6, 3}, {0, 1}, {6, 4}}, {{0, 1}, {2, 3}}, Codes{}, {}},
      {"shared end, wide angle", {9, 9}, {{0, 0}, {4, 4}, {9, 0}}, {{0, 1}, {1, 2}}, Codes{}, {}},
      {"straight through a shared end", {9, 9}, {{0, 0}, {3, 3}, {6, 6}}, {{0, 1}, {1, 2}}, Codes{}, {}},
      {"touch from the side", {9, 9}, {{0, 0}, {8, 4}, {4, 2}, {4, 9}}, {{0, 1}, {2, 3}}, Codes{"V3"}, {}},
      {"isolated vertex on an edge", {9, 9}, {{0, 0}, {8, 4}, {6, 3}}, {{0, 1}}, Codes{"V3"}, {}},
      {"isolated vertex beyond an edge", {9, 9}, {{0, 0}, {6, 3}, {8, 4}}, {{0, 1}}, Codes{}, {}},
      {"overlap of part", {9, 9}, {{0, 0}, {6, 6}, {3, 3}, {9, 9}}, {{0, 1}, {2, 3}}, Codes{"V3", "V4"}, {}},
      {"overlap, contained",
       {9, 9},
       {{0, 0}, {9, 0}, {3, 0}, {4, 0}},
       {{0, 1}, {2, 3}},
       Codes{"V3", "V4"},
       {}},
      {"overlap, vertical",
       {9, 9},
       {{2, 0}, {2, 6}, {2, 9}, {2, 4}},
       {{0, 1}, {2, 3}},
       Codes{"V3", "V4"},
       {}},
      {"overlap from a shared end",
       {9, 9},
       {{0, 9}, {3, 6}, {9, 0}},
       {{0, 1}, {2, 0}},
       Codes{"V3", "V4"},
       {}},
      {"collinear, end to end at one point",
       {9, 9},
       {{0, 0}, {3, 3}, {3, 3}, {6, 6}},
       {{0, 1}, {2, 3}},
       Codes{"V2", "V3"},
       {}},
      {"same segment twice",
       {9, 9},
       {{0, 0}, {3, 6}, {0, 0}, {3, 6}},
       {{0, 1}, {2, 3}},
       Codes{"V2", "V3", "V4"},
       {}},
      {"coincident without edges", {9, 9}, {{4, 4}, {4, 4}}, {}, Codes{"V2"}, {}},
      {"edge between coincident ends", {9, 9}, {{4, 4}, {4, 4}}, {{0, 1}}, Codes{"V2"}, {}},
      {"an edge that is a point, across another",
       {9, 9},
       {{4, 4}, {4, 4}, {0, 0}, {8, 8}},
       {{0, 1}, {2, 3}},
       Codes{"V2", "V3"},
       {}},
      {"off the grid but crossing",
       {9, 9},
       {{-1, 0}, {5, 6}, {0, 6}, {5, 0}},
       {{0, 1}, {2, 3}},
       Codes{"V1"},
       {1, 2, 2, 1}},
      {"the right and upper border belong to the grid",
       {9, 4},
       {{0, 0}, {9, 4}, {9, 0}},
       {{0, 1}},
       Codes{},
       {}},
      {"star of three at one interior point",
       {9, 9},
       {{0, 4}, {8, 4}, {4, 0}, {4, 8}, {0, 0}, {8, 8}},
       {{0, 1}, {2, 3}, {4, 5}},
       Codes{},
       {2, 3, 12, 3}},
      {"largest legal grid, one unit below the diagonal",
       {kSide, kSide},
       {{0, 0}, {kSide, kSide - 1}, {kSide - 1, kSide - 2}, {0, kSide}},
       {{0, 1}, {2, 3}},
       Codes{},
       {1, 2, 2, 1}},
      {"largest legal grid, above it",
       {kSide, kSide},
       {{0, 0}, {kSide, kSide - 1}, {1, 1}, {0, kSide}},
       {{0, 1}, {2, 3}},
       Codes{},
       {}},
      {"coordinates of 2^61, just above the line",
       {10, 10},
       {{-kFar, -kFar}, {kFar, kFar - 1}, {kFar - 1, kFar - 1}, {-kFar, kFar}},
       {{0, 1}, {2, 3}},
       Codes{"V1"},
       {}},
      {"coordinates of 2^61, just below it",
       {10, 10},
       {{-kFar, -kFar}, {kFar, kFar - 1}, {kFar - 1, kFar - 2}, {-kFar, kFar}},
       {{0, 1}, {2, 3}},
       Codes{"V1"},
       {1, 2, 2, 1}},
      {"coordinates of 2^61, touching",
       {kFar, kFar},
       {{-kFar, -kFar}, {kFar, kFar}, {0, 0}, {-kFar, kFar}},
       {{0, 1}, {2, 3}},
       Codes{"V1", "V3"},
       {}},
      {"coordinates of 2^61, overlapping",
       {kFar, kFar},
       {{-kFar, -kFar}, {kFar, kFar}, {0, 0}, {kFar - 1, kFar - 1}},
       {{0, 1}, {2, 3}},
       Codes{"V1", "V3", "V4"},
       {}},
  };
  return fixtures;
}

TEST(Fixtures, Own) {
  for (const Fixture& fixture : own_fixtures()) check(fixture);
}

}  // namespace
}  // namespace lcn
