#include "mpi/replica_mail.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>

#include "tests/mpi/mail_ranks.hpp"

namespace lcn {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr double kPatience = 20;         // seconds: only a failing test waits so long
constexpr std::size_t kBytes = 100'000;  // of a state

double seconds_of(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void expect_no_errors(const std::vector<std::optional<Error>>& errors) {
  for (const auto& error : errors) EXPECT_FALSE(error) << error->what();
}

// Everyone calls everything several times; answers are functions of rank and round.
void talk(int rank, const std::shared_ptr<ReplicaMail>& mail) {
  const auto channel = make_mail_channel(mail, kPatience);
  const int size = channel->size();
  EXPECT_STREQ(channel->name(), "mpi");
  EXPECT_EQ(channel->rank(), rank);
  EXPECT_FALSE(channel->device_memory());
  for (int round = 0; round < 20; ++round) {
    const std::vector<std::int64_t> mine = {rank, std::int64_t{1} << (40 + rank), -round};
    const std::vector<std::int64_t> all = channel->all_gather(mine);
    ASSERT_EQ(all.size(), mine.size() * static_cast<std::size_t>(size));
    for (int r = 0; r < size; ++r) {
      const auto at = static_cast<std::size_t>(3 * r);
      EXPECT_EQ(all[at], r);
      EXPECT_EQ(all[at + 1], std::int64_t{1} << (40 + r));
      EXPECT_EQ(all[at + 2], -round);
    }
    EXPECT_TRUE(channel->all_gather({}).empty());

    const int root = round % size;
    const std::string said = "round " + std::to_string(round);
    EXPECT_EQ(channel->broadcast(root, rank == root ? said : ""), said);

    const std::vector<std::string> gathered =
        channel->gather(std::string(static_cast<std::size_t>(rank), 'x'));
    ASSERT_EQ(gathered.size(), static_cast<std::size_t>(rank == 0 ? size : 0));
    for (std::size_t r = 0; r < gathered.size(); ++r) EXPECT_EQ(gathered[r], std::string(r, 'x'));
  }
}

TEST(MailChannel, SaysTheSameToAllRanks) {
  for (const int size : {1, 2, 3, 4}) {
    MailRanks ranks(size);
    expect_no_errors(ranks.run(talk));
  }
}

TEST(MailChannel, KeepsOrderWhenLettersAreLate) {
  MailRanks ranks(3);
  ranks.be_late(1, milliseconds(3));
  ranks.be_late(2, milliseconds(1));
  expect_no_errors(ranks.run(talk));
}

// A ring in both directions, two states to each neighbour; the lists of two ranks name their common transfers
// in the same order, with others between them.
TEST(MailChannel, TransfersInBothDirectionsAtOnce) {
  for (const int size : {2, 3, 4}) {
    MailRanks ranks(size);
    ranks.be_late(0, milliseconds(2));
    expect_no_errors(ranks.run([size](int rank, const std::shared_ptr<ReplicaMail>& mail) {
      const auto channel = make_mail_channel(mail, kPatience);
      for (int round = 0; round < 3; ++round) {
        std::vector<std::string> states;
        std::vector<ReplicaChannel::Transfer> transfers;
        std::vector<char> expected;
        states.reserve(static_cast<std::size_t>(4 * size));
        for (int peer = 0; peer < size; ++peer) {
          if (peer == rank) continue;
          for (int i = 0; i < 2; ++i) {
            const auto text = [i, round](int from, int to) {
              return static_cast<char>('a' + from * 5 + to + i * 20 + round * 40);
            };
            states.emplace_back(kBytes, text(rank, peer));
            transfers.push_back({peer, true, states.back().data()});
            expected.push_back(text(rank, peer));
            states.emplace_back(kBytes, '\0');
            transfers.push_back({peer, false, states.back().data()});
            expected.push_back(text(peer, rank));
          }
        }
        channel->transfer(transfers, kBytes);
        for (std::size_t i = 0; i < states.size(); ++i)
          EXPECT_EQ(states[i], std::string(kBytes, expected[i]));
      }
      channel->transfer({}, kBytes);
    }));
  }
}

TEST(MailChannel, RefusesAStateOfAnotherSize) {
  MailRanks ranks(2);
  const auto errors = ranks.run([](int rank, const std::shared_ptr<ReplicaMail>& mail) {
    std::string state(16, 'x');
    const std::vector<ReplicaChannel::Transfer> transfers = {{1 - rank, rank == 0, state.data()}};
    make_mail_channel(mail, kPatience)->transfer(transfers, rank == 0 ? 8 : 16);
  });
  ASSERT_TRUE(errors[1]);
  EXPECT_EQ(errors[1]->kind(), ErrorKind::internal);
  EXPECT_THAT(errors[1]->what(), HasSubstr("8 bytes from rank 0 instead of 16"));
}

TEST(MailChannel, FailureOfOneRankReachesAllOthers) {
  MailRanks ranks(4);
  const auto errors = ranks.run([](int rank, const std::shared_ptr<ReplicaMail>& mail) {
    const auto channel = make_mail_channel(mail, kPatience);
    if (rank == 2) {
      Error error(ErrorKind::environment, "the GPU of rank 2 has left");
      error.rank = 2;
      channel->fail(error);
      return;
    }
    if (rank == 3)
      channel->broadcast(1, "");  // which has no deadline
    else
      channel->all_gather(std::vector<std::int64_t>{1});
  });
  for (const std::size_t rank : {0u, 1u, 3u}) {
    ASSERT_TRUE(errors[rank]);
    EXPECT_STREQ(errors[rank]->what(), "the GPU of rank 2 has left");
    EXPECT_EQ(errors[rank]->kind(), ErrorKind::environment);
    EXPECT_EQ(errors[rank]->rank, 2);
  }
  EXPECT_FALSE(errors[2]);
  EXPECT_THROW(ranks.mail(0)->throw_if_failed(), Error);
  EXPECT_NO_THROW(ranks.mail(2)->throw_if_failed());
}

TEST(MailChannel, DeadlineNamesTheSilentRank) {
  MailRanks ranks(3);
  ranks.be_silent(1);
  const double took = seconds_of([&] {
    const auto errors = ranks.run([](int rank, const std::shared_ptr<ReplicaMail>& mail) {
      const auto channel = make_mail_channel(mail, rank == 0 ? 0.1 : kPatience);
      try {
        channel->all_gather(std::vector<std::int64_t>{rank});
      } catch (const Error& error) {
        channel->fail(error);
        throw;
      }
    });
    for (const auto& error : errors) {
      ASSERT_TRUE(error);
      EXPECT_EQ(error->kind(), ErrorKind::environment);
      EXPECT_EQ(error->rank, 1);
      EXPECT_THAT(error->what(), HasSubstr("rank 1 did not answer rank 0 within 0.1 s"));
    }
  });
  EXPECT_GE(took, 0.1);
  EXPECT_LT(took, kPatience / 2);
}

TEST(ReplicaMail, CancelEndsAWaitAndAllLaterOnes) {
  MailRanks ranks(2);
  std::thread main_thread([&] {
    std::this_thread::sleep_for(milliseconds(50));
    ranks.mail(0)->cancel(Error(ErrorKind::environment, "the job ends"));
    ranks.mail(0)->cancel(Error(ErrorKind::environment, "said too late"));
  });
  const double took = seconds_of([&] {
    for (int i = 0; i < 2; ++i) {
      try {
        ranks.mail(0)->receive(1, 0);
        ADD_FAILURE() << "no error";
      } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "the job ends");
      }
    }
  });
  main_thread.join();
  EXPECT_GE(took, 0.04);
  ranks.mail(0)->open(2);
  EXPECT_THROW(ranks.mail(0)->throw_if_failed(), Error);
}

// Without a carrier: letters go where the test puts them.
class Letters : public testing::Test {
 protected:
  void pass(int skip = 0) {
    for (const ReplicaMail::Letter& letter : sender_.take_outgoing()) {
      EXPECT_EQ(letter.to, 1);
      if (skip-- <= 0) receiver_.deliver(0, letter.bytes);
    }
  }
  std::string kept() { return receiver_.receive(0, kPatience); }
  void expect_nothing() { EXPECT_THROW(receiver_.receive(0, 0.01), Error); }

  ReplicaMail sender_{0, 2}, receiver_{1, 2};
};

TEST_F(Letters, OfAnEarlierUnitAreDropped) {
  sender_.open(3);
  receiver_.open(4);
  sender_.send(1, "of unit 3");
  sender_.fail(Error(ErrorKind::unit, "unit 3 failed"));
  pass();
  EXPECT_NO_THROW(receiver_.throw_if_failed());
  expect_nothing();
  sender_.open(4);
  sender_.send(1, "of unit 4");
  pass();
  EXPECT_EQ(kept(), "of unit 4");
}

TEST_F(Letters, OfALaterUnitWait) {
  sender_.open(4);
  receiver_.open(3);
  sender_.send(1, "first");
  sender_.send(1, "second");
  pass();
  expect_nothing();
  sender_.open(5);
  sender_.fail(Error(ErrorKind::unit, "unit 5 failed"));
  pass();
  EXPECT_NO_THROW(receiver_.throw_if_failed());
  receiver_.open(4);
  EXPECT_EQ(kept(), "first");
  EXPECT_EQ(kept(), "second");
  receiver_.open(5);
  EXPECT_THROW(receiver_.receive(0, kPatience), Error);
}

TEST_F(Letters, LeftOverAreDroppedWithTheirUnit) {
  sender_.open(1);
  receiver_.open(1);
  sender_.send(1, "never read");
  pass();
  sender_.open(2);
  receiver_.open(2);
  sender_.send(1, "read");
  pass();
  EXPECT_EQ(kept(), "read");
}

TEST_F(Letters, AreKeptApartBySender) {
  ReplicaMail third(2, 3), receiver(1, 3);
  for (ReplicaMail* mail : {&sender_, &third, &receiver}) mail->open(1);
  third.send(1, "of rank 2");
  sender_.send(1, "of rank 0");
  for (const auto& letter : third.take_outgoing()) receiver.deliver(2, letter.bytes);
  for (const auto& letter : sender_.take_outgoing()) receiver.deliver(0, letter.bytes);
  EXPECT_EQ(receiver.receive(0, kPatience), "of rank 0");
  EXPECT_EQ(receiver.receive(2, kPatience), "of rank 2");
}

TEST_F(Letters, ThatAreCutAreRefused) {
  receiver_.open(1);
  try {
    receiver_.deliver(0, "short");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    EXPECT_THAT(error.what(), HasSubstr("letter of rank 0"));
  }
  sender_.open(1);
  sender_.send(1, "");  // a whole one may be empty
  pass();
  EXPECT_EQ(kept(), "");
}

TEST_F(Letters, ThatAreLostAreMissed) {
  sender_.open(1);
  receiver_.open(1);
  sender_.send(1, "lost");
  sender_.send(1, "kept");
  pass(1);
  EXPECT_EQ(kept(), "kept");
  try {
    receiver_.receive(0, 0.01);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.rank, 0);
  }
}

TEST_F(Letters, EndThePauseOfTheMainThread) {
  using std::chrono::milliseconds;
  sender_.open(1);
  receiver_.open(1);
  const auto paused = [](ReplicaMail& mail, milliseconds longest) {
    const auto start = std::chrono::steady_clock::now();
    mail.pause(longest);
    return std::chrono::steady_clock::now() - start;
  };
  EXPECT_GE(paused(sender_, milliseconds(20)), milliseconds(20));
  std::thread writer([this] {
    std::this_thread::sleep_for(milliseconds(20));
    sender_.send(1, "");
  });
  EXPECT_LT(paused(sender_, milliseconds(20'000)), milliseconds(10'000));
  writer.join();
  EXPECT_LT(paused(sender_, milliseconds(20'000)), milliseconds(10'000)) << "a letter waits already";
  pass();
  EXPECT_GE(paused(receiver_, milliseconds(20)), milliseconds(20));
}

}  // namespace
}  // namespace lcn
