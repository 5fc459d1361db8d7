#include "io/svg.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error.hpp"

namespace lcn {
namespace {

using ::testing::HasSubstr;

TEST(Svg, TopEdgesComeLastAndCoordinatesPointUp) {
  // edge 2 crosses edges 0 and 1
  const Graph graph = Graph::from_edges(6, {{0, 1}, {2, 3}, {4, 5}});
  const Drawing drawing = {{2, 0}, {2, 10}, {4, 0}, {4, 10}, {0, 5}, {10, 6}};
  const std::string svg = drawing_svg(graph, drawing, "a<b & ü");
  EXPECT_THAT(svg, HasSubstr("a&lt;b &amp; ü  (K, n_K, Φ, C) = (2, 1, 6, 2)</title>"));
  EXPECT_THAT(svg, HasSubstr("2 (1 edge)"));
  EXPECT_LT(svg.find("class=\"c1\""), svg.find("class=\"c2\""));
  EXPECT_THAT(svg, HasSubstr("class=\"c2\" stroke=\"#d55e00\""));
  EXPECT_THAT(svg, HasSubstr("M224.0 1088.0L224.0 88.0"));  // from (2, 0) up to (2, 10)
  EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 1048 1112\""));
  EXPECT_EQ(svg, drawing_svg(graph, drawing, "a<b & ü"));
}

TEST(Svg, DegenerateDrawings) {
  EXPECT_THAT(drawing_svg(Graph{}, {}, "empty"), HasSubstr("</svg>"));
  EXPECT_THAT(drawing_svg(Graph::from_edges(1, {}), {{5, 5}}, "one"), HasSubstr("cx=\"24.0\" cy=\"88.0\""));
  const std::string line = drawing_svg(Graph::from_edges(2, {{0, 1}}), {{0, 0}, {0, 1'000'000}}, "line");
  EXPECT_THAT(line, HasSubstr("M24.0 1088.0L24.0 88.0"));
  EXPECT_THAT(line, ::testing::Not(HasSubstr("nan")));
  EXPECT_THROW(drawing_svg(Graph::from_edges(2, {}), {{0, 0}}, "short"), Error);
}

}  // namespace
}  // namespace lcn
