// The channel through NCCL: alone on one GPU, between two GPUs of this host, and every way in which it ends
// early.
#include "mpi/nccl_channel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <latch>

#include "tests/kernels/require_gpu.hpp"
#include "tests/mpi/mail_ranks.hpp"
#if LCN_HAVE_NCCL
#include <cuda_runtime.h>  // its typed cudaMalloc, which the buffer uses

#include "kernels/device/cuda_handle.hpp"
#include "kernels/device/device_buffer.hpp"
#endif

namespace lcn {
namespace {

using testing::HasSubstr;

constexpr double kPatience = 60;  // seconds: only a failing test waits so long

// What lacks is said at once, and to the other ranks too.
TEST(NcclChannel, SaysWhenItCannotBe) {
  if (built_with_nccl() && !list_devices().empty()) GTEST_SKIP() << "NCCL and a GPU are here";
  MailRanks ranks(2);
  const auto errors = ranks.run([](int rank, const std::shared_ptr<ReplicaMail>& mail) {
    if (rank == 0)
      make_nccl_channel(mail, kPatience);
    else
      mail->receive(0, kPatience);
  });
  for (const auto& error : errors) {
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::environment);
    EXPECT_THAT(error->what(), HasSubstr(built_with_nccl() ? "CUDA" : "built without NCCL"));
  }
}

TEST(NcclChannel, LeavesMulticastOff) {
  if (!built_with_nccl()) GTEST_SKIP() << "built without NCCL";
  const char* value = std::getenv("NCCL_NVLS_ENABLE");
  ASSERT_NE(value, nullptr);
  EXPECT_STREQ(value, "0");
}

#if LCN_HAVE_NCCL

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void expect_all_gather(ReplicaChannel& channel, std::size_t length, std::int64_t salt) {
  const auto value = [&](int rank, std::size_t i) {
    return (std::int64_t{1} << 40) * (rank + 1) + salt * 1000 + static_cast<std::int64_t>(i);
  };
  std::vector<std::int64_t> mine, expected;
  for (std::size_t i = 0; i < length; ++i) mine.push_back(value(channel.rank(), i));
  for (int rank = 0; rank < channel.size(); ++rank)
    for (std::size_t i = 0; i < length; ++i) expected.push_back(value(rank, i));
  EXPECT_EQ(channel.all_gather(mine), expected);
}

TEST(NcclChannel, OfOneRank) {
  LCN_REQUIRE_GPU();
  MailRanks ranks(1);
  for (int time = 0; time < 2; ++time) {  // a second communicator after the first
    const auto channel = make_nccl_channel(ranks.mail(0), kPatience);
    EXPECT_STREQ(channel->name(), "nccl");
    EXPECT_EQ(channel->rank(), 0);
    EXPECT_EQ(channel->size(), 1);
    EXPECT_TRUE(channel->device_memory());
    EXPECT_TRUE(channel->all_gather({}).empty());
    for (const std::size_t length : {1, 5, 100'000, 5, 200'000}) expect_all_gather(*channel, length, time);
    EXPECT_EQ(channel->broadcast(0, "x"), "x");
    EXPECT_EQ(channel->gather("y"), std::vector<std::string>{"y"});
    channel->transfer({}, 100);
  }
}

TEST(NcclChannel, TellsNobodyWhenAloneAndIsOfNoUseAfterAFailure) {
  LCN_REQUIRE_GPU();
  MailRanks ranks(1);
  const auto channel = make_nccl_channel(ranks.mail(0), kPatience);
  channel->fail(Error(ErrorKind::unit, "given up"));
  channel->fail(Error(ErrorKind::unit, "given up again"));
  EXPECT_THROW(channel->all_gather(std::vector<std::int64_t>{1}), Error);
}

TEST(NcclChannel, RefusesTwoRanksOnOneGpu) {
  LCN_REQUIRE_GPU();
  MailRanks ranks(2);
  const auto errors = ranks.run([](int, const std::shared_ptr<ReplicaMail>& mail) {
    use_device(0);
    make_nccl_channel(mail, kPatience);
  });
  for (const auto& error : errors) {
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::environment);
    EXPECT_THAT(error->what(), HasSubstr("ranks 0 and 1 have the same GPU"));
  }
}

TEST(NcclChannel, MissesARankThatNeverAnswers) {
  LCN_REQUIRE_GPU();
  MailRanks ranks(2);
  const auto start = Clock::now();
  try {
    make_nccl_channel(ranks.mail(0), 0.2);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    EXPECT_EQ(error.rank, 1);
    EXPECT_THAT(error.what(), HasSubstr("rank 1 did not answer"));
  }
  EXPECT_LT(seconds_since(start), 10);
}

// Rank 1 says that it has another GPU, takes the id, and is heard of no more.
void begin_and_vanish(const std::shared_ptr<ReplicaMail>& mail) {
  make_mail_channel(mail, kPatience)->all_gather(std::vector<std::int64_t>{1, 2});
  mail->receive(0, kPatience);
}

TEST(NcclChannel, EndsAtItsDeadlineInsideNccl) {
  LCN_REQUIRE_GPU();
  MailRanks ranks(2);
  const auto start = Clock::now();
  const auto errors = ranks.run([](int rank, const std::shared_ptr<ReplicaMail>& mail) {
    if (rank == 1)
      begin_and_vanish(mail);
    else
      make_nccl_channel(mail, 1);
  });
  ASSERT_TRUE(errors[0]);
  EXPECT_EQ(errors[0]->kind(), ErrorKind::environment);
  EXPECT_EQ(errors[0]->rank, 1);
  EXPECT_THAT(errors[0]->what(),
              HasSubstr("rank 1 did not join rank 0 in ncclCommInitRankConfig within 1 s"));
  EXPECT_LT(seconds_since(start), 20);
}

TEST(NcclChannel, EndsWhenAnotherRankFailsInsideNccl) {
  LCN_REQUIRE_GPU();
  MailRanks ranks(2);
  const auto start = Clock::now();
  const auto errors = ranks.run([](int rank, const std::shared_ptr<ReplicaMail>& mail) {
    if (rank == 1) {
      begin_and_vanish(mail);
      mail->fail(Error(ErrorKind::environment, "rank 1 is out of memory"));
    } else {
      make_nccl_channel(mail, kPatience);
    }
  });
  ASSERT_TRUE(errors[0]);
  EXPECT_THAT(errors[0]->what(), HasSubstr("rank 1 is out of memory"));
  EXPECT_LT(seconds_since(start), kPatience / 2);
}

// ---- two GPUs, one thread each

TEST(NcclChannel, BetweenTwoGpus) {
  LCN_REQUIRE_GPUS(2);
  constexpr std::size_t kBytes = 100'004;
  MailRanks ranks(2);
  const auto errors = ranks.run([](int rank, const std::shared_ptr<ReplicaMail>& mail) {
    use_device(rank);
    CudaStream stream;
    const auto channel = make_nccl_channel(mail, kPatience);
    DeviceBuffer<char> memory(4 * kBytes);
    for (int round = 0; round < 50; ++round) {
      expect_all_gather(*channel, round % 2 == 0 ? 5 : 4'000, round);
      // Two states each way; every third round one way only.
      const auto text = [round](int from, int i) { return static_cast<char>(from * 100 + i * 50 + round); };
      std::vector<char> host;
      std::vector<ReplicaChannel::Transfer> transfers;
      for (int i = 0; i < 2; ++i) {
        host.insert(host.end(), kBytes, text(rank, i));
        host.insert(host.end(), kBytes, '\0');
        char* const at = memory.data() + static_cast<std::size_t>(2 * i) * kBytes;
        if (rank == 0 || round % 3 != 0) transfers.push_back({1 - rank, true, at});
        if (rank == 1 || round % 3 != 0) transfers.push_back({1 - rank, false, at + kBytes});
      }
      memory.upload(host, stream.get());
      LCN_CUDA_CHECK(cudaStreamSynchronize(stream.get()));
      channel->transfer(transfers, kBytes);
      const std::vector<char> after = memory.to_host(stream.get());
      for (int i = 0; i < 2; ++i) {
        const std::size_t at = static_cast<std::size_t>(2 * i) * kBytes;
        const bool receives = rank == 1 || round % 3 != 0;
        EXPECT_EQ(std::vector<char>(after.begin() + static_cast<std::ptrdiff_t>(at + kBytes),
                                    after.begin() + static_cast<std::ptrdiff_t>(at + 2 * kBytes)),
                  std::vector<char>(kBytes, receives ? text(1 - rank, i) : '\0'));
      }
      EXPECT_EQ(channel->broadcast(1, rank == 1 ? "said" : ""), "said");
    }
  });
  for (const auto& error : errors) EXPECT_FALSE(error) << error->what();
}

TEST(NcclChannel, MissesARankThatLeavesAnExchange) {
  LCN_REQUIRE_GPUS(2);
  MailRanks ranks(2);
  std::latch over(2);
  const auto start = Clock::now();
  const auto errors = ranks.run([&](int rank, const std::shared_ptr<ReplicaMail>& mail) {
    use_device(rank);
    const auto channel = make_nccl_channel(mail, rank == 0 ? 5.0 : kPatience);
    expect_all_gather(*channel, 3, 1);
    if (rank == 1) {
      over.arrive_and_wait();
      return;
    }
    try {
      expect_all_gather(*channel, 3, 2);
    } catch (const Error& error) {
      channel->fail(error);
      over.arrive_and_wait();
      throw;
    }
    over.arrive_and_wait();
  });
  ASSERT_TRUE(errors[0]);
  EXPECT_EQ(errors[0]->rank, 1);
  EXPECT_THAT(errors[0]->what(), HasSubstr("rank 1 did not join rank 0 in ncclAllGather within 5 s"));
  EXPECT_LT(seconds_since(start), 40);
}

TEST(NcclChannel, FailureReachesARankInAnExchange) {
  LCN_REQUIRE_GPUS(2);
  MailRanks ranks(2);
  const auto start = Clock::now();
  const auto errors = ranks.run([&](int rank, const std::shared_ptr<ReplicaMail>& mail) {
    use_device(rank);
    const auto channel = make_nccl_channel(mail, kPatience);
    expect_all_gather(*channel, 3, 1);
    if (rank == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      channel->fail(Error(ErrorKind::environment, "rank 1 has lost its GPU"));
    } else {
      DeviceBuffer<char> memory(100);
      const std::vector<ReplicaChannel::Transfer> transfers = {{1, false, memory.data()}};
      channel->transfer(transfers, 100);
    }
  });
  ASSERT_TRUE(errors[0]);
  EXPECT_THAT(errors[0]->what(), HasSubstr("rank 1 has lost its GPU"));
  EXPECT_LT(seconds_since(start), kPatience / 2);
}

#endif

}  // namespace
}  // namespace lcn
