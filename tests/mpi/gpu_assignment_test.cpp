#include "mpi/gpu_assignment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error.hpp"

namespace lcn {
namespace {

struct Row {
  const char* name;
  std::vector<VisibleGpus> ranks;
  bool sharing;
  std::vector<int> ordinals;  // empty: an error
  const char* error;          // what it says
};

TEST(GpuAssignment, Table) {
  const std::vector<Row> rows{
      {"one visible each", {{"a", {"G0"}}, {"a", {"G1"}}}, false, {0, 0}, ""},
      {"all visible", {{"a", {"G0", "G1"}}, {"a", {"G0", "G1"}}}, false, {0, 1}, ""},
      {"fewer ranks than GPUs", {{"a", {"G0", "G1", "G2"}}}, false, {0}, ""},
      {"two nodes of the same name",
       {{"a", {"G0", "G1"}}, {"a", {"G0", "G1"}}, {"a", {"H0", "H1"}}, {"a", {"H0", "H1"}}},
       false,
       {0, 1, 0, 1},
       ""},
      {"ranks of two nodes interleaved",
       {{"a", {"G0", "G1"}}, {"b", {"H0", "H1"}}, {"a", {"G0", "G1"}}, {"b", {"H0", "H1"}}},
       false,
       {0, 0, 1, 1},
       ""},
      {"one node by list, one by single GPU",
       {{"a", {"G0", "G1"}}, {"a", {"G0", "G1"}}, {"b", {"H0"}}},
       false,
       {0, 1, 0},
       ""},
      {"partial overlap", {{"a", {"G0", "G1"}}, {"a", {"G1", "G2"}}}, false, {}, "overlapping"},
      {"partial overlap is no sharing", {{"a", {"G0", "G1"}}, {"a", {"G1"}}}, true, {}, "overlapping"},
      {"more ranks than GPUs", {{"a", {"G0"}}, {"a", {"G0"}}}, false, {}, "--allow-gpu-sharing"},
      {"more ranks than GPUs, allowed",
       {{"a", {"G0", "G1"}}, {"a", {"G0", "G1"}}, {"a", {"G0", "G1"}}},
       true,
       {0, 1, 0},
       ""},
      {"none", {{"a", {"G0"}}, {"b", {}}}, false, {}, "rank 1 on b sees no GPU"},
      {"no ranks", {}, false, {}, ""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    if (row.ordinals.empty() && *row.error != 0) {
      try {
        assign_gpus(row.ranks, row.sharing);
        ADD_FAILURE() << "no error";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::environment);
        EXPECT_THAT(error.what(), testing::HasSubstr(row.error));
      }
      continue;
    }
    const auto choices = assign_gpus(row.ranks, row.sharing);
    std::vector<int> ordinals;
    for (const GpuChoice& choice : choices) ordinals.push_back(choice.ordinal);
    EXPECT_EQ(ordinals, row.ordinals);
    EXPECT_EQ(!choices.empty() && choices.front().shared, row.sharing && !row.ordinals.empty());
  }
}

}  // namespace
}  // namespace lcn
