#include "jobs/verifier.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "graph/generators.hpp"
#include "random/stream.hpp"
#include "support/error.hpp"
#include "tests/io/sample_record.hpp"

namespace lcn {
namespace {

class FullDisk : public ResultStore {
 public:
  void store_unit(const UnitRecord&, const Instance&) override { fail(); }
  void store_best(const UnitRecord&, const Instance&, const Drawing&, const Tuple&) override { fail(); }
  void store_checkpoint(const UnitRecord&, const std::string&) override { fail(); }
  void store_diagnostic(const UnitRecord&, const Instance&, const Drawing&) override { fail(); }
  std::atomic<bool> asked{false};

 private:
  void fail() {
    asked = true;
    throw Error(ErrorKind::environment, "no space left");
  }
};

// The runner ends when the verifier is idle. A failure that came with the last unit must be taken first: else
// the run would end as if all were stored.
TEST(Verifier, IsNotIdleBeforeItsFailureIsTaken) {
  FullDisk store;
  Verifier verifier(store);
  EXPECT_TRUE(verifier.idle());
  auto instance = std::make_shared<const Instance>(sample_instance());
  UnitRecord record = sample_record(*instance);
  record.initial = record.claimed;
  verifier.add_outcome(instance, {record, record.drawing});
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  while (!store.asked || std::chrono::steady_clock::now() < end) {
    ASSERT_FALSE(verifier.idle());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_THROW(verifier.take_verified(), Error);
  EXPECT_TRUE(verifier.idle());
}

class MemoryOfCheckpoints : public ResultStore {
 public:
  void store_unit(const UnitRecord&, const Instance&) override { ++others; }
  void store_best(const UnitRecord&, const Instance&, const Drawing&, const Tuple&) override { ++others; }
  void store_checkpoint(const UnitRecord&, const std::string& state) override { checkpoint = state; }
  void store_diagnostic(const UnitRecord&, const Instance&, const Drawing&) override { ++others; }
  int others = 0;
  std::string checkpoint;
};

// Of a large graph a result is verified for minutes: a job that ends does not wait for it.
TEST(Verifier, GivesUpWhenTheJobEnds) {
  const GeneratedGraph generated = generate_graph("barabasi-albert", {{"n", 2'000}, {"m", 10}}, 3);
  auto instance = std::make_shared<Instance>();
  instance->graph = generated.graph;
  instance->grid = {1'000'000, 1'000'000};
  Stream stream({7, 1});
  UnitRecord record;
  record.status = "ok";
  for (VertexId v = 0; v < generated.graph.n(); ++v)
    record.drawing.push_back({stream.between(0, 1'000'000), stream.between(0, 1'000'000)});
  MemoryOfCheckpoints store;
  Verifier verifier(store);
  verifier.give_up();
  verifier.add_best(instance, record, record.drawing);
  verifier.add_outcome(instance, {record, record.drawing, "state"});
  std::optional<UnitRecord> told;
  while (!(told = verifier.take_verified())) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(told->status, "interrupted");
  EXPECT_EQ(told->error, "the job ended before its result was verified");
  EXPECT_EQ(store.checkpoint, "state");
  EXPECT_EQ(store.others, 0);
}

}  // namespace
}  // namespace lcn
