#include "io/contest_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/decimal.hpp"
#include "support/error.hpp"
#include "tests/io/test_folder.hpp"

namespace lcn {
namespace {

using ::testing::HasSubstr;

Instance parse(const std::string& text) {
  return parse_instance(text, "g", "g.json");
}

// The whole message of the Error(input) that reading `text` must throw.
std::string refusal(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  ADD_FAILURE() << "accepted: " << text.substr(0, 200);
  return "";
}

std::string with_nodes(const std::string& nodes, const std::string& edges = "",
                       const std::string& more = "") {
  return R"({"nodes":[)" + nodes + R"(],"edges":[)" + edges + "]" + more + "}";
}

const std::string kTwo = R"({"id":0,"x":1,"y":2},{"id":1,"x":3,"y":4})";

TEST(ContestJson, ReadsVerticesEdgesAndGrid) {
  const Instance g = parse(with_nodes(R"({"id":1,"x":3,"y":4},{"id":0,"x":1,"y":2})",
                                      R"({"source":1,"target":0})", R"(,"width":10,"height":20)"));
  EXPECT_EQ(g.graph.n(), 2);
  ASSERT_EQ(g.graph.m(), 1);
  EXPECT_EQ(g.graph.edge(0), (Edge{1, 0}));
  EXPECT_EQ(g.grid, (Grid{10, 20}));
  EXPECT_EQ(*g.drawing, (Drawing{{1, 2}, {3, 4}}));
  EXPECT_EQ(to_hex(g.hash), sha256_hex(g.text));
}

TEST(ContestJson, DefaultsAndBorders) {
  EXPECT_EQ(parse(with_nodes(kTwo)).grid, (Grid{1'000'000, 1'000'000}));
  EXPECT_EQ(parse(with_nodes(kTwo, "", R"(,"height":5)")).grid, (Grid{1'000'000, 5}));
  EXPECT_EQ(parse(with_nodes(kTwo, "", R"(,"width":0,"height":0)")).grid, (Grid{0, 0}));
  EXPECT_EQ(parse(with_nodes(kTwo, "", R"(,"width":1073741824)")).grid.width, kMaxGridSide);
  EXPECT_EQ(parse(with_nodes("")).graph.n(), 0);
  EXPECT_EQ(parse(with_nodes(R"({"id":0})")).graph.n(), 1);
  EXPECT_FALSE(parse(with_nodes(R"({"id":0})")).drawing.has_value());
  EXPECT_EQ(parse("\xEF\xBB\xBF" + with_nodes(kTwo)).graph.n(), 2);
  const Instance off_grid = parse(with_nodes(R"({"id":0,"x":-7,"y":2305843009213693952})"));
  EXPECT_EQ(off_grid.drawing->at(0), (Point{-7, std::int64_t{1} << 61}));
}

TEST(ContestJson, IntegersInEverySpelling) {
  const Instance g = parse(with_nodes(R"({"id":0.0,"x":5.0,"y":1e6},{"id":1,"x":12.5e1,"y":-0.0})",
                                      R"({"source":1.0,"target":0})", R"(,"width":2e6)"));
  EXPECT_EQ(*g.drawing, (Drawing{{5, 1'000'000}, {125, 0}}));
  EXPECT_EQ(g.grid.width, 2'000'000);
  EXPECT_THAT(refusal(with_nodes(R"({"id":0,"x":5.5,"y":1})")),
              HasSubstr("g.json: nodes[0].x: must be an integer (found 5.5)"));
  EXPECT_THAT(refusal(with_nodes(R"({"id":0,"x":1e-1,"y":1})")), HasSubstr("nodes[0].x"));
  // a double cannot tell this from 5
  EXPECT_THAT(refusal(with_nodes(R"({"id":0,"x":5.00000000000000000000001,"y":1})")),
              HasSubstr("nodes[0].x"));
}

TEST(ContestJson, RefusesHugeIntegers) {
  for (const char* huge : {"2305843009213693953", "-2305843009213693953", "18446744073709551615",
                           "123456789012345678901234567890", "1e30", "9e18"})
    EXPECT_THAT(refusal(with_nodes(std::string(R"({"id":0,"x":)") + huge + R"(,"y":1})")),
                HasSubstr("nodes[0].x: is too large"))
        << huge;
}

TEST(ContestJson, BrokenSyntaxNamesLineAndColumn) {
  EXPECT_THAT(refusal("{\n  \"nodes\": [\n    {\"id\": 0,}\n  ]\n}"),
              HasSubstr("g.json: line 3, column 14: broken JSON (syntax error"));
  EXPECT_THAT(refusal(""), HasSubstr("line 1, column 1"));
  EXPECT_THAT(refusal("\xEF\xBB\xBF{]"), HasSubstr("line 1, column 2"));
  EXPECT_THAT(refusal(with_nodes(kTwo) + "x"), HasSubstr("line 1"));
  EXPECT_THAT(refusal(with_nodes(kTwo).substr(0, 30)), HasSubstr("broken JSON"));
  EXPECT_THAT(refusal("{\"nodes\xff\": 1}"), HasSubstr("broken JSON"));
  EXPECT_THAT(refusal(R"({"nodes":[],"edges":[],"width":1e999})"), HasSubstr("broken JSON (number overflow"));
}

TEST(ContestJson, WrongTypesNameThePlace) {
  EXPECT_THAT(refusal("[]"), HasSubstr("g.json: top level: must be an object"));
  EXPECT_THAT(refusal("3"), HasSubstr("top level"));
  EXPECT_THAT(refusal("\"nodes\""), HasSubstr("top level"));
  EXPECT_THAT(refusal("null"), HasSubstr("top level"));
  EXPECT_THAT(refusal(R"({"nodes":{},"edges":[]})"), HasSubstr("nodes: must be an array (found an object)"));
  EXPECT_THAT(refusal(R"({"nodes":7,"edges":[]})"), HasSubstr("nodes: must be an array"));
  EXPECT_THAT(refusal(R"({"nodes":[],"edges":null})"), HasSubstr("edges: must be an array (found null)"));
  EXPECT_THAT(refusal(with_nodes("4")), HasSubstr("nodes[0]: must be an object"));
  EXPECT_THAT(refusal(with_nodes(R"({"id":0},[1])")), HasSubstr("nodes[1]: must be an object"));
  EXPECT_THAT(refusal(with_nodes(R"({"id":"0"})")),
              HasSubstr("nodes[0].id: must be an integer (found a string)"));
  EXPECT_THAT(refusal(with_nodes(R"({"id":true})")),
              HasSubstr("nodes[0].id: must be an integer (found a boolean)"));
  EXPECT_THAT(refusal(with_nodes(R"({"id":0,"x":null,"y":1})")), HasSubstr("nodes[0].x"));
  EXPECT_THAT(refusal(with_nodes(R"({"id":0,"x":[1],"y":1})")),
              HasSubstr("nodes[0].x: must be an integer (found an array)"));
  EXPECT_THAT(refusal(with_nodes(kTwo, R"({"source":0,"target":{}})")), HasSubstr("edges[0].target"));
  EXPECT_THAT(refusal(with_nodes(kTwo, R"([0,1])")), HasSubstr("edges[0]: must be an object"));
  EXPECT_THAT(refusal(with_nodes(kTwo, "", R"(,"width":"10")")), HasSubstr("width: must be an integer"));
}

TEST(ContestJson, MissingKeys) {
  EXPECT_THAT(refusal("{}"), HasSubstr("nodes: is missing"));
  EXPECT_THAT(refusal(R"({"nodes":[]})"), HasSubstr("edges: is missing"));
  EXPECT_THAT(refusal(with_nodes(R"({"x":1,"y":1})")), HasSubstr("nodes[0].id: is missing"));
  EXPECT_THAT(refusal(with_nodes(R"({"id":0,"x":1})")), HasSubstr("nodes[0].y: is missing"));
  EXPECT_THAT(refusal(with_nodes(R"({"id":0,"x":1,"y":1},{"id":1})")),
              HasSubstr("nodes[1]: has no coordinates but nodes[0]"));
  EXPECT_THAT(refusal(with_nodes(R"({"id":0},{"id":1,"x":1,"y":1})")),
              HasSubstr("nodes[1]: has coordinates but nodes[0]"));
  EXPECT_THAT(refusal(with_nodes(kTwo, R"({"source":0})")), HasSubstr("edges[0].target: is missing"));
}

TEST(ContestJson, BadIdsAndEdges) {
  EXPECT_THAT(refusal(with_nodes(R"({"id":0},{"id":2})")), HasSubstr("nodes[1].id: 2 is not one of 0..1"));
  EXPECT_THAT(refusal(with_nodes(R"({"id":-1})")), HasSubstr("nodes[0].id: -1"));
  EXPECT_THAT(refusal(with_nodes(R"({"id":1},{"id":1})")), HasSubstr("nodes[1].id: 1 is the id of nodes[0]"));
  EXPECT_THAT(refusal(with_nodes(kTwo, R"({"source":0,"target":2})")),
              HasSubstr("edges[0].target: names vertex 2"));
  EXPECT_THAT(refusal(with_nodes(kTwo, R"({"source":4294967296,"target":1})")),
              HasSubstr("edges[0].source: names vertex 4294967296"));
  EXPECT_THAT(refusal(with_nodes("", R"({"source":0,"target":1})")), HasSubstr("there are no nodes"));
  EXPECT_THAT(refusal(with_nodes(kTwo, R"({"source":1,"target":1})")), HasSubstr("self-loop"));
  EXPECT_THAT(refusal(with_nodes(kTwo, R"({"source":0,"target":1},{"source":1,"target":0})")),
              HasSubstr("edge 1 repeats edge 0"));
}

TEST(ContestJson, BadGrids) {
  EXPECT_THAT(refusal(with_nodes(kTwo, "", R"(,"width":-1)")),
              HasSubstr("width: a grid cannot have the side -1"));
  EXPECT_THAT(refusal(with_nodes(kTwo, "", R"(,"height":1073741825)")),
              HasSubstr("height: a grid side of 1073741825"));
}

TEST(ContestJson, DuplicateKeysAndDepth) {
  EXPECT_THAT(refusal(R"({"nodes":[],"edges":[],"nodes":[]})"), HasSubstr("nodes: the key is given twice"));
  EXPECT_THAT(refusal(with_nodes(R"({"id":0,"id":0})")), HasSubstr("nodes[0].id: the key is given twice"));
  EXPECT_THAT(refusal(with_nodes("", "", R"(,"meta":{"a":{"b":1,"b":2}})")),
              HasSubstr("meta.a.b: the key is given twice"));
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_THAT(refusal(with_nodes("", "", R"(,"meta":)" + deep)), HasSubstr("meta: is nested deeper"));
}

TEST(ContestJson, OutputKeepsUnknownKeysOrderAndIds) {
  const std::string text =
      R"({"name":"näme","nodes":[{"label":"b","id":1.0,"x":9,"y":9},{"id":0,"x":1,"y":2,"extra":{"z":[1.5]}}],)"
      R"("edges":[{"source":1.0,"target":0,"weight":2}],"meta":[{"nodes":1}],"width":10})";
  const Instance g = parse(text);
  const auto out = nlohmann::ordered_json::parse(instance_json(g, {{3, 4}, {5, 6}}));
  const auto expected = nlohmann::ordered_json::parse(
      R"({"name":"näme","nodes":[{"label":"b","id":1,"x":5,"y":6},{"id":0,"x":3,"y":4,"extra":{"z":[1.5]}}],)"
      R"("edges":[{"source":1,"target":0,"weight":2}],"meta":[{"nodes":1}],"width":10,"height":1000000})");
  EXPECT_EQ(out.dump(), expected.dump());
  EXPECT_THROW(instance_json(g, {{3, 4}}), Error);
}

TEST(ContestJson, OutputReadsBackAsTheSameDrawing) {
  const Graph graph = Graph::from_edges(3, {{2, 0}, {1, 2}});
  const Drawing drawing = {{0, 0}, {5, 1}, {2, 7}};
  const Instance g = parse(graph_json(graph, {7, 8}, &drawing));
  EXPECT_EQ(g.graph.edges(), graph.edges());
  EXPECT_EQ(g.grid, (Grid{7, 8}));
  EXPECT_EQ(*g.drawing, drawing);
  const Drawing moved = {{1, 1}, {2, 2}, {3, 1}};
  EXPECT_EQ(*parse(instance_json(g, moved)).drawing, moved);
  EXPECT_FALSE(parse(graph_json(graph, {7, 8}, nullptr)).drawing.has_value());
}

TEST(ContestJson, AMillionVertices) {
  std::string text = "{\"nodes\":[";
  for (int v = 0; v < 1'000'000; ++v)
    text += (v ? ",{\"id\":" : "{\"id\":") + std::to_string(999'999 - v) + ",\"x\":" + std::to_string(v) +
            ",\"y\":3}";
  const Instance g = parse(text + "],\"edges\":[],\"width\":3,\"height\":3}");
  EXPECT_EQ(g.graph.n(), 1'000'000);
  EXPECT_EQ(g.drawing->at(0), (Point{999'999, 3}));
}

TEST(ContestJson, Files) {
  const TestFolder folder;
  const std::string a = folder.write("sub/ä b.json", with_nodes(kTwo));
  const std::string b = folder.write("a.json", with_nodes(kTwo));
  folder.write("notes.txt", "no instance");
  EXPECT_EQ(read_instance(a).name, "ä b");
  EXPECT_EQ(read_instance(a).path, a);
  EXPECT_EQ(find_instance_files({folder.path(), b, folder.path() + "/./a.json"}),
            (std::vector<std::string>{b, a}));
  std::filesystem::create_directory(folder.path() + "/empty");
  for (const std::string& bad : {folder.path() + "/empty", folder.path() + "/none"}) {
    try {
      find_instance_files({bad});
      ADD_FAILURE() << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_THAT(error.what(), HasSubstr(bad));
    }
  }
  EXPECT_THROW(read_instance(folder.path() + "/none.json"), Error);
  EXPECT_THROW(read_instance(folder.path()), Error);
}

TEST(ContestJson, SharedInstances) {
  const std::string shared = std::string(LCN_SOURCE_DIR) + "/../shared/instances/contest";
  if (!std::filesystem::exists(shared)) GTEST_SKIP() << "the shared instances are not here";
  for (const std::string& path : find_instance_files({shared})) {
    const Instance g = read_instance(path);
    ASSERT_TRUE(g.drawing.has_value()) << path;
    const Instance again = parse_instance(instance_json(g, *g.drawing), g.name, path);
    EXPECT_EQ(*again.drawing, *g.drawing) << path;
    EXPECT_EQ(again.graph.edges(), g.graph.edges()) << path;
    EXPECT_EQ(again.grid, g.grid) << path;
  }
}

TEST(Decimal, ExactValues) {
  EXPECT_EQ(parse_decimal("1e18").value, 1'000'000'000'000'000'000);
  EXPECT_EQ(parse_decimal("9223372036854775807.0").value, 9'223'372'036'854'775'807);
  EXPECT_TRUE(parse_decimal("9223372036854775808").too_large);
  EXPECT_TRUE(parse_decimal("1e999999999999999999999").too_large);
  EXPECT_TRUE(parse_decimal("0e999999999999999999999").integral);
  EXPECT_EQ(parse_decimal("-0.00120e5").value, -120);
  EXPECT_FALSE(parse_decimal("1.5").integral);
  EXPECT_FALSE(parse_decimal("1e-999999999999999999999").integral);
}

TEST(ContestJson, DrawingsInRunFoldersAreNoInstances) {
  const TestFolder folder;
  folder.write("a.json", "{}");
  folder.write("run/plan.json", "{}");
  folder.write("run/best/a-1.json", "{}");
  EXPECT_EQ(find_instance_files({folder.path()}), (std::vector<std::string>{folder.path() + "/a.json"}));
  EXPECT_EQ(find_instance_files({folder.path() + "/run/best"}).size(), 1u);
}

// A double would lose digits of them.
TEST(ContestJson, NumbersOfUnknownKeysKeepTheirText) {
  const std::string numbers =
      R"(123456789012345678901234567890,18446744073709551615,-9223372036854775808,3.14159265358979323846264338327950288,1e2,-0.0,1.10,5E-324)";
  const std::string text =
      R"({"nodes":[{"id":0.0,"weight":0.10000000000000000000001,"x":1e0,"y":2},{"id":1,"x":3,"y":4}],"edges":[],"big":[)" +
      numbers + R"(],"deep":{"a":[1.50,{"b":2.50}],"t":true,"n":null,"s":"1.50"}})";
  const Instance instance = parse(text);
  const std::string out = instance_json(instance, *instance.drawing);
  EXPECT_THAT(out, HasSubstr(R"({"id":0,"weight":0.10000000000000000000001,"x":1,"y":2})"));
  EXPECT_THAT(out, HasSubstr(R"("deep": {"a":[1.50,{"b":2.50}],"t":true,"n":null,"s":"1.50"})"));
  std::string lines = "[\n  ";
  for (const char c : numbers) lines += c == ',' ? std::string(",\n  ") : std::string(1, c);
  EXPECT_THAT(out, HasSubstr("\"big\": " + lines + "\n ]"));
  EXPECT_EQ(instance_json(parse(out), *instance.drawing), out);
}

}  // namespace
}  // namespace lcn
