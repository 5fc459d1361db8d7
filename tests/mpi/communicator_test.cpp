#include "mpi/communicator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <thread>

#include "mpi/launch.hpp"

namespace lcn {
namespace {

using testing::HasSubstr;

// Runs one function per rank, each in its thread.
void on_ranks(int n, const std::function<void(Communicator)>& body) {
  std::vector<std::thread> threads;
  for (const Communicator& rank : Communicator::threads(n)) threads.emplace_back(body, rank);
  for (std::thread& thread : threads) thread.join();
}

Message wait_for_message(Communicator& world) {
  for (;;) {
    if (std::optional<Message> message = world.receive()) return *message;
    std::this_thread::yield();
  }
}

TEST(Communicator, LocalIsRankZeroOfOne) {
  Communicator world = Communicator::local();
  EXPECT_EQ(world.rank(), 0);
  EXPECT_EQ(world.size(), 1);
  EXPECT_FALSE(world.host().empty());
  EXPECT_FALSE(world.receive());
  world.send(0, 3, "to itself");
  EXPECT_EQ(world.receive()->bytes, "to itself");
  EXPECT_EQ(world.broadcast(0, "x", 1), "x");
  EXPECT_FALSE(world.agree(std::nullopt, 1));
}

TEST(Communicator, KeepsTheOrderBetweenTwoRanks) {
  on_ranks(3, [](Communicator world) {
    constexpr int kMessages = 200;
    if (world.rank() > 0) {
      for (int i = 0; i < kMessages; ++i) world.send(0, i % 5, std::to_string(i));
      return;
    }
    std::map<int, int> next;
    for (int i = 0; i < 2 * kMessages; ++i) {
      const Message message = wait_for_message(world);
      EXPECT_EQ(message.bytes, std::to_string(next[message.from]));
      EXPECT_EQ(message.tag, next[message.from] % 5);
      ++next[message.from];
    }
    EXPECT_FALSE(world.receive());
  });
}

TEST(Communicator, ReceivesByTagAndKeepsTheRest) {
  Communicator world = Communicator::local();
  world.send(0, 1, "first");
  world.send(0, 2, "second");
  EXPECT_EQ(world.receive(2)->bytes, "second");
  EXPECT_FALSE(world.receive(2));
  EXPECT_EQ(world.receive()->bytes, "first");
}

TEST(Communicator, BroadcastLeavesOrdinaryMessagesAlone) {
  on_ranks(4, [](Communicator world) {
    if (world.rank() == 2)
      for (int to = 0; to < 4; ++to) world.send(to, 7, "ordinary");
    EXPECT_EQ(world.broadcast(2, world.rank() == 2 ? "shared" : "", 10), "shared");
    EXPECT_EQ(wait_for_message(world).bytes, "ordinary");
  });
}

TEST(Communicator, AgreesOnTheFailureOfTheLowestRank) {
  on_ranks(4, [](Communicator world) {
    std::optional<Error> mine;
    if (world.rank() >= 2)
      mine = Error(ErrorKind::environment, "disk " + std::to_string(world.rank()) + " is full: 100 %");
    const std::optional<Error> agreed = world.agree(mine, 10);
    ASSERT_TRUE(agreed);
    EXPECT_STREQ(agreed->what(), "disk 2 is full: 100 %");
    EXPECT_EQ(agreed->kind(), ErrorKind::environment);
    EXPECT_EQ(agreed->rank, 2);
    EXPECT_EQ(agreed->host, world.host());
    EXPECT_FALSE(world.agree(std::nullopt, 10));
  });
}

TEST(Communicator, DoesNotWaitForeverForARankThatIsMissing) {
  std::vector<Communicator> ranks = Communicator::threads(2);
  try {
    ranks[0].agree(std::nullopt, 0.05);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    EXPECT_THAT(error.what(), HasSubstr("rank 1 did not answer"));
  }
}

TEST(Communicator, RefusesRanksAndTagsThatDoNotExist) {
  Communicator world = Communicator::local();
  EXPECT_THROW(world.send(1, 0), Error);
  EXPECT_THROW(world.send(-1, 0), Error);
  EXPECT_THROW(world.send(0, Communicator::kLastTag + 1), Error);
}

TEST(Communicator, ErrorsSurviveTransport) {
  Error error(ErrorKind::input, "a b\nc");
  error.rank = 12;
  error.host = "a host";
  const Error back = error_from_bytes(to_bytes(error));
  EXPECT_STREQ(back.what(), "a b\nc");
  EXPECT_EQ(back.kind(), ErrorKind::input);
  EXPECT_EQ(back.rank, 12);
  EXPECT_EQ(back.host, "a host");
  EXPECT_THROW(error_from_bytes("3 1"), Error);
  EXPECT_THROW(error_from_bytes("3 1 500 short"), Error);
}

TEST(Launch, IsSeenInTheEnvironment) {
  const auto launched = [](const char* variable) {
    return launched_in_parallel([variable](const char* name) -> const char* {
      return std::string(name) == variable ? "0" : nullptr;
    });
  };
  EXPECT_FALSE(launched("SLURM_NTASKS"));
  EXPECT_TRUE(launched("OMPI_COMM_WORLD_RANK"));
  EXPECT_TRUE(launched("PMIX_RANK"));
  EXPECT_TRUE(launched("PMI_RANK"));
}

TEST(Launch, SingletonsOfASlurmStepAreRefused) {
  struct Case {
    int size;
    std::map<std::string, std::string> variables;
    bool refused;
  };
  const std::vector<Case> cases = {
      {1, {}, false},
      {1, {{"SLURM_NTASKS", "1"}}, false},
      {1, {{"SLURM_NTASKS", "4"}}, true},
      {1, {{"SLURM_NTASKS", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}}, true},
      {4, {{"SLURM_NTASKS", "4"}}, false},
      {2, {{"SLURM_NTASKS", "4"}}, false},
  };
  for (const Case& c : cases) {
    const auto environment = [&](const char* name) -> const char* {
      const auto found = c.variables.find(name);
      return found == c.variables.end() ? nullptr : found->second.c_str();
    };
    if (!c.refused) {
      EXPECT_NO_THROW(refuse_singletons(c.size, environment));
      continue;
    }
    try {
      refuse_singletons(c.size, environment);
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::environment);
      EXPECT_THAT(error.what(), HasSubstr("srun --mpi=pmix"));
    }
  }
}

}  // namespace
}  // namespace lcn
