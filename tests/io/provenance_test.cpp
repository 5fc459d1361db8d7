#include "io/provenance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "io/version.hpp"

namespace lcn {
namespace {

TEST(Provenance, HoldsBuildJobAndEnvironment) {
  ASSERT_EQ(::setenv("LCN_TEST_SET", "wért\xff", 1), 0);
  ASSERT_EQ(::unsetenv("LCN_TEST_UNSET"), 0);
  ASSERT_EQ(::setenv("SLURM_JOB_ID", "77", 1), 0);
  ProvenanceInput input;
  input.argv = {"lcn", "solve", "ä.json"};
  input.config = R"({"steps":5})";
  input.environment = {"LCN_TEST_UNSET", "LCN_TEST_SET"};
  input.mpi_library = "Some MPI 4";
  input.ranks = 3;
  input.gpu_uuids = {"GPU-1"};
  const auto document = nlohmann::json::parse(provenance_json(input));
  ::unsetenv("SLURM_JOB_ID");
  EXPECT_EQ(document["argv"][2], "ä.json");
  EXPECT_EQ(document["config"]["steps"], 5);
  EXPECT_TRUE(document["environment"]["LCN_TEST_UNSET"].is_null());
  EXPECT_THAT(document["environment"]["LCN_TEST_SET"].get<std::string>(), ::testing::StartsWith("wért"));
  EXPECT_EQ(document["slurm"]["SLURM_JOB_ID"], "77");
  EXPECT_EQ(document["libraries"]["mpi"], "Some MPI 4");
  EXPECT_EQ(document["ranks"], 3);
  EXPECT_EQ(document["gpu_uuids"][0], "GPU-1");
  EXPECT_EQ(document["binary_sha256"].get<std::string>().size(), 64u);
  EXPECT_FALSE(document["build"]["commit"].get<std::string>().empty());
  EXPECT_FALSE(document["host"].get<std::string>().empty());
  EXPECT_THAT(document["started"].get<std::string>(), ::testing::MatchesRegex("....-..-..T..:..:..Z"));
}

TEST(Provenance, VersionNamesWhatIsBuiltIn) {
  for (const char* part : {"commit ", "compiler ", "CUDA ", "NCCL ", "MPI ", "HDF5 "})
    EXPECT_THAT(version_text(), ::testing::HasSubstr(part));
  EXPECT_EQ(version_text().substr(0, version_line().size()), version_line());
}

}  // namespace
}  // namespace lcn
