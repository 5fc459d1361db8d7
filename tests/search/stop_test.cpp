// Long work on large graphs gives up soon after it is asked to, whatever it is at.
#include "support/stop.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <string>

#include "crossings/bit_counter.hpp"
#include "crossings/oracle.hpp"
#include "crossings/validator.hpp"
#include "graph/generators.hpp"
#include "layout/admission.hpp"
#include "search/solve.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

// 20,000 vertices and 200,000 edges: to count a drawing's crossings, to verify it, or to make it valid on the
// crowded grid takes from ten seconds to hours.
const Graph& large_graph() {
  static const Graph graph = generate_graph("barabasi-albert", {{"n", 20'000}, {"m", 10}}, 3).graph;
  return graph;
}
constexpr Grid kWide{1'000'000, 1'000'000}, kCrowded{200, 200};

Drawing random_drawing(const Grid& grid) {
  Stream stream({7, 1});
  Drawing drawing(static_cast<std::size_t>(large_graph().n()));
  for (Point& p : drawing) p = {stream.between(0, grid.width), stream.between(0, grid.height)};
  return drawing;
}

// Seconds of the processor until `work` gave up, after it was asked to at `after`.
double seconds_to_give_up(const std::function<void(const StopFunction&)>& work, double after) {
  const std::clock_t start = std::clock();
  const auto seconds = [&] { return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; };
  EXPECT_THROW(work([&] { return seconds() > after; }), Stopped);
  return seconds() - after;
}

TEST(Stop, EndsCountsChecksAndAdmission) {
  const Drawing drawing = random_drawing(kWide), crowd = random_drawing(kCrowded);
  BitCounter<double> counter(large_graph(), kWide, CrossingStore::recount);
  EXPECT_LT(seconds_to_give_up([&](const StopFunction& stop) { counter.load(drawing, stop); }, 0.2), 2);
  EXPECT_LT(
      seconds_to_give_up([&](const StopFunction& stop) { oracle_tuple(large_graph(), drawing, stop); }, 0.2),
      2);
  EXPECT_LT(seconds_to_give_up(
                [&](const StopFunction& stop) { validate(large_graph(), kWide, drawing, 100, stop); }, 0.1),
            2);
  for (const double after : {0.0, 0.05, 0.5}) {
    AdmissionOptions options;
    const auto work = [&](const StopFunction& stop) {
      options.stop = stop;
      admit(large_graph(), kCrowded, crowd, {1, 2}, options);
    };
    EXPECT_LT(seconds_to_give_up(work, after), 2) << after;
  }
}

TEST(Stop, BeingAskedChangesNothing) {
  const Graph graph = generate_graph("barabasi-albert", {{"n", 300}, {"m", 20}}, 3).graph;
  Drawing wanted = random_drawing({60, 60});
  wanted.resize(static_cast<std::size_t>(graph.n()));
  int asked = 0;
  AdmissionOptions options;
  options.stop = [&] { return ++asked < 0; };
  const Grid grid{60, 60};
  const Drawing admitted = admit(graph, grid, wanted, {1, 2}, options).drawing;
  EXPECT_EQ(admitted, admit(graph, grid, wanted, {1, 2}).drawing);
  EXPECT_EQ(oracle_tuple(graph, admitted, options.stop), oracle_tuple(graph, admitted));
  EXPECT_GT(asked, 0);
}

TEST(Stop, InterruptsAUnitBeforeItsSearch) {
  for (const Grid& grid : {kWide, kCrowded}) {
    const SolveInput input{large_graph(), grid, nullptr, SeedPath{5, sha256("stop"), 1},
                           LowerBound{},  {},   nullptr};
    SolveOptions options;
    options.time_limited = false;
    options.steps = 100;
    options.start = "random";
    options.replicas = 2;
    const std::clock_t start = std::clock();
    const auto seconds = [&] { return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; };
    SolveCallbacks callbacks;
    callbacks.stop = [&] { return seconds() > 1.5; };
    const SolveResult result = solve(input, options, callbacks);
    EXPECT_EQ(result.status, "interrupted");
    EXPECT_TRUE(result.best.empty());
    EXPECT_TRUE(result.checkpoint.empty());
    EXPECT_LT(seconds(), 4);
  }
}

// The first drawing may take a little longer than the time; then the reason is told.
TEST(Stop, AUnitWithoutTimeForItsFirstDrawingFails) {
  for (const Grid& grid : {kWide, kCrowded}) {
    const SolveInput input{large_graph(), grid, nullptr, SeedPath{5, sha256("stop"), 1},
                           LowerBound{},  {},   nullptr};
    SolveOptions options;
    options.time = 0.01;
    options.start = "random";
    options.replicas = 2;
    try {
      solve(input, options);
      ADD_FAILURE() << "in time";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unit);
      EXPECT_NE(std::string(error.what()).find("more --time"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace lcn
