#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "crossings/validator.hpp"
#include "layout/layout.hpp"
#include "random/stream.hpp"
#include "support/error.hpp"

namespace lcn {

inline constexpr StreamKey kTestKey{11, 22};

// min(m, n (n - 1) / 2) different edges.
inline Graph random_graph(VertexId n, int m, std::uint32_t seed) {
  Stream stream({17, seed});
  std::vector<Edge> edges;
  std::vector<std::vector<char>> joined(static_cast<std::size_t>(n),
                                        std::vector<char>(static_cast<std::size_t>(n), 0));
  const std::int64_t most = std::int64_t{n} * (n - 1) / 2;
  while (static_cast<std::int64_t>(edges.size()) < std::min<std::int64_t>(m, most)) {
    const auto a = static_cast<VertexId>(stream.between(0, n - 1)),
               b = static_cast<VertexId>(stream.between(0, n - 1));
    char& mark = joined[static_cast<std::size_t>(std::min(a, b))][static_cast<std::size_t>(std::max(a, b))];
    if (a == b || mark) continue;
    mark = 1;
    edges.push_back({a, b});
  }
  return Graph::from_edges(n, std::move(edges));
}

inline Graph complete_graph(VertexId n) {
  std::vector<Edge> edges;
  for (VertexId a = 0; a < n; ++a) {
    for (VertexId b = a + 1; b < n; ++b) edges.push_back({a, b});
  }
  return Graph::from_edges(n, std::move(edges));
}

// A random maximal planar graph (3n - 6 edges): each vertex after the third goes into a face.
inline Graph random_triangulation(VertexId n, std::uint32_t seed) {
  Stream stream({19, seed});
  std::vector<Edge> edges{{0, 1}, {1, 2}, {2, 0}};
  std::vector<std::vector<VertexId>> faces{{0, 1, 2}, {0, 1, 2}};
  for (VertexId v = 3; v < n; ++v) {
    const std::size_t at = stream.below(static_cast<std::uint32_t>(faces.size()));
    const std::vector<VertexId> face = faces[at];
    for (VertexId corner : face) edges.push_back({corner, v});
    faces[at] = {face[0], face[1], v};
    faces.push_back({face[1], face[2], v});
    faces.push_back({face[2], face[0], v});
  }
  return Graph::from_edges(n, std::move(edges));
}

// All vertices uniform in the unit square, or on one line.
inline Layout random_layout(VertexId n, std::uint32_t seed, bool on_a_line = false) {
  Stream stream({23, seed});
  Layout layout;
  for (VertexId v = 0; v < n; ++v) {
    layout.x.push_back(stream.real());
    layout.y.push_back(on_a_line ? 0 : stream.real());
  }
  return layout;
}

// The message of the Error of this kind that the action throws.
template <class Action>
std::string error_message(ErrorKind kind, Action action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

inline testing::AssertionResult is_valid(const Graph& graph, const Grid& grid, const Drawing& drawing) {
  const Validation validation = validate(graph, grid, drawing);
  if (validation.valid()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "V1 " << validation.totals[1] << ", V2 " << validation.totals[2]
                                     << ", V3 " << validation.totals[3] << ", V4 " << validation.totals[4];
}

}  // namespace lcn
