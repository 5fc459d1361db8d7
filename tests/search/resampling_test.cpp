// Resampling and elite sharing on a population whose energies are known.
#include "search/resampling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "graph/generators.hpp"
#include "layout/admission.hpp"
#include "random/stream.hpp"

namespace lcn {
namespace {

class Resampled : public ::testing::Test {
 protected:
  static constexpr int kReplicas = 16;
  Resampled()
      : generated_(generate_graph("regular", {{"n", 20}, {"d", 4}}, 1)),
        table_(linear_table(generated_.graph.m())) {
    population_ = make_cpu_population(generated_.graph, {400, 400}, kReplicas, 1);
    Stream stream(derive_key({1, {}, 1}, Purpose::test));
    for (int r = 0; r < kReplicas; ++r) {
      Drawing points(20);
      for (Point& p : points) p = {stream.between(0, 400), stream.between(0, 400)};
      population_->load(r, admit(generated_.graph, {400, 400}, points, {1, 2}).drawing);
    }
    energies_ = population_->energies(table_);
  }
  int extreme(int begin, int end, bool worst) const {
    int at = begin;
    for (int r = begin; r < end; ++r) {
      const auto a = energies_[static_cast<std::size_t>(r)], b = energies_[static_cast<std::size_t>(at)];
      if (worst ? a > b : a < b) at = r;
    }
    return at;
  }
  GeneratedGraph generated_;
  std::vector<std::int64_t> table_, energies_;
  std::unique_ptr<Population> population_;
};

TEST_F(Resampled, TruncationReplacesTheWorstEighthByTheBestQuarter) {
  std::vector<std::int64_t> sorted = energies_;
  std::sort(sorted.begin(), sorted.end());
  resample(*population_, Resampling::truncation, 1, {3, 4}, 7, EnergyKind::table, table_, 0, 0);
  const auto after = population_->energies(table_);
  int changed = 0;
  for (int r = 0; r < kReplicas; ++r) {
    const auto at = static_cast<std::size_t>(r);
    if (after[at] == energies_[at] && population_->scalars(r).family == r) continue;
    ++changed;
    EXPECT_GE(energies_[at], sorted[14]);
    EXPECT_LE(after[at], sorted[3]);
  }
  EXPECT_EQ(changed, 2);
}

TEST_F(Resampled, BoltzmannPrefersLowEnergiesAndKeepsIslandsApart) {
  const std::int64_t low = to_fixed(0.5), high = to_fixed(2.0);
  resample(*population_, Resampling::boltzmann, 2, {3, 4}, 1, EnergyKind::table, table_, high, low);
  const auto after = population_->energies(table_);
  EXPECT_LT(std::accumulate(after.begin(), after.end(), std::int64_t{0}),
            std::accumulate(energies_.begin(), energies_.end(), std::int64_t{0}));
  for (int r = 0; r < kReplicas; ++r) EXPECT_EQ(population_->scalars(r).family / 8, r / 8);
}

TEST_F(Resampled, EliteReplacesTheWorstOfEveryOtherIsland) {
  const int elite = extreme(0, kReplicas, false);
  share_elite(*population_, 4, EnergyKind::table, table_);
  for (int island = 0; island < 4; ++island)
    for (int r = 4 * island; r < 4 * island + 4; ++r) {
      const bool holds_elite = elite / 4 == island;
      const bool replaced = island % 2 == 0 && !holds_elite && r == extreme(4 * island, 4 * island + 4, true);
      EXPECT_EQ(population_->scalars(r).family, replaced ? elite : r) << r;
      if (replaced) {
        EXPECT_EQ(population_->drawing(r), population_->drawing(elite));
      }
    }
}

}  // namespace
}  // namespace lcn
