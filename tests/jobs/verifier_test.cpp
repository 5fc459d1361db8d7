#include "jobs/verifier.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

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

}  // namespace
}  // namespace lcn
