#include "crossings/batch_evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "random/stream.hpp"
#include "support/error.hpp"
#include "support/plural.hpp"

namespace lcn {
namespace {

std::string text_of(const Point& p) {
  return fmt::format("({}, {})", p.x, p.y);
}

void check_workload(const Grid& grid, const MoveWorkload& workload, const MoveWorkload& first,
                    std::size_t index) {
  const Graph& graph = workload.graph;
  if (graph.n() != first.graph.n() || graph.m() != first.graph.m() ||
      workload.proposals.size() != first.proposals.size())
    throw input_error(fmt::format(
        "workload {}: {}, {} and {} differ from {}, {} and {} of workload 0 (one launch needs equal shapes)",
        index, plural(graph.n(), "vertex", "vertices"), plural(graph.m(), "edge"),
        plural(workload.proposals.size(), "proposal"), first.graph.n(), first.graph.m(),
        first.proposals.size()));
  if (graph.n() == 0 || workload.proposals.empty())
    throw input_error(
        fmt::format("workload {}: nothing to move (at least one vertex and one proposal are needed)", index));
  if (workload.base.size() != static_cast<std::size_t>(graph.n()))
    throw input_error(fmt::format("workload {}: {} for {}", index, plural(workload.base.size(), "point"),
                                  plural(graph.n(), "vertex", "vertices")));
  for (std::size_t v = 0; v < workload.base.size(); ++v)
    if (!grid.contains(workload.base[v]))
      throw input_error(fmt::format("workload {}: vertex {} at {} is off the grid {} x {}", index, v,
                                    text_of(workload.base[v]), grid.width, grid.height));
  for (std::size_t p = 0; p < workload.proposals.size(); ++p) {
    const MoveProposal& move = workload.proposals[p];
    if (move.vertex < 0 || move.vertex >= graph.n())
      throw input_error(
          fmt::format("workload {}: proposal {} moves vertex {} of {}", index, p, move.vertex, graph.n()));
    if (!grid.contains(move.to))
      throw input_error(fmt::format("workload {}: proposal {} moves vertex {} to {}, off the grid {} x {}",
                                    index, p, move.vertex, text_of(move.to), grid.width, grid.height));
  }
}

// The counting itself, in the arithmetic T. Edges that share an end never cross in exact arithmetic: one of
// the four orientations is zero.
template <class T>
class PairCounter {
 public:
  PairCounter(const Graph& graph, const Drawing& drawing) : graph_(graph), points_(drawing.size()) {
    for (std::size_t v = 0; v < drawing.size(); ++v) points_[v] = convert(drawing[v]);
  }

  void move(VertexId v, const Point& to) { points_[static_cast<std::size_t>(v)] = convert(to); }

  bool cross(EdgeId e, EdgeId f) const {
    const XY a = end(graph_.edge(e).a), b = end(graph_.edge(e).b);
    const XY c = end(graph_.edge(f).a), d = end(graph_.edge(f).b);
    return segments_cross<T>(a.x, a.y, b.x, b.y, c.x, c.y, d.x, d.y);
  }

  void count_all(std::span<std::int32_t> counts) const {
    std::fill(counts.begin(), counts.end(), 0);
    for (EdgeId e = 0; e < graph_.m(); ++e)
      for (EdgeId f = e + 1; f < graph_.m(); ++f)
        if (cross(e, f)) {
          ++counts[static_cast<std::size_t>(e)];
          ++counts[static_cast<std::size_t>(f)];
        }
  }

  // Adds `sign` for every crossing that an edge of v takes part in. Edges of v never cross each other, so no
  // pair is seen twice.
  void add_incident(VertexId v, std::int32_t sign, std::span<std::int32_t> counts) const {
    for (const Incidence& moved : graph_.incident(v))
      for (EdgeId f = 0; f < graph_.m(); ++f)
        if (cross(moved.edge, f)) {
          counts[static_cast<std::size_t>(moved.edge)] += sign;
          counts[static_cast<std::size_t>(f)] += sign;
        }
  }

 private:
  struct XY {
    T x, y;
  };
  static XY convert(const Point& p) { return {static_cast<T>(p.x), static_cast<T>(p.y)}; }
  XY end(VertexId v) const { return points_[static_cast<std::size_t>(v)]; }

  const Graph& graph_;
  std::vector<XY> points_;
};

template <class Function>
auto with_arithmetic(Arithmetic arithmetic, Function function) {
  switch (arithmetic) {
    case Arithmetic::int32:
      return function(std::int32_t{});
    case Arithmetic::fp64:
      return function(double{});
    case Arithmetic::int64:
      break;
  }
  return function(std::int64_t{});
}

enum class Method { full, incremental };

template <class T>
MoveCounts evaluate(const MoveBatch& batch, std::size_t first, std::size_t number, Method method) {
  const auto m = static_cast<std::size_t>(batch.m());
  MoveCounts result;
  result.m = batch.m();
  result.counts.resize(number * batch.proposals_per_workload() * m);
  std::vector<std::int32_t> base(m);
  std::size_t evaluation = 0;
  for (std::size_t w = first; w < first + number; ++w) {
    const MoveWorkload& workload = batch.workloads()[w];
    PairCounter<T> counter(workload.graph, workload.base);
    if (method == Method::incremental) counter.count_all(base);
    for (const MoveProposal& move : workload.proposals) {
      const std::span<std::int32_t> counts(result.counts.data() + evaluation * m, m);
      if (method == Method::incremental) {
        std::copy(base.begin(), base.end(), counts.begin());
        counter.add_incident(move.vertex, -1, counts);
        counter.move(move.vertex, move.to);
        counter.add_incident(move.vertex, +1, counts);
      } else {
        counter.move(move.vertex, move.to);
        counter.count_all(counts);
      }
      counter.move(move.vertex, workload.base[static_cast<std::size_t>(move.vertex)]);
      result.tuples.push_back(tuple_of_counts(std::span<const std::int32_t>(counts)));
      ++evaluation;
    }
  }
  return result;
}

MoveCounts evaluate(const MoveBatch& batch, std::size_t first, std::size_t number, Arithmetic arithmetic,
                    Method method) {
  if (first > batch.size() || number > batch.size() - first)
    throw Error(ErrorKind::internal,
                fmt::format("workloads {}..{} of a batch of {}", first, first + number, batch.size()));
  return with_arithmetic(arithmetic,
                         [&](auto zero) { return evaluate<decltype(zero)>(batch, first, number, method); });
}

Point random_point(Stream& stream, const Grid& grid) {
  const std::int64_t x = stream.between(0, grid.width);
  return {x, stream.between(0, grid.height)};
}

// The pair a < b at place k = b (b - 1) / 2 + a of all pairs.
Edge pair_at(std::int64_t k) {
  auto b = static_cast<std::int64_t>((1 + std::sqrt(1 + 8 * static_cast<double>(k))) / 2);
  while (b * (b - 1) / 2 > k) --b;
  while (b * (b + 1) / 2 <= k) ++b;
  return {static_cast<VertexId>(k - b * (b - 1) / 2), static_cast<VertexId>(b)};
}

// m distinct pairs of n vertices by Floyd's sampling (Bentley and Floyd 1987): m draws at every density.
std::vector<Edge> sample_edges(Stream& stream, std::int64_t n, std::int64_t m) {
  const std::int64_t pairs = n * (n - 1) / 2;
  std::unordered_set<std::int64_t> seen;  // asked for membership only: its order decides nothing
  std::vector<Edge> edges;
  for (std::int64_t last = pairs - m; last < pairs; ++last) {
    const std::int64_t drawn = stream.between(0, last);
    const std::int64_t chosen = seen.insert(drawn).second ? drawn : last;
    if (chosen == last) seen.insert(last);
    edges.push_back(pair_at(chosen));
  }
  return edges;
}

}  // namespace

MoveBatch::MoveBatch(Grid grid, std::vector<MoveWorkload> workloads)
    : grid_(grid), workloads_(std::move(workloads)), arithmetic_(choose_arithmetic(grid)) {
  if (workloads_.empty()) throw input_error("a batch without workloads (at least one is needed)");
  for (std::size_t w = 0; w < workloads_.size(); ++w)
    check_workload(grid_, workloads_[w], workloads_.front(), w);
}

std::vector<std::int32_t> count_crossings(const Graph& graph, const Drawing& drawing, Arithmetic arithmetic) {
  std::vector<std::int32_t> counts(static_cast<std::size_t>(graph.m()));
  with_arithmetic(arithmetic,
                  [&](auto zero) { PairCounter<decltype(zero)>(graph, drawing).count_all(counts); });
  return counts;
}

MoveCounts evaluate_full(const MoveBatch& batch, std::size_t first, std::size_t number,
                         Arithmetic arithmetic) {
  return evaluate(batch, first, number, arithmetic, Method::full);
}

MoveCounts evaluate_incremental(const MoveBatch& batch, std::size_t first, std::size_t number,
                                Arithmetic arithmetic) {
  return evaluate(batch, first, number, arithmetic, Method::incremental);
}

MoveBatch random_move_batch(const RandomBatchShape& shape, const Grid& grid, StreamKey key) {
  const std::int64_t n = shape.vertices;
  if (n < 1 || shape.edges < 0 || shape.edges > n * (n - 1) / 2)
    throw input_error(fmt::format("a simple graph with {} and {} does not exist (at most n(n-1)/2 edges)",
                                  plural(n, "vertex", "vertices"), plural(shape.edges, "edge")));
  (void)choose_arithmetic(grid);  // a grid without points is refused before points are drawn
  std::vector<MoveWorkload> workloads(shape.workloads);
  for (std::size_t w = 0; w < shape.workloads; ++w) {
    Stream stream(key, static_cast<std::uint32_t>(w));
    std::vector<Edge> edges = sample_edges(stream, shape.vertices, shape.edges);
    stream.shuffle(edges);
    MoveWorkload& workload = workloads[w];
    workload.graph = Graph::from_edges(shape.vertices, std::move(edges));
    for (VertexId v = 0; v < n; ++v) workload.base.push_back(random_point(stream, grid));
    for (std::size_t p = 0; p < shape.proposals; ++p) {
      const auto v = static_cast<VertexId>(stream.below(static_cast<std::uint32_t>(n)));
      workload.proposals.push_back({v, random_point(stream, grid)});
    }
  }
  return MoveBatch(grid, std::move(workloads));
}

}  // namespace lcn
