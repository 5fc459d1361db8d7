// Groups that walk a chain speculatively against the plain chain: every bit of the replica must agree,
// whatever the number of members and their timing.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "crossings/direct_counter.hpp"
#include "crossings/oracle.hpp"
#include "crossings/validator.hpp"
#include "graph/generators.hpp"
#include "layout/admission.hpp"
#include "random/stream.hpp"
#include "search/host_group.hpp"
#include "search/population.hpp"
#include "search/team.hpp"
#include "search/weight_table.hpp"

namespace lcn {
namespace {

StreamKey key(const char* name) {
  return derive_key({9, {}, 1}, Purpose::test, name);
}

// One replica with `members` counters over one drawing.
template <class Index, bool Exact, class Team>
class Replica {
 public:
  using Counter = DirectCounter<Index, Exact, Team>;

  Replica(const Graph& graph, const Grid& grid, const Drawing& start, int members)
      : edges_(direct_edges<Index>(graph)),
        counts_(static_cast<std::size_t>(graph.m())),
        pending_(static_cast<std::size_t>(members), std::vector<typename Index::Count>(counts_.size())),
        star_(static_cast<std::size_t>(members)),
        star_changes_(static_cast<std::size_t>(members)) {
    for (const Point& p : start)
      points_.push_back({static_cast<std::int32_t>(p.x), static_cast<std::int32_t>(p.y)});
    for (VertexId v = 0; v < graph.n(); ++v)
      if (graph.degree(v) == 0) isolated_.push_back(v);
    for (std::size_t k = 0; k < pending_.size(); ++k)
      counters.emplace_back(DirectArrays<Index>{graph.n(), graph.m(), edges_.data(), graph.offsets().data(),
                                                graph.incidences().data(), isolated_.data(),
                                                static_cast<std::int32_t>(isolated_.size()), grid.width,
                                                grid.height, points_.data(), counts_.data(),
                                                pending_[k].data(), star_[k].data(), star_changes_[k].data()},
                            team);
    counters.front().recount();
    for (Counter& counter : counters) counter.set_tuple(counters.front().tuple());
    scalars.vertex_bandit.reset(kVertexArms);
    scalars.position_bandit.reset(kPositionArms);
    scalars.best = counters.front().tuple();
    save_best();
  }

  void save_best() { best_ = points_; }

  Drawing drawing() const {
    Drawing drawing;
    for (const GridPoint& p : points_) drawing.push_back({p.x, p.y});
    return drawing;
  }

  // Everything, as numbers.
  std::vector<std::int64_t> state() const {
    std::vector<std::int64_t> values;
    for (const auto* points : {&points_, &best_})
      for (const GridPoint& p : *points) values.insert(values.end(), {p.x, p.y});
    values.insert(values.end(), counts_.begin(), counts_.end());
    const ChainScalars& s = scalars;
    for (const Tuple& t : {counters.front().tuple(), s.best})
      values.insert(values.end(), {t.K, t.n_K, t.Phi, t.C});
    for (const Bandit* bandit : {&s.vertex_bandit, &s.position_bandit})
      for (int a = 0; a < kMaxArms; ++a)
        values.insert(values.end(),
                      {bandit->weight[a], bandit->score[a], bandit->tried[a], bandit->improved[a]});
    values.insert(values.end(), {s.best_step, s.attempted, s.valid, s.evaluated, s.accepted});
    return values;
  }

  Team team;
  std::vector<Counter> counters;
  ChainScalars scalars;

 private:
  std::vector<typename Index::Ends> edges_;
  std::vector<GridPoint> points_, best_;
  std::vector<typename Index::Count> counts_;
  std::vector<std::vector<typename Index::Count>> pending_;
  std::vector<std::int32_t> isolated_;
  std::vector<std::array<StarEdge, kStarCapacity>> star_;
  std::vector<std::array<std::int32_t, kStarCapacity>> star_changes_;
};

struct Work {
  Graph graph;
  Grid grid;
  Drawing start;
  double temperature;
  std::vector<std::int64_t> rounds;
};

Work make_work(Graph graph, Grid grid, double temperature) {
  Work work{std::move(graph), grid, {}, temperature, {1, 3, 63, 64, 65, 200, 0, 137}};
  Stream stream(key("drawing"));
  Drawing points(static_cast<std::size_t>(work.graph.n()));
  for (Point& p : points) p = {stream.between(0, grid.width), stream.between(0, grid.height)};
  work.start = admit(work.graph, grid, points, StreamKey{1, 2}).drawing;
  return work;
}

// Calls run(round) for every round of the work, energies in turn.
template <class Run>
void walk(const Work& work, Run&& run) {
  const std::vector<std::int64_t> linear = linear_table(work.graph.m()),
                                  power = power_table(work.graph.m(), 12, 20.0, 0.01);
  std::int64_t step = 0;
  for (std::size_t i = 0; i < work.rounds.size(); ++i) {
    const ChainRound round{key("chain"),
                           3,
                           step,
                           work.rounds[i],
                           i % 4 != 1,
                           to_fixed(work.temperature),
                           i % 3 == 2 ? EnergyKind::tuple : EnergyKind::table,
                           (i % 2 == 0 ? linear : power).data(),
                           neg_log_table().entries.data()};
    run(round);
    step += work.rounds[i];
  }
}

template <class Index, bool Exact, int Lanes>
void expect_equal(const Work& work) {
  using Team = HostTeam<Lanes>;
  using One = Replica<Index, Exact, Team>;
  const ProposalGraphData data(work.graph, work.grid);
  One plain(work.graph, work.grid, work.start, 1);
  std::vector<std::vector<std::int64_t>> expected;
  walk(work, [&](const ChainRound& round) {
    run_chain(data.view(), plain.counters.front(), plain.team, round, plain.scalars,
              [&] { plain.save_best(); });
    expected.push_back(plain.state());
  });
  ASSERT_GT(plain.scalars.accepted, 5);
  ASSERT_LT(plain.scalars.accepted, plain.scalars.attempted);
  EXPECT_EQ(plain.counters.front().tuple(), oracle_tuple(work.graph, plain.drawing()));
  EXPECT_TRUE(validate(work.graph, work.grid, plain.drawing()).valid());

  for (const int members : {1, 2, 4, 15, 32}) {
    One replica(work.graph, work.grid, work.start, members);
    HostGroup<typename One::Counter, Team> group(replica.counters, replica.team,
                                                 key(members % 2 == 0 ? "even" : "odd"));
    std::size_t i = 0;
    walk(work, [&](const ChainRound& round) {
      run_chain_group(data.view(), group, round, replica.scalars, [&] { replica.save_best(); });
      ASSERT_EQ(replica.state(), expected[i++]) << members << " members, T = " << work.temperature;
    });
    // Steps were tested that did not count, or the test would show nothing.
    if (members == 1)
      EXPECT_EQ(group.tested(), plain.scalars.attempted);
    else
      EXPECT_GT(group.tested(), plain.scalars.attempted);
  }
}

TEST(Group, EqualsThePlainChain) {
  for (const double temperature : {0.05, 1.0, 20.0}) {
    const Graph graph = generate_graph("barabasi-albert", {{"n", 40}, {"m", 3}}, 3).graph;
    expect_equal<CompactIndex, true, 32>(make_work(graph, {200, 180}, temperature));
    expect_equal<CompactIndex, false, 32>(make_work(graph, {1'000'000, 1'000'000}, temperature));
    expect_equal<WideIndex, false, 1>(make_work(graph, {1 << 29, 1 << 28}, temperature));
  }
}

TEST(Group, EqualsThePlainChainOnACrowdedGrid) {
  std::vector<Edge> edges;
  for (VertexId v = 1; v <= 20; ++v) edges.push_back({0, v});
  for (VertexId v = 1; v < 20; ++v) edges.push_back({v, v % 2 == 0 ? v + 1 : (v + 7) % 20 + 1});
  expect_equal<CompactIndex, true, 32>(make_work(Graph::from_edges(26, edges), {9, 8}, 3.0));
}

}  // namespace
}  // namespace lcn
