// Both incremental counters against the oracle and the validator, after every move or every so many.
#include "crossings/bit_counter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "crossings/direct_counter.hpp"
#include "crossings/oracle.hpp"
#include "crossings/validator.hpp"
#include "graph/generators.hpp"
#include "layout/admission.hpp"
#include "random/stream.hpp"
#include "search/team.hpp"

namespace lcn {
namespace {

struct Case {
  const char* name;
  Graph graph;
  Grid grid;
  int moves;
  int check_every;         // oracle and validator after every so many moves
  bool collinear = false;  // proposals on a few rows and columns
};

Drawing random_valid_drawing(const Graph& graph, const Grid& grid, Stream& stream) {
  Drawing points(static_cast<std::size_t>(graph.n()));
  for (Point& p : points) p = {stream.between(0, grid.width), stream.between(0, grid.height)};
  return admit(graph, grid, points, StreamKey{1, 2}).drawing;
}

Graph hub_graph(int leaves) {
  std::vector<Edge> edges;
  for (int v = 1; v <= leaves; ++v) edges.push_back({0, v});
  for (int v = 1; v < leaves; ++v)
    if (v % 3 == 0) edges.push_back({v, v + 1});
  return Graph::from_edges(leaves + 3, edges);  // two isolated vertices
}

Graph random_graph(int n, int m, std::uint64_t seed) {
  Stream stream(derive_key({seed, {}, 1}, Purpose::test));
  std::vector<Edge> edges;
  std::vector<std::vector<bool>> joined(static_cast<std::size_t>(n),
                                        std::vector<bool>(static_cast<std::size_t>(n)));
  while (static_cast<int>(edges.size()) < m) {
    const auto a = static_cast<VertexId>(stream.below(static_cast<std::uint32_t>(n)));
    const auto b = static_cast<VertexId>(stream.below(static_cast<std::uint32_t>(n)));
    if (a == b || joined[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)]) continue;
    joined[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] =
        joined[static_cast<std::size_t>(b)][static_cast<std::size_t>(a)] = true;
    edges.push_back({a, b});
  }
  return Graph::from_edges(n, edges);
}

template <class Counter>
void expect_oracle(const Graph& graph, const Grid& grid, const Counter& counter, const Drawing& drawing) {
  const std::vector<std::int64_t> expected = oracle_counts(graph, drawing);
  for (EdgeId e = 0; e < graph.m(); ++e)
    ASSERT_EQ(counter.count(e), expected[static_cast<std::size_t>(e)]) << "edge " << e;
  ASSERT_EQ(counter.tuple(), tuple_of_counts<std::int64_t>(expected));
  ASSERT_TRUE(validate(graph, grid, drawing).valid());
}

template <class T>
void walk(const Case& c, CrossingStore store) {
  Stream stream(derive_key({7, {}, 1}, Purpose::test, c.name));
  Drawing drawing = random_valid_drawing(c.graph, c.grid, stream);
  BitCounter<T> counter(c.graph, c.grid, store);
  counter.load(drawing);
  expect_oracle(c.graph, c.grid, counter, drawing);
  std::vector<std::int64_t> table(static_cast<std::size_t>(c.graph.m()) + 1);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<std::int64_t>(i * i);
  int committed = 0, refused = 0;
  for (int move = 0; move < c.moves; ++move) {
    const auto v = static_cast<VertexId>(stream.below(static_cast<std::uint32_t>(c.graph.n())));
    Point p{stream.between(0, c.grid.width), stream.between(0, c.grid.height)};
    if (stream.below(2) == 0) {  // local
      const std::int64_t r = std::max<std::int64_t>(1, c.grid.width / 50);
      p = {std::clamp<std::int64_t>(counter.x(v) + stream.between(-r, r), 0, c.grid.width),
           std::clamp<std::int64_t>(counter.y(v) + stream.between(-r, r), 0, c.grid.height)};
    }
    if (c.collinear) {
      p.x = p.x / 8 * 8;
      p.y = p.y / 8 * 8;
    }
    if (p.x == counter.x(v) && p.y == counter.y(v)) continue;
    const Tuple before = counter.tuple();
    const bool valid = counter.evaluate(v, static_cast<std::int32_t>(p.x), static_cast<std::int32_t>(p.y));
    if (c.check_every == 1) {
      Drawing moved = drawing;
      moved[static_cast<std::size_t>(v)] = p;
      ASSERT_EQ(valid, validate(c.graph, c.grid, moved, 1).valid()) << c.name << " move " << move;
      if (valid) {
        ASSERT_EQ(counter.pending_tuple(), oracle_tuple(c.graph, moved));
      }
    }
    if (!valid) {
      ++refused;
      continue;
    }
    const std::int64_t change = counter.energy_change(table.data());
    if (stream.below(3) == 0) {
      counter.discard();
      ASSERT_EQ(counter.tuple(), before);
    } else {
      counter.commit();
      ++committed;
      drawing[static_cast<std::size_t>(v)] = p;
      ASSERT_EQ(counter.tuple().Phi - before.Phi, change);
    }
    if ((move + 1) % c.check_every == 0) expect_oracle(c.graph, c.grid, counter, drawing);
    if (::testing::Test::HasFatalFailure()) return;
  }
  expect_oracle(c.graph, c.grid, counter, drawing);
  EXPECT_GT(committed, c.moves / 20);
  if (c.collinear) {
    EXPECT_GT(refused, 0);
  }
}

std::vector<Case> cases() {
  std::vector<Case> list;
  list.push_back({"random", random_graph(30, 60, 1), {1000, 1000}, 4000, 1});
  list.push_back({"random-large", random_graph(200, 600, 2), {1'000'000, 1'000'000}, 100000, 1000});
  list.push_back({"dense", random_graph(24, 200, 3), {2000, 1500}, 1500, 1});
  list.push_back({"tiny-grid", random_graph(20, 30, 4), {9, 11}, 6000, 1});
  list.push_back({"hub-heavy", hub_graph(70), {300, 300}, 1500, 1});
  list.push_back({"large-hub", hub_graph(300), {5000, 5000}, 300, 1});
  list.push_back({"collinear-heavy", random_graph(25, 40, 5), {160, 160}, 5000, 1, true});
  return list;
}

TEST(BitCounter, EqualsOracleAfterRandomMoves) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    if (c.grid.width <= 2896) walk<float>(c, CrossingStore::matrix);
    walk<double>(c, CrossingStore::matrix);
    if (HasFatalFailure()) return;
  }
}

// Small graphs of every kind, checked against oracle and validator after each of 100,000 moves.
TEST(BitCounter, EqualsOracleAfterEachOfAHundredThousandMoves) {
  std::vector<Case> list;
  list.push_back({"small-random", random_graph(12, 18, 11), {1000, 1000}, 100000, 1});
  list.push_back({"small-dense", random_graph(9, 32, 12), {500, 400}, 100000, 1});
  list.push_back({"small-tiny-grid", random_graph(9, 12, 13), {7, 8}, 100000, 1});
  list.push_back({"small-hub", hub_graph(14), {100, 100}, 100000, 1});
  list.push_back({"small-collinear", random_graph(10, 14, 14), {120, 120}, 100000, 1, true});
  for (const Case& c : list) {
    SCOPED_TRACE(c.name);
    walk<double>(c, CrossingStore::matrix);
    if (HasFatalFailure()) return;
  }
}

TEST(BitCounter, RecountAndWideIntegersEqualOracle) {
  for (Case c : cases()) {
    SCOPED_TRACE(c.name);
    c.moves = std::min(c.moves, 2000);
    walk<double>(c, CrossingStore::recount);
    walk<std::int64_t>(c, CrossingStore::matrix);
    if (HasFatalFailure()) return;
  }
}

TEST(BitCounter, ExactAtTheBordersOfArithmetic) {
  // Two long edges whose crossing depends on one unit at the far corner of the grid.
  const Graph graph = Graph::from_edges(4, {{0, 1}, {2, 3}});
  const auto check = [&](auto zero, std::int64_t side) {
    using T = decltype(zero);
    const Grid grid{side, side};
    BitCounter<T> counter(graph, grid, CrossingStore::matrix);
    const Drawing start{{0, 0}, {side, side - 1}, {side, side}, {1, 0}};
    counter.load(start);
    EXPECT_EQ(counter.tuple(), oracle_tuple(graph, start)) << side;
    for (const Point& p : {Point{side - 1, side - 1}, Point{side - 1, side - 2}, Point{0, side},
                           Point{side, 0}, Point{2, 1}}) {
      Drawing moved = start;
      moved[2] = p;
      const bool valid = validate(graph, grid, moved).valid();
      ASSERT_EQ(counter.evaluate(2, static_cast<std::int32_t>(p.x), static_cast<std::int32_t>(p.y)), valid)
          << side;
      if (!valid) continue;
      EXPECT_EQ(counter.pending_tuple(), oracle_tuple(graph, moved)) << side;
      counter.discard();
    }
  };
  check(0.0f, 2896);
  check(0.0, std::int64_t{1} << 26);
  check(std::int64_t{0}, std::int64_t{1} << 30);
}

// The device's counter with emulated teams makes the same decisions, move by move.
template <class Index, bool Exact, int Lanes>
void compare_direct(const Case& c) {
  Stream stream(derive_key({9, {}, 1}, Purpose::test, c.name));
  const Drawing start = random_valid_drawing(c.graph, c.grid, stream);
  BitCounter<double> bits(c.graph, c.grid, CrossingStore::matrix);
  bits.load(start);
  std::vector<GridPoint> points;
  for (const Point& at : start)
    points.push_back({static_cast<std::int32_t>(at.x), static_cast<std::int32_t>(at.y)});
  const auto edges = direct_edges<Index>(c.graph);
  std::vector<typename Index::Count> counts(edges.size()), pending(edges.size());
  std::vector<StarEdge> star(kStarCapacity);
  std::vector<std::int32_t> star_changes(kStarCapacity), isolated;
  for (VertexId v = 0; v < c.graph.n(); ++v)
    if (c.graph.degree(v) == 0) isolated.push_back(v);
  const DirectArrays<Index> arrays{c.graph.n(),
                                   c.graph.m(),
                                   edges.data(),
                                   c.graph.offsets().data(),
                                   c.graph.incidences().data(),
                                   isolated.data(),
                                   static_cast<std::int32_t>(isolated.size()),
                                   c.grid.width,
                                   c.grid.height,
                                   points.data(),
                                   counts.data(),
                                   pending.data(),
                                   star.data(),
                                   star_changes.data()};
  const HostTeam<Lanes> team;
  DirectCounter<Index, Exact, HostTeam<Lanes>> direct(arrays, team);
  direct.recount();
  ASSERT_EQ(direct.tuple(), bits.tuple());
  for (int move = 0; move < std::min(c.moves, 800); ++move) {
    const auto v = static_cast<VertexId>(stream.below(static_cast<std::uint32_t>(c.graph.n())));
    Point p{stream.between(0, c.grid.width), stream.between(0, c.grid.height)};
    if (c.collinear) p = {p.x / 8 * 8, p.y / 8 * 8};
    const auto px = static_cast<std::int32_t>(p.x), py = static_cast<std::int32_t>(p.y);
    if (px == bits.x(v) && py == bits.y(v)) continue;
    const bool valid = bits.evaluate(v, px, py);
    ASSERT_EQ(direct.evaluate(v, px, py), valid) << "move " << move;
    if (!valid) continue;
    ASSERT_EQ(direct.pending_tuple(), bits.pending_tuple());
    if (move % 3 == 0) {
      bits.discard();
      direct.discard();
    } else {
      bits.commit();
      direct.commit();
    }
    ASSERT_EQ(std::vector<std::int32_t>(counts.begin(), counts.end()), bits.counts());
  }
}

TEST(DirectCounter, EqualsBitCounterWithTeamsOf1And32And128) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    compare_direct<CompactIndex, false, 1>(c);
    compare_direct<CompactIndex, false, 32>(c);
    compare_direct<WideIndex, false, 128>(c);
    if (std::max(c.grid.width, c.grid.height) <= kMaxDifferenceFp32)
      compare_direct<CompactIndex, true, 128>(c);
    if (HasFatalFailure()) return;
  }
}

TEST(RowKernels, EveryInstructionSetGivesTheSameBits) {
  Stream stream(derive_key({11, {}, 1}, Purpose::test));
  constexpr int words = 3, size = 64 * words;
  std::vector<double> ax(size), ay(size), bx(size), by(size);
  for (int f = 0; f < size; ++f)
    for (auto* array : {&ax, &ay, &bx, &by})
      (*array)[static_cast<std::size_t>(f)] = static_cast<double>(stream.between(0, 40));
  const auto run = [&](const RowKernels<double>& k) {
    std::vector<double> r0(size), r1(size), r2(size), r3(size), side(size);
    std::vector<std::uint64_t> zero(words), cross(words), touch(words);
    k.relative(ax.data(), ay.data(), bx.data(), by.data(), 20, 21, words, r0.data(), r1.data(), r2.data(),
               r3.data(), side.data(), zero.data());
    k.row(r0.data(), r1.data(), r2.data(), r3.data(), side.data(), -7, 9, words, cross.data(), touch.data());
    std::vector<std::uint64_t> bits = zero;
    bits.insert(bits.end(), cross.begin(), cross.end());
    bits.insert(bits.end(), touch.begin(), touch.end());
    return bits;
  };
  const auto expected = run(detail::portable_double);
  EXPECT_NE(expected, std::vector<std::uint64_t>(3 * words, 0));
  EXPECT_EQ(run(row_kernels<double>()), expected);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    EXPECT_EQ(run(detail::avx2_double), expected);
  }
#endif
}

}  // namespace
}  // namespace lcn
