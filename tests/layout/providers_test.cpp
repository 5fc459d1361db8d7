#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <map>
#include <set>

#include "bounds/lower_bound.hpp"
#include "crossings/oracle.hpp"
#include "graph/generators.hpp"
#include "io/contest_json.hpp"
#include "layout/admission.hpp"
#include "layout/components.hpp"
#include "layout/layout.hpp"
#include "layout_testing.hpp"

namespace lcn {
namespace {

using testing::HasSubstr;

struct Sample {
  std::string name;
  Graph graph;
};

// Every family of the generator in a small size, and the shapes that it does not make.
std::vector<Sample> samples() {
  const std::map<std::string, FamilyValues> sizes = {{"grid", {{"rows", 5}, {"cols", 6}}},
                                                     {"torus", {{"rows", 4}, {"cols", 5}}},
                                                     {"complete", {{"n", 9}}},
                                                     {"bipartite", {{"a", 4}, {"b", 5}}},
                                                     {"hypercube", {{"d", 4}}},
                                                     {"ring-of-cliques", {{"count", 4}, {"size", 5}}},
                                                     {"geometric", {{"n", 40}}},
                                                     {"regular", {{"n", 30}, {"d", 4}}},
                                                     {"barabasi-albert", {{"n", 40}, {"m", 3}}},
                                                     {"planted", {{"n", 40}, {"k", 2}}},
                                                     {"path", {{"n", 30}}},
                                                     {"star", {{"n", 30}}},
                                                     {"wheel", {{"n", 20}}},
                                                     {"cycle", {{"n", 20}}}};
  std::vector<Sample> all = {
      {"no vertices", random_graph(0, 0, 0)},
      {"one vertex", random_graph(1, 0, 0)},
      {"two vertices", random_graph(2, 0, 0)},
      {"one edge", random_graph(2, 1, 0)},
      {"one edge of three", random_graph(3, 1, 0)},
      {"isolated", random_graph(17, 0, 0)},
      {"triangle", complete_graph(3)},
      {"forest", Graph::from_edges(9, {{0, 1}, {1, 2}, {1, 3}, {5, 6}, {6, 7}})},
      {"three components",
       Graph::from_edges(10,
                         {{0, 1}, {1, 2}, {2, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {4, 6}, {5, 7}, {8, 9}})},
      {"triangulation", random_triangulation(50, 1)}};
  for (const GraphFamily& family : graph_families()) {
    const auto found = sizes.find(family.name);
    EXPECT_NE(found, sizes.end()) << "add a size of " << family.name;
    if (found == sizes.end()) continue;
    all.push_back({family.name, generate_graph(family.name, found->second, 1).graph});
  }
  return all;
}

LayoutRequest request_for(const Graph& graph, const Grid& grid, const Drawing* input = nullptr,
                          std::uint32_t index = 0) {
  return {graph, grid, input, SeedPath{}, index};
}

class Providers : public testing::TestWithParam<const char*> {};

TEST_P(Providers, DrawEveryFamilyValidlyAndRepeatably) {
  const auto provider = make_start_provider(GetParam());
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    for (const Grid grid : {Grid{}, Grid{40, 60}}) {
      const LayoutRequest request = request_for(sample.graph, grid);
      const Layout layout = provider->layout(request);
      ASSERT_EQ(layout.x.size(), static_cast<std::size_t>(sample.graph.n()));
      ASSERT_EQ(layout.y.size(), layout.x.size());
      const Layout again = provider->layout(request);
      EXPECT_EQ(layout.x, again.x);
      EXPECT_EQ(layout.y, again.y);
      EXPECT_TRUE(is_valid(sample.graph, grid, admit(sample.graph, grid, layout, kTestKey).drawing));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Providers,
                         testing::Values("random", "spectral", "snake", "fmmm", "gradient:epochs=20"));

class StoppedProviders : public testing::TestWithParam<const char*> {};

// A graph of 20,000 vertices, planar for the planar provider: a layout that is to stop does so within two
// seconds of its own processor time; one that is merely asked is not changed.
TEST_P(StoppedProviders, StopSoonOnLargeGraphs) {
  const auto provider = make_start_provider(GetParam());
  const Graph graph = generate_graph("grid", {{"rows", 100}, {"cols", 200}}, 1).graph;
  LayoutRequest request = request_for(graph, Grid{});
  for (const double after : {0.0, 0.1, 0.5}) {
    const std::clock_t start = std::clock();
    std::clock_t stopped = 0;
    request.stop = [&] {
      const std::clock_t now = std::clock();
      if (now - start < after * CLOCKS_PER_SEC) return false;
      if (stopped == 0) stopped = now;
      return true;
    };
    try {
      provider->layout(request);
    } catch (const Stopped&) {
      ASSERT_NE(stopped, 0);
    }
    const std::clock_t end = std::clock();
    EXPECT_LT(static_cast<double>(end - start) / CLOCKS_PER_SEC, after + 2) << after;
  }
}

TEST_P(StoppedProviders, BeingAskedChangesNothing) {
  const auto provider = make_start_provider(GetParam());
  const Graph graph = generate_graph("grid", {{"rows", 9}, {"cols", 12}}, 1).graph;
  LayoutRequest request = request_for(graph, Grid{});
  const Layout plain = provider->layout(request);
  int asked = 0;
  request.stop = [&] { return ++asked < 0; };
  const Layout observed = provider->layout(request);
  EXPECT_EQ(observed.x, plain.x);
  EXPECT_EQ(observed.y, plain.y);
  EXPECT_GT(asked, 0);
  request.stop = [] { return true; };
  EXPECT_THROW(provider->layout(request), Stopped);
}

INSTANTIATE_TEST_SUITE_P(All, StoppedProviders,
                         testing::Values("planar", "spectral", "snake", "fmmm", "gradient"));

TEST(PlanarStart, ATooSmallGridIsRefusedBeforeAnyWork) {
  const Graph graph = generate_graph("grid", {{"rows", 100}, {"cols", 200}}, 1).graph;
  LayoutRequest request = request_for(graph, Grid{30'000, 30'000});
  int asked = 0;
  request.stop = [&] { return ++asked < 0; };
  EXPECT_THAT(error_message(ErrorKind::unit, [&] { make_start_provider("planar")->layout(request); }),
              HasSubstr("needs a 39996 x 19998 grid (this one is 30000 x 30000)"));
  EXPECT_EQ(asked, 0);
}

class SeededProviders : public testing::TestWithParam<const char*> {};

TEST_P(SeededProviders, IndexAndSeedChangeTheLayout) {
  const auto provider = make_start_provider(GetParam());
  const Graph graph = random_graph(40, 80, 3);
  LayoutRequest request = request_for(graph, Grid{});
  const Layout first = provider->layout(request);
  request.index = 1;
  EXPECT_NE(provider->layout(request).x, first.x);
  request.index = 0;
  request.seed.repetition = 2;
  EXPECT_NE(provider->layout(request).x, first.x);
}

INSTANTIATE_TEST_SUITE_P(All, SeededProviders,
                         testing::Values("random", "snake", "fmmm", "gradient:epochs=5"));

TEST(PlanarStart, EveryPlanarSampleHasNoCrossing) {
  const auto provider = make_start_provider("planar");
  int planar = 0;
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    const Grid grid{200, 150};
    const LayoutRequest request = request_for(sample.graph, grid);
    if (!lower_bound(sample.graph).planar) {
      EXPECT_THAT(error_message(ErrorKind::unit, [&] { provider->layout(request); }),
                  HasSubstr("is not planar"));
      continue;
    }
    ++planar;
    const Admission admission = admit(sample.graph, grid, provider->layout(request), kTestKey);
    EXPECT_TRUE(is_valid(sample.graph, grid, admission.drawing));
    EXPECT_EQ(admission.repaired, 0);
    EXPECT_EQ(oracle_tuple(sample.graph, admission.drawing).K, 0);
  }
  EXPECT_GE(planar, 14);
}

TEST(PlanarStart, FitsTheProvenGridInBothOrientationsAndRefusesSmallerOnes) {
  const auto provider = make_start_provider("planar");
  for (VertexId n : {3, 4, 10, 60}) {
    const Graph graph = random_triangulation(n, 2);
    for (const Grid grid : {Grid{2 * n - 4, n - 2}, Grid{n - 2, 2 * n - 4}}) {
      const Admission admission = admit(graph, grid, provider->layout(request_for(graph, grid)), kTestKey);
      EXPECT_TRUE(is_valid(graph, grid, admission.drawing));
      EXPECT_EQ(oracle_tuple(graph, admission.drawing).K, 0);
    }
  }
  const Graph graph = random_triangulation(60, 2);
  EXPECT_THAT(error_message(ErrorKind::unit,
                            [&] {
                              provider->layout(request_for(graph, Grid{57, 57}));
                            }),
              HasSubstr("this one is 57 x 57"));
  const Graph edge = Graph::from_edges(2, {{0, 1}});
  for (const Grid grid : {Grid{1, 0}, Grid{0, 1}})
    EXPECT_TRUE(
        is_valid(edge, grid, admit(edge, grid, provider->layout(request_for(edge, grid)), kTestKey).drawing));
}

TEST(PlanarStart, LargePlanarInstancesEndWithoutCrossings) {
  const auto provider = make_start_provider("planar");
  for (const char* name : {"sparse-2000", "sparse-5000"}) {
    const std::string path = std::string(LCN_SOURCE_DIR) + "/../shared/instances/large/" + name + ".json";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "the shared instance " << name << " is not here";
    const Instance instance = read_instance(path);
    const Layout layout = provider->layout(request_for(instance.graph, instance.grid));
    const Drawing drawing = admit(instance.graph, instance.grid, layout, kTestKey).drawing;
    EXPECT_TRUE(is_valid(instance.graph, instance.grid, drawing));
    EXPECT_EQ(oracle_tuple(instance.graph, drawing).K, 0);
  }
}

TEST(InputStart, KeepsCrossingsAndRefusesGraphsWithoutCoordinates) {
  const Graph graph = random_graph(15, 30, 5);
  const Grid grid{100, 100};
  const Drawing drawing = admit(graph, Grid{30, 40}, random_layout(15, 5), kTestKey).drawing;
  const auto provider = make_start_provider("input");
  const Admission admission =
      admit(graph, grid, provider->layout(request_for(graph, grid, &drawing)), kTestKey);
  EXPECT_EQ(admission.repaired, 0);
  EXPECT_EQ(oracle_counts(graph, admission.drawing), oracle_counts(graph, drawing));
  EXPECT_THAT(error_message(ErrorKind::unit, [&] { provider->layout(request_for(graph, grid)); }),
              HasSubstr("no coordinates"));
  const Drawing coincident(15, Point{7, -7});  // legal input, to be repaired
  EXPECT_TRUE(is_valid(
      graph, grid,
      admit(graph, grid, provider->layout(request_for(graph, grid, &coincident)), kTestKey).drawing));
}

TEST(Components, AreFoundInOrderAndPackedApart) {
  const Graph graph = Graph::from_edges(7, {{5, 1}, {2, 0}, {2, 6}});
  EXPECT_EQ(connected_components(graph), (std::vector<std::vector<VertexId>>{{0, 2, 6}, {1, 5}, {3}, {4}}));
  const Graph part = component_graph(graph, {0, 2, 6});
  EXPECT_EQ(part.n(), 3);
  EXPECT_EQ(part.edges(), (std::vector<Edge>{{0, 1}, {1, 2}}));
  const Layout layout = layout_components(graph, [](const Graph& component) {  // each along a line
    Layout line;
    for (VertexId v = 0; v < component.n(); ++v) line.x.push_back(v);
    line.y.assign(line.x.size(), 0.0);
    return line;
  });
  std::set<std::pair<double, double>> places;
  for (std::size_t v = 0; v < 7; ++v) places.insert({layout.x[v], layout.y[v]});
  EXPECT_EQ(places.size(), 7u);
}

TEST(StartProviders, BeatARandomDrawingWhereStructureIsPlain) {
  const Graph graph = generate_graph("grid", {{"rows", 12}, {"cols", 12}}, 1).graph;
  const auto crossings = [&](const char* spec) {
    const Layout layout = make_start_provider(spec)->layout(request_for(graph, Grid{}));
    return oracle_tuple(graph, admit(graph, Grid{}, layout, kTestKey).drawing).C;
  };
  const std::int64_t random = crossings("random");
  EXPECT_GT(random, 1000);
  for (const char* spec : {"spectral", "snake", "fmmm"}) EXPECT_LT(crossings(spec) * 15, random) << spec;
}

TEST(StartProviders, FactoryListsItsMembersAndRefusesOthers) {
  std::set<std::string> names;
  for (const StartProviderInfo& info : start_providers()) {
    names.insert(info.name);
    EXPECT_FALSE(info.description.empty());
    // The documented parameters are the defaults, and every one is known.
    EXPECT_NO_THROW(make_start_provider(info.name));
    if (!info.parameters.empty())
      EXPECT_NO_THROW(make_start_provider(info.name + ":" + info.parameters)) << info.name;
    EXPECT_THAT(error_message(ErrorKind::usage, [&] { make_start_provider(info.name + ":nonsense=1"); }),
                HasSubstr("unknown key nonsense"));
  }
  EXPECT_EQ(names,
            (std::set<std::string>{"random", "input", "planar", "spectral", "snake", "fmmm", "gradient"}));
  EXPECT_THAT(error_message(ErrorKind::usage, [] { make_start_provider("fm3"); }),
              HasSubstr("unknown provider fm3; the providers are random, input"));
  EXPECT_THAT(error_message(ErrorKind::usage, [] { make_start_provider("snake:rounds=-1"); }),
              HasSubstr("out of range"));
}

}  // namespace
}  // namespace lcn
