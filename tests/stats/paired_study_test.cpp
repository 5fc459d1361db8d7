#include "stats/paired_study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random/stream.hpp"

namespace lcn {
namespace {

using testing::HasSubstr;

StudyOutcome outcome(Tuple tuple) {
  StudyOutcome o;
  o.has_result = true;
  o.tuple = tuple;
  o.area = static_cast<double>(tuple.K) + 2;
  return o;
}

StudyOutcome with_K(std::int64_t K) {
  return outcome({K, 1, K * K, K});
}

PairedInstance instance(const std::string& name, const std::vector<int>& differences) {
  PairedInstance result{name, {}};
  for (const int d : differences) result.pairs.push_back({with_K(20 + d), with_K(20)});
  return result;
}

std::vector<int> repeated(int value, int times) {
  return std::vector<int>(static_cast<std::size_t>(times), value);
}

StudyComparison compare_one(const std::vector<PairedInstance>& instances, const StudyRule& rule = {}) {
  return compare_configurations({{"tried", instances}}, rule, 1).front();
}

TEST(Winner, ByTheWholeTupleAndFailuresLose) {
  const StudyOutcome failed;
  EXPECT_EQ(winner({outcome({3, 1, 18, 4}), outcome({3, 2, 20, 4})}), 1) << "the example of the design";
  EXPECT_EQ(winner({outcome({3, 1, 18, 4}), outcome({3, 1, 18, 3})}), -1);
  EXPECT_EQ(winner({with_K(5), with_K(5)}), 0);
  EXPECT_EQ(winner({failed, with_K(9)}), -1);
  EXPECT_EQ(winner({with_K(9), failed}), 1);
  EXPECT_EQ(winner({failed, failed}), 0);
  StudyOutcome first = outcome({1, 9, 9, 9}), second = outcome({1, 3, 3, 3});
  EXPECT_EQ(winner({first, second}), -1);
  first.optimal = second.optimal = true;
  EXPECT_EQ(winner({first, second}), 0) << "both stopped at the bound, n_K is where they happened to stop";
}

TEST(CompareConfigurations, NumbersOfOneInstance) {
  const StudyComparison c = compare_one({instance("a", {-2, -1, -1, 0, -3, -1, 1, -2, -1, -1, -2, 0})});
  const InstanceComparison& a = c.instances.at(0);
  EXPECT_EQ(a.tuples.wins, 9);
  EXPECT_EQ(a.tuples.losses, 1);
  EXPECT_EQ(a.tuples.ties, 2);
  EXPECT_NEAR(a.tuples.p, 2 * 11.0 / 1024, 1e-12);
  EXPECT_NEAR(a.tuples.effect(), 8.0 / 12, 1e-12);
  EXPECT_EQ(a.K->value, -1);
  EXPECT_EQ(a.pairs_with_K, 12);
  EXPECT_EQ(a.K_test.n, 10);
  EXPECT_EQ(a.area->value, -1);
  EXPECT_NEAR(a.K_deviation, 1.0836, 5e-5) << "sum of squares 27 - 12 * (13/12)^2 over 11";
  EXPECT_EQ(c.tuples.p, a.tuples.p);
  EXPECT_EQ(c.verdict, Verdict::better);
  EXPECT_EQ(c.K->value, -1);
}

TEST(CompareConfigurations, VerdictsOfTheRule) {
  EXPECT_EQ(compare_one({instance("a", repeated(-1, 12))}).verdict, Verdict::better);
  EXPECT_EQ(compare_one({instance("a", repeated(1, 12))}).verdict, Verdict::worse);
  EXPECT_EQ(compare_one({instance("a", repeated(0, 12))}).verdict, Verdict::no_difference_shown);

  // nine pairs are fewer than ten, however clear they are
  const StudyComparison few = compare_one({instance("a", repeated(-1, 9))});
  EXPECT_EQ(few.verdict, Verdict::insufficient_evidence);
  EXPECT_THAT(few.reason, HasSubstr("9 pairs with a result, the rule asks for 10"));
  // a smaller minimum does not help below what can be decisive at all: 6 pairs at 0.05
  StudyRule small;
  small.minimum_pairs = 1;
  EXPECT_EQ(compare_one({instance("a", repeated(-1, 5))}, small).verdict, Verdict::insufficient_evidence);
  EXPECT_EQ(compare_one({instance("a", repeated(-1, 6))}, small).verdict, Verdict::better);

  // significant but small: 40 wins, 15 losses, 245 ties
  std::vector<int> slight = repeated(0, 245);
  slight.insert(slight.end(), 40, -1);
  slight.insert(slight.end(), 15, 1);
  const StudyComparison c = compare_one({instance("a", slight)});
  EXPECT_LT(c.tuples.p_adjusted, 0.05);
  EXPECT_EQ(c.verdict, Verdict::no_difference_shown);
  EXPECT_THAT(c.reason, HasSubstr("the effect is below 0.1"));

  // better overall, clearly worse on one instance
  const StudyComparison mixed = compare_one(
      {instance("a", repeated(-1, 40)), instance("b", repeated(-1, 40)), instance("c", repeated(1, 12))});
  EXPECT_EQ(mixed.verdict, Verdict::no_difference_shown);
  EXPECT_THAT(mixed.reason, HasSubstr("but c alone shows the opposite"));
  EXPECT_EQ(mixed.tuples.pairs(), 92);
}

TEST(CompareConfigurations, FailuresAreKept) {
  PairedInstance failing = instance("a", repeated(-1, 12));
  for (std::size_t i = 0; i < 11; ++i) failing.pairs[i].tried = {};
  const StudyComparison c = compare_one({failing});
  EXPECT_EQ(c.tuples.losses, 11);
  EXPECT_EQ(c.verdict, Verdict::worse);
  EXPECT_EQ(c.instances[0].pairs_with_K, 1);
  for (StudyPair& pair : failing.pairs) pair = {};
  const StudyComparison nothing = compare_one({failing});
  EXPECT_EQ(nothing.informative, 0);
  EXPECT_EQ(nothing.verdict, Verdict::insufficient_evidence);
  EXPECT_FALSE(nothing.K);
  EXPECT_FALSE(nothing.area || nothing.instances[0].area) << "no number where nothing was finished";
  const StudyComparison beside = compare_one({failing, instance("b", repeated(-1, 12))});
  EXPECT_EQ(beside.area->value, -1) << "of the instance that has results";
}

TEST(CompareConfigurations, HolmOverConfigurationsAndInstances) {
  // p = 2/1024 each, of two configurations and two instances
  const std::vector<PairedInstance> ten{instance("a", repeated(-1, 10)), instance("b", repeated(0, 10))};
  const std::vector<StudyComparison> two = compare_configurations({{"x", ten}, {"y", ten}}, {}, 1);
  EXPECT_NEAR(two[0].tuples.p, 2.0 / 1024, 1e-12);
  EXPECT_NEAR(two[0].tuples.p_adjusted, 2 * 2.0 / 1024, 1e-12);
  EXPECT_NEAR(two[1].instances[0].tuples.p_adjusted, 4 * 2.0 / 1024, 1e-12);
  EXPECT_EQ(two[1].instances[1].tuples.p_adjusted, 1);
}

TEST(CompareConfigurations, SuccessesArePairedToo) {
  PairedInstance a = instance("a", repeated(0, 10));
  for (std::size_t i = 0; i < 7; ++i) a.pairs[i].tried.reached = true;
  a.pairs[0].baseline.reached = true;
  const InstanceComparison c = compare_one({a}).instances.at(0);
  EXPECT_EQ(c.successes.wins, 6);
  EXPECT_EQ(c.successes.losses, 0);
  EXPECT_NEAR(c.successes.p, 2.0 / 64, 1e-12);
}

TEST(CompareConfigurations, WithoutADifferenceAVerdictIsRare) {
  // Two equal configurations against the baseline on two instances of 10 seeds: at most one study in twenty
  // may find one of them better or worse.
  constexpr int kTrials = 100;
  int found = 0;
  for (std::uint32_t trial = 0; trial < kTrials; ++trial) {
    Stream stream(derive_key({trial, {}, 5}, Purpose::test));
    const auto draw = [&] { return with_K(20 + stream.between(0, 6)); };
    std::vector<PairedConfiguration> configurations{{"x", {}}, {"y", {}}};
    for (const char* name : {"a", "b"}) {
      std::vector<PairedInstance> instances(2);
      for (int seed = 0; seed < 10; ++seed) {
        const StudyOutcome baseline = draw();
        for (PairedInstance& i : instances) i.pairs.push_back({draw(), baseline});
      }
      for (std::size_t c = 0; c < 2; ++c) {
        instances[c].name = name;
        configurations[c].instances.push_back(instances[c]);
      }
    }
    bool any = false;
    for (const StudyComparison& c : compare_configurations(configurations, {}, 1))
      any = any || c.verdict == Verdict::better || c.verdict == Verdict::worse;
    found += any;
  }
  EXPECT_LE(found, 0.07 * kTrials);
}

}  // namespace
}  // namespace lcn
