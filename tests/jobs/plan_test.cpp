#include "jobs/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "support/error.hpp"

namespace lcn {
namespace {

using testing::HasSubstr;

Plan two_instances() {
  Plan plan;
  plan.configuration.steps = 1000;
  plan.instances.push_back({.name = "a", .path = "x/a.json", .sha256 = std::string(64, 'a'), .n = 4, .m = 5});
  plan.instances.push_back(
      {.name = "b", .path = "x/b.json", .sha256 = std::string(64, 'b'), .n = 9, .m = 20});
  plan.instances[0].bound = {1, false, {"non-planar", 4, 5, {0, 1, 2, 3}}};
  plan.instances[1].resolved.search = "tempering:rungs=8";
  plan.instances[1].grid = {10, 20};
  return plan;
}

TEST(Plan, UnitIdDependsOnAllThatMayChangeTheResult) {
  const Configuration base{.root_seed = 1, .time = 60, .steps = 100, .replicas = 4, .target_K = 3};
  std::set<std::string> ids = {unit_id(base, "aa", 1), unit_id(base, "ab", 1), unit_id(base, "aa", 2)};
  const std::vector<std::function<void(Configuration&)>> changes = {
      [](Configuration& c) { c.root_seed = 2; },    [](Configuration& c) { c.time = 61; },
      [](Configuration& c) { c.time.reset(); },     [](Configuration& c) { c.steps = 101; },
      [](Configuration& c) { c.steps.reset(); },    [](Configuration& c) { c.replicas = 5; },
      [](Configuration& c) { c.start = "random"; }, [](Configuration& c) { c.search = "annealing"; },
      [](Configuration& c) { c.target_K = 2; },     [](Configuration& c) { c.target_K.reset(); },
      [](Configuration& c) { c.backend = "gpu"; },  [](Configuration& c) { ++c.algorithm_version; },
  };
  for (const auto& change : changes) {
    Configuration other = base;
    change(other);
    ids.insert(unit_id(other, "aa", 1));
  }
  EXPECT_EQ(ids.size(), 3 + changes.size());
  for (const std::string& id : ids) EXPECT_THAT(id, testing::MatchesRegex("[0-9a-f]{16}"));
}

TEST(Plan, TheBackendIsNoPartOfAUnitByStepsOnly) {
  Configuration cpu{.steps = 100}, gpu{.steps = 100, .backend = "gpu"};
  EXPECT_EQ(unit_id(cpu, "aa", 1), unit_id(gpu, "aa", 1));
}

TEST(Plan, UnitIdsArePartOfTheFormat) {
  Configuration c;
  c.steps = 1000;
  EXPECT_EQ(
      c.json(),
      R"({"algorithm_version":1,"backend":null,"replicas":"auto","search":"auto","start":"auto","steps":1000,)"
      R"("target":null,"time":null})");
  EXPECT_EQ(unit_id(c, std::string(64, '0'), 1), "8ec569937411e5e7");
}

TEST(Plan, OrdersUnitsBySeedThenInstanceAndExtends) {
  Plan plan = two_instances();
  EXPECT_EQ(plan.add({0, 1}, {1, 2}), (std::vector<std::size_t>{0, 1, 2, 3}));
  ASSERT_EQ(plan.units.size(), 4u);
  EXPECT_EQ(plan.units[0].instance, 0u);
  EXPECT_EQ(plan.units[1].instance, 1u);
  EXPECT_EQ(plan.units[1].repetition, 1);
  EXPECT_EQ(plan.units[2].repetition, 2);

  EXPECT_EQ(plan.add({0, 1}, {1, 2}), (std::vector<std::size_t>{0, 1, 2, 3}));  // nothing new
  EXPECT_EQ(plan.add({1}, {2, 3}), (std::vector<std::size_t>{3, 4}));           // one new seed
  EXPECT_EQ(plan.units.size(), 5u);
}

TEST(Plan, SurvivesItsFile) {
  Plan plan = two_instances();
  plan.configuration.root_seed = ~std::uint64_t{0};
  plan.configuration.time = 0.1;
  plan.configuration.target_K = 0;
  plan.add({0, 1}, {7});
  const Plan back = parse_plan(plan_json(plan), "plan.json");
  EXPECT_EQ(plan_json(back), plan_json(plan));
  EXPECT_EQ(back.configuration.root_seed, ~std::uint64_t{0});
  EXPECT_EQ(back.configuration.time, 0.1);
  EXPECT_EQ(back.instances[0].bound.certificate.vertices, (std::vector<VertexId>{0, 1, 2, 3}));
  EXPECT_EQ(back.instances[1].grid, (Grid{10, 20}));
  EXPECT_EQ(back.instances[1].resolved.search, "tempering:rungs=8");
  EXPECT_EQ(back.units[1].id, plan.units[1].id);
  EXPECT_EQ(back.units[1].instance, 1u);
}

TEST(Plan, BrokenFilesAreRefusedByName) {
  const std::string good = plan_json(two_instances());
  const auto refused = [](const std::string& text, const std::string& reason) {
    try {
      parse_plan(text, "RUN/plan.json");
      ADD_FAILURE() << "accepted: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_THAT(error.what(), HasSubstr("RUN/plan.json"));
      EXPECT_THAT(error.what(), HasSubstr(reason));
    }
  };
  refused(good.substr(0, good.size() / 2), "not a plan");
  refused("{}", "schema_version");
  std::string newer = good;
  newer.replace(newer.find("\"schema_version\": 1"), 19, "\"schema_version\": 2");
  refused(newer, "schema_version is 2");
}

TEST(Plan, AnotherConfigurationIsRefusedNamingTheField) {
  const Configuration stored{.root_seed = 1, .time = 60};
  const auto field = [&](const std::function<void(Configuration&)>& change) -> std::string {
    Configuration asked = stored;
    change(asked);
    try {
      require_same(stored, asked, "RUN");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(field([](Configuration&) {}), "accepted");
  EXPECT_THAT(field([](Configuration& c) { c.time = 61; }),
              HasSubstr("--out RUN: time is 60.0 in its plan and 61.0 now"));
  EXPECT_THAT(field([](Configuration& c) { c.search = "x"; }), HasSubstr("search is \"auto\""));
  EXPECT_THAT(field([](Configuration& c) { c.root_seed = 2; }), HasSubstr("root-seed is 1"));
  EXPECT_THAT(field([](Configuration& c) { c.replicas = 2; }), HasSubstr("replicas is \"auto\""));
}

TEST(Plan, ConfigurationSurvivesItsColumn) {
  const Configuration c{
      .time = 2.5, .steps = 7, .replicas = 3, .start = "file:ab", .search = "s", .target_K = 1};
  EXPECT_EQ(configuration_from_json(c.json()).json(), c.json());
  EXPECT_THROW(configuration_from_json("{}"), Error);
}

}  // namespace
}  // namespace lcn
