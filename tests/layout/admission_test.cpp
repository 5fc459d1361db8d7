#include "layout/admission.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "crossings/oracle.hpp"
#include "io/contest_json.hpp"
#include "layout/conflicts.hpp"
#include "layout/fit.hpp"
#include "layout_testing.hpp"

namespace lcn {
namespace {

using testing::HasSubstr;

TEST(Occupancy, NearestFreePointEqualsAScanOfTheGrid) {
  for (const Grid grid : {Grid{6, 4}, Grid{3000, 3000}}) {  // a table, and a hash map
    Occupancy occupancy(grid, 1);
    Stream stream({1, 2});
    const Point centre{3, 2};
    std::int64_t radius = 0;
    for (int i = 0; i < 35; ++i) {
      Point best{-1, -1};
      std::int64_t best_distance = std::numeric_limits<std::int64_t>::max();
      for (std::int64_t y = 0; y <= std::min<std::int64_t>(grid.height, 20); ++y) {
        for (std::int64_t x = 0; x <= std::min<std::int64_t>(grid.width, 20); ++x) {
          const std::int64_t distance = (x - centre.x) * (x - centre.x) + (y - centre.y) * (y - centre.y);
          if (occupancy.at({x, y}) != Occupancy::kFree || distance >= best_distance) continue;
          best = {x, y};
          best_distance = distance;
        }
      }
      std::int64_t from_zero = 0;
      ASSERT_EQ(occupancy.nearest_free(centre, from_zero), best) << i;
      ASSERT_EQ(occupancy.nearest_free(centre, radius), best) << i;
      occupancy.set(best, i);
      EXPECT_EQ(occupancy.at(best), i);
    }
    occupancy.set({5, 1}, Occupancy::kFree);
    EXPECT_EQ(occupancy.at({5, 1}), Occupancy::kFree);
  }
}

TEST(Conflicts, CountsEqualTheValidators) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const VertexId n = 12;
    // Large grids with few columns make edges with more lattice points than vertices.
    const Grid grid = seed % 3 == 0 ? Grid{5, 5} : seed % 3 == 1 ? Grid{2, 100'000} : Grid{40, 40};
    const Graph graph = random_graph(n, 20, seed);
    ConflictState state(graph, grid);
    Stream stream({3, seed});
    for (VertexId v = 0; v < n; ++v) {
      std::int64_t radius = 0;
      const Point p{stream.between(0, grid.width), stream.between(0, std::min<std::int64_t>(grid.height, 8)) *
                                                       std::max<std::int64_t>(grid.height / 8, 1)};
      state.place(v, state.occupancy().nearest_free({p.x, std::min(p.y, grid.height)}, radius));
    }
    const std::int64_t total = validate(graph, grid, state.drawing()).totals[3];
    std::vector<Conflict> by_edge;
    for (EdgeId e = 0; e < graph.m(); ++e) state.vertices_on(e, by_edge);
    EXPECT_EQ(static_cast<std::int64_t>(by_edge.size()), total) << seed;
    // Taking the vertices away one by one takes each conflict away exactly once.
    std::int64_t removed = 0;
    for (VertexId v = 0; v < n; ++v) {
      std::vector<Conflict> found;
      state.conflicts_of(v, found);
      removed += static_cast<std::int64_t>(found.size());
      state.remove(v);
    }
    EXPECT_EQ(removed, total) << seed;
  }
}

TEST(Conflicts, SimpleGraphsWithoutCoincidenceAndTouchHaveNoOverlap) {  // the claim in conflicts.hpp
  int clean = 0;
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    const Graph graph = random_graph(5, 5, seed);
    Stream stream({5, seed});
    Drawing drawing;
    for (int v = 0; v < 5; ++v) drawing.push_back({stream.between(0, 3), stream.between(0, 2)});
    const Validation validation = validate(graph, Grid{3, 2}, drawing);
    if (validation.totals[2] + validation.totals[3] > 0) continue;
    ++clean;
    EXPECT_EQ(validation.totals[4], 0) << seed;
  }
  EXPECT_GT(clean, 20);
}

TEST(Fit, KeepsTheAspectRatioAndFillsTheGrid) {
  const Graph graph = random_graph(4, 0, 0);
  const Drawing drawing = fit_to_grid(graph, Grid{100, 100}, Layout{{-1, 1, 1, -1}, {0, 0, 1, 1}});
  EXPECT_EQ(drawing, (Drawing{{0, 25}, {100, 25}, {100, 75}, {0, 75}}));
}

TEST(Fit, StretchesEachSideWhereTheGridIsTight) {
  const Graph graph = random_graph(9, 0, 0);
  Layout layout{std::vector<double>(9, 0.0), std::vector<double>(9, 0.0)};
  layout.x = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  layout.y[8] = 0.001;
  const Drawing drawing = fit_to_grid(graph, Grid{4, 4}, layout);
  EXPECT_EQ(drawing[0], (Point{0, 0}));
  EXPECT_EQ(drawing[8], (Point{4, 4}));
}

TEST(Fit, DegenerateLayoutsGoToTheMiddle) {
  const Graph graph = random_graph(2, 0, 0);
  EXPECT_EQ(fit_to_grid(graph, Grid{10, 6}, Layout{{3, 3}, {4, 4}}), (Drawing{{5, 3}, {5, 3}}));
  EXPECT_EQ(fit_to_grid(graph, Grid{10, 6}, Layout{{3, 4}, {4, 4}}), (Drawing{{0, 3}, {10, 3}}));
  EXPECT_EQ(fit_to_grid(graph, Grid{0, 0}, Layout{{3, 4}, {4, 9}}), (Drawing{{0, 0}, {0, 0}}));
  EXPECT_TRUE(fit_to_grid(random_graph(0, 0, 0), Grid{10, 6}, Layout{}).empty());
}

TEST(Fit, IntegralLayoutsAreScaledByWholeNumbersOnly) {
  const Graph graph = random_graph(3, 0, 0);
  Layout layout{{2, 5, 3}, {1, 1, 4}, true};
  EXPECT_EQ(fit_to_grid(graph, Grid{8, 10}, layout), (Drawing{{0, 0}, {6, 0}, {2, 9}}));
  EXPECT_EQ(fit_to_grid(graph, Grid{3, 3}, layout), (Drawing{{0, 0}, {3, 0}, {1, 3}}));
  EXPECT_THAT(error_message(ErrorKind::unit,
                            [&] {
                              fit_to_grid(graph, Grid{3, 2}, layout);
                            }),
              HasSubstr("does not fit on the 3 x 2 grid"));
}

TEST(Fit, DivergedLayoutsAreRefused) {
  const Graph graph = random_graph(2, 0, 0);
  const double infinity = std::numeric_limits<double>::infinity();
  for (double value : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THAT(error_message(ErrorKind::unit,
                              [&] {
                                fit_to_grid(graph, Grid{}, Layout{{0, value}, {0, 1}});
                              }),
                HasSubstr("vertex 1"));
  EXPECT_NE(error_message(ErrorKind::internal, [&] { fit_to_grid(graph, Grid{}, Layout{{0}, {0}}); }), "");
}

TEST(Admission, ValidDrawingsComeBackUnchanged) {
  const Graph graph = Graph::from_edges(4, {{0, 1}, {1, 2}, {2, 3}, {0, 2}});
  const Drawing drawing{{0, 0}, {7, 1}, {3, 9}, {10, 10}};
  const Admission admission = admit(graph, Grid{10, 10}, drawing, kTestKey);
  EXPECT_EQ(admission.drawing, drawing);
  EXPECT_EQ(admission.repaired, 0);
}

TEST(Admission, DrawingsOffTheGridAreClampedShiftedOrScaled) {
  const Graph graph = random_graph(20, 0, 0);
  const Grid grid{100, 100};
  Drawing drawing;
  for (int v = 0; v < 20; ++v) drawing.push_back({v, (v * v) % 20});
  Drawing outlier = drawing;
  outlier[4] = {-5, std::int64_t{1} << 61};
  const Drawing clamped = admit(graph, grid, outlier, kTestKey).drawing;
  EXPECT_EQ(clamped[4], (Point{0, 100}));
  EXPECT_EQ(clamped[5], drawing[5]);

  Drawing shifted = drawing;
  for (Point& p : shifted) p = {p.x - (std::int64_t{1} << 61), p.y + 1000};
  EXPECT_EQ(admit(graph, grid, shifted, kTestKey).drawing, drawing);

  Drawing large = drawing;
  for (Point& p : large) p = {p.x * 1'000'000'000'000, p.y * 1'000'000'000'000};
  const Drawing scaled = admit(graph, grid, large, kTestKey).drawing;
  EXPECT_TRUE(is_valid(graph, grid, scaled));
  EXPECT_EQ(scaled[19], (Point{100, 13}));  // 100/19 a unit, centred: 7.9 + 5.3
}

TEST(Admission, CoincidentPointsGoToTheNearestFreeOnes) {
  const Graph graph = random_graph(5, 0, 0);
  const Admission admission =
      admit(graph, Grid{10, 10}, Drawing{{5, 5}, {5, 5}, {5, 4}, {5, 5}, {0, 0}}, kTestKey);
  EXPECT_EQ(admission.drawing, (Drawing{{5, 5}, {4, 5}, {5, 4}, {6, 5}, {0, 0}}));
  EXPECT_EQ(admission.repaired, 2);
}

TEST(Admission, FullGridsWork) {
  const Grid grid{2, 2};
  const Graph nine = random_graph(9, 0, 0);
  for (std::uint32_t seed = 0; seed < 5; ++seed)
    EXPECT_TRUE(is_valid(nine, grid, admit(nine, grid, random_layout(9, seed), kTestKey).drawing));
  EXPECT_TRUE(is_valid(nine, grid, admit(nine, grid, Drawing(9, Point{1, 1}), kTestKey).drawing));
  // Every vertex sees only part of a full grid: the search has to swap.
  const Graph sparse = random_graph(25, 24, 1);
  EXPECT_TRUE(
      is_valid(sparse, Grid{4, 4}, admit(sparse, Grid{4, 4}, random_layout(25, 2), kTestKey).drawing));
}

TEST(Admission, TinyGrids) {
  const Graph none = random_graph(0, 0, 0), one = random_graph(1, 0, 0), two = Graph::from_edges(2, {{0, 1}});
  EXPECT_TRUE(admit(none, Grid{0, 0}, Layout{}, kTestKey).drawing.empty());
  EXPECT_EQ(admit(one, Grid{0, 0}, Layout{{0.3}, {9}}, kTestKey).drawing, (Drawing{{0, 0}}));
  EXPECT_TRUE(is_valid(two, Grid{1, 0}, admit(two, Grid{1, 0}, Layout{{0, 0}, {0, 0}}, kTestKey).drawing));
  const Graph four = complete_graph(4);
  EXPECT_TRUE(is_valid(four, Grid{1, 1}, admit(four, Grid{1, 1}, Drawing(4), kTestKey).drawing));
}

TEST(Admission, RefusesAtOnceWhatCannotFit) {
  const Graph graph = random_graph(10, 0, 0);
  EXPECT_THAT(error_message(ErrorKind::unit,
                            [&] {
                              admit(graph, Grid{2, 2}, random_layout(10, 0), kTestKey);
                            }),
              HasSubstr("10 vertices do not fit on the 2 x 2 grid (it has 9 points"));
  const Graph million = Graph::from_edges(1'000'000, {});
  EXPECT_THAT(error_message(ErrorKind::unit,
                            [&] {
                              admit(million, Grid{100, 100}, Drawing(1'000'000), kTestKey);
                            }),
              HasSubstr("do not fit"));
  EXPECT_NE(error_message(ErrorKind::input, [&] { admit(graph, Grid{-1, 5}, Drawing(10), kTestKey); }), "");
}

TEST(Admission, SaysWhenTheBudgetIsSpent) {  // a triangle on a line cannot be valid
  const Graph graph = complete_graph(3);
  AdmissionOptions options;
  options.max_moves = 500;
  EXPECT_THAT(error_message(ErrorKind::unit,
                            [&] {
                              admit(graph, Grid{9, 0}, random_layout(3, 0), kTestKey, options);
                            }),
              HasSubstr("no valid drawing found within 500 candidate positions"));
}

TEST(Admission, RepairsOverlapsOnAllKindsOfGrids) {
  for (const Grid grid : {Grid{9, 9}, Grid{30, 4}, Grid{1'000'000, 1'000'000}, Grid{1 << 30, 1 << 30}}) {
    for (std::uint32_t seed = 0; seed < 10; ++seed) {
      const Graph graph = random_graph(20, 30, seed);
      for (bool line : {false, true}) {
        const Admission admission = admit(graph, grid, random_layout(20, seed, line), kTestKey);
        EXPECT_TRUE(is_valid(graph, grid, admission.drawing)) << grid.width << " " << seed;
      }
    }
  }
}

TEST(Admission, IsDeterministicInLayoutAndKey) {
  const Graph graph = random_graph(60, 120, 4);
  const Grid grid{14, 14};
  const Layout layout = random_layout(60, 4);
  const Admission first = admit(graph, grid, layout, kTestKey);
  EXPECT_GT(first.repaired, 0);
  EXPECT_EQ(admit(graph, grid, layout, kTestKey).drawing, first.drawing);
  EXPECT_NE(admit(graph, grid, layout, StreamKey{1, 1}).drawing, first.drawing);
}

TEST(Admission, LargeGraphsOnLargeGrids) {  // the contest's largest size, and a line
  const Graph graph = random_graph(10'466, 20'288, 6);
  const Grid grid;
  EXPECT_TRUE(is_valid(graph, grid, admit(graph, grid, random_layout(graph.n(), 6), kTestKey).drawing));
  const Graph smaller = random_graph(1000, 2000, 6);
  EXPECT_TRUE(is_valid(smaller, grid, admit(smaller, grid, random_layout(1000, 6, true), kTestKey).drawing));
}

class SharedInstances : public testing::TestWithParam<const char*> {};

TEST_P(SharedInstances, RandomLayoutsAreAdmitted) {
  const std::string path = std::string(LCN_SOURCE_DIR) + "/../shared/instances/" + GetParam();
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "the shared instance " << GetParam() << " is not here";
  const Instance instance = read_instance(path);
  const Layout layout = random_layout(instance.graph.n(), 9);
  const Admission admission = admit(instance.graph, instance.grid, layout, kTestKey);
  EXPECT_TRUE(is_valid(instance.graph, instance.grid, admission.drawing));
  if (instance.drawing && instance.graph.m() < 5000) {  // coincident in Automatic-7
    const Admission given = admit(instance.graph, instance.grid, *instance.drawing, kTestKey);
    EXPECT_TRUE(is_valid(instance.graph, instance.grid, given.drawing));
  }
}

INSTANTIATE_TEST_SUITE_P(Contest, SharedInstances,
                         testing::Values("contest/example-100.json", "contest/example-225.json",
                                         "contest/example-625.json", "contest/Automatic-7.json",
                                         "contest/instance_08.json", "large/waxman-1000.json",
                                         "large/sparse-5000.json"));

}  // namespace
}  // namespace lcn
