#include "jobs/backends.hpp"

#include <gtest/gtest.h>

#include "graph/generators.hpp"

namespace lcn {
namespace {

TEST(Backends, GradientLayoutsFollowTheBudgetAndTheGraph) {
  const Graph contest = generate_graph("barabasi-albert", {{"n", 600}, {"m", 3}}, 1).graph;
  const Graph dense = generate_graph("complete", {{"n", 260}}, 1).graph;  // 33,670 edges
  // As measured: 528 layouts of 1,804 edges and 700 epochs take 2.4 s on 132 multiprocessors, their starts 5
  // s on 16 threads.
  EXPECT_GT(gradient_layouts_within(contest, 700, 10, 132, 16), 512);
  EXPECT_LT(gradient_layouts_within(contest, 700, 1, 132, 16), 512);
  EXPECT_LT(gradient_layouts_within(dense, 700, 10, 132, 16), 10);
  EXPECT_EQ(gradient_layouts_within(dense, 700, 1, 132, 16), 0);
  EXPECT_GT(gradient_layouts_within(dense, 700, 10, 132, 16),
            gradient_layouts_within(dense, 700, 10, 66, 16));
  EXPECT_GT(gradient_layouts_within(contest, 0, 1, 1, 1), 0);
}

TEST(Backends, CpuIsThereWithoutAGpu) {
  EXPECT_EQ(backend_of("cpu").name, "cpu");
}

}  // namespace
}  // namespace lcn
