#include "search/distributed_population.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "support/error.hpp"
#include "support/plural.hpp"

namespace lcn {
namespace {

class DistributedPopulation : public Population {
 public:
  DistributedPopulation(ReplicaChannel& channel, int replicas, std::unique_ptr<Population> own,
                        ExchangeTraffic& traffic)
      : channel_(channel),
        replicas_(replicas),
        band_(replica_band(replicas, channel.rank(), channel.size())),
        own_(std::move(own)),
        traffic_(traffic),
        touched_(static_cast<std::size_t>(replicas)) {
    traffic_.ranks = channel.size();
    traffic_.channel = channel.name();
  }

  int size() const override { return replicas_; }
  bool owns(int slot) const override { return slot >= band_.begin && slot < band_.end; }
  const char* backend() const override { return own_->backend(); }

  void watch(StopFunction stop) override { own_->watch(std::move(stop)); }

  // Several loads or restarts after one another reach the band's population as one batch.
  void load(int slot, const Drawing& drawing) override {
    replace(kLoad, slot);
    if (!owns(slot)) return;
    own_->load(local(slot), drawing);
    loaded_.push_back(slot);
  }

  void restart(int slot, const Drawing& drawing) override {
    replace(kRestart, slot);
    if (owns(slot)) own_->restart(local(slot), drawing);
  }

  void run(const PopulationRound& round, std::span<const std::int64_t> temperatures) override {
    flush();
    digest(round.first_step);
    digest(round.steps);
    for (const std::int64_t temperature : temperatures) digest(temperature);
    if (*round.table != digested_table_) {
      digested_table_ = *round.table;
      for (const std::int64_t weight : digested_table_) digest(weight);
    }
    PopulationRound own_round = round;
    own_round.first_replica = static_cast<std::uint32_t>(band_.begin);
    own_->run(own_round, temperatures.subspan(static_cast<std::size_t>(band_.begin),
                                              static_cast<std::size_t>(band_.end - band_.begin)));
  }

  const Tuple& tuple(int slot) const override { return flushed().tuple(owned(slot)); }
  const ChainScalars& scalars(int slot) const override {
    return std::as_const(flushed()).scalars(owned(slot));
  }
  ChainScalars& scalars(int slot) override { return flushed().scalars(owned(slot)); }
  Drawing drawing(int slot) const override { return flushed().drawing(owned(slot)); }
  Drawing best_drawing(int slot) const override { return flushed().best_drawing(owned(slot)); }
  std::vector<std::int32_t> counts(int slot) const override { return flushed().counts(owned(slot)); }
  std::size_t state_bytes() const override { return own_->state_bytes(); }
  void write_state(int slot, void* state) const override { flushed().write_state(owned(slot), state); }
  void read_state(int slot, const void* state) override { flushed().read_state(owned(slot), state); }

  void copy(int from, int to) override { move(from, to, false); }
  void swap(int a, int b) override { move(a, b, true); }

  std::vector<std::int64_t> energies(const std::vector<std::int64_t>& table) override {
    return gather<1>(
        flushed().energies(table), [](std::int64_t e) { return std::array{e}; },
        [](std::span<const std::int64_t> w) { return w[0]; });
  }
  std::vector<Tuple> tuples() override {
    return gather<4>(
        flushed().tuples(),
        [](const Tuple& t) {
          return std::array{t.K, t.n_K, t.Phi, t.C};
        },
        [](std::span<const std::int64_t> w) {
          return Tuple{w[0], w[1], w[2], w[3]};
        });
  }
  std::vector<std::int64_t> families() override {
    return gather<1>(
        flushed().families(), [](std::int64_t f) { return std::array{f}; },
        [](std::span<const std::int64_t> w) { return w[0]; });
  }
  std::vector<Sha256> hashes() override {
    using Words = std::array<std::int64_t, sizeof(Sha256) / sizeof(std::int64_t)>;
    return gather<Words().size()>(
        flushed().hashes(),
        [](const Sha256& hash) {
          Words words;
          std::memcpy(words.data(), hash.data(), sizeof words);
          return words;
        },
        [](std::span<const std::int64_t> words) {
          Sha256 hash;
          std::memcpy(hash.data(), words.data(), sizeof hash);
          return hash;
        });
  }
  ProposalTotals totals() override {
    const ProposalTotals own = flushed().totals();
    const std::array mine{own.attempted, own.valid, own.evaluated, own.accepted};
    const std::vector<std::int64_t> all = channel_.all_gather(mine);
    ProposalTotals sum;
    for (std::size_t at = 0; at < all.size(); at += mine.size()) {
      sum.attempted += all[at];
      sum.valid += all[at + 1];
      sum.evaluated += all[at + 2];
      sum.accepted += all[at + 3];
    }
    return sum;
  }

  void settle() override { flush(); }
  std::int64_t decisions() const override { return static_cast<std::int64_t>(digest_); }

 private:
  struct Move {
    int from, to;  // a swap goes both ways
    bool swap;
  };

  int local(int slot) const { return slot - band_.begin; }
  int owned(int slot) const {
    if (!owns(slot))
      throw Error(ErrorKind::internal, "replica " + std::to_string(slot) + " belongs to another rank");
    return local(slot);
  }
  int owner(int slot) const {
    // bands are floor(replicas * rank / ranks), so this guess is right or one too low
    int rank = static_cast<int>(static_cast<std::int64_t>(slot) * channel_.size() / replicas_);
    while (slot >= replica_band(replicas_, rank, channel_.size()).end) ++rank;
    return rank;
  }
  Population& flushed() const {
    flush();
    return *own_;
  }

  void digest(std::int64_t value) {  // FNV-1a over words
    digest_ = (digest_ ^ static_cast<std::uint64_t>(value)) * 0x100000001b3ULL;
  }

  // Each slot takes part in one waiting move at most, or is the source of several copies; so their order does
  // not matter. All ranks see all moves, and flush at the same places.
  enum Touch : char { kFree = 0, kRead, kWritten };
  enum Call : std::int64_t { kSwap = -1, kCopy = -2, kLoad = -3, kRestart = -4 };  // in the digest
  void replace(Call call, int slot) {
    if (!moves_.empty()) flush();
    digest(call);
    digest(slot);
  }
  void move(int from, int to, bool swap) {
    if (from == to) return;
    digest(swap ? kSwap : kCopy);
    digest(from);
    digest(to);
    auto &source = touched_[static_cast<std::size_t>(from)], &target = touched_[static_cast<std::size_t>(to)];
    if (source == kWritten || target != kFree || (swap && source != kFree)) flush();
    source = swap ? kWritten : kRead;
    target = kWritten;
    moves_.push_back({from, to, swap});
  }

  void flush() const {
    for (const int slot : std::exchange(loaded_, {})) own_->scalars(local(slot)).family = slot;
    if (moves_.empty()) return;
    const std::vector<Move> moves = std::exchange(moves_, {});
    std::fill(touched_.begin(), touched_.end(), kFree);
    std::vector<ReplicaChannel::Transfer> transfers;
    std::vector<int> sent, received;  // slots of this rank, in the order of transfers
    for (const Move& m : moves) {
      if (owner(m.from) == owner(m.to)) continue;
      (m.swap ? traffic_.exchanges : traffic_.migrations) += owns(m.from) ? 1 : 0;  // counted once
      const auto send = [&](int from, int to) {
        sent.push_back(local(from));
        transfers.push_back({owner(to), true, nullptr});
      };
      const auto receive = [&](int from, int to) {
        received.push_back(local(to));
        transfers.push_back({owner(from), false, nullptr});
      };
      if (owns(m.from)) {
        send(m.from, m.to);
        if (m.swap) receive(m.to, m.from);
      } else if (owns(m.to)) {
        if (m.swap) send(m.to, m.from);
        receive(m.from, m.to);
      }
    }
    if (!transfers.empty()) exchange(transfers, sent, received);
    for (const Move& m : moves) {
      if (!owns(m.from) || !owns(m.to)) continue;
      if (m.swap)
        own_->swap(local(m.from), local(m.to));
      else
        own_->copy(local(m.from), local(m.to));
    }
  }

  void exchange(std::vector<ReplicaChannel::Transfer>& transfers, const std::vector<int>& sent,
                const std::vector<int>& received) const {
    const std::size_t bytes = own_->state_bytes();
    // room between states: device code wants them aligned
    const std::size_t stride = (bytes + 255) / 256 * 256;
    unsigned char* const memory = memory_.reserve(channel_, stride * transfers.size());
    std::vector<void*> out, in;
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      transfers[i].state = memory + i * stride;
      (transfers[i].send ? out : in).push_back(transfers[i].state);
    }
    if (channel_.device_memory()) {
      if (!sent.empty()) own_->write_device_states(sent, out);
    } else {
      for (std::size_t i = 0; i < sent.size(); ++i) own_->write_state(sent[i], out[i]);
    }
    channel_.transfer(transfers, bytes);
    if (channel_.device_memory()) {
      if (!received.empty()) own_->read_device_states(received, in);
    } else {
      for (std::size_t i = 0; i < received.size(); ++i) own_->read_state(received[i], in[i]);
    }
    traffic_.state_bytes = static_cast<std::int64_t>(bytes);
    traffic_.bytes += static_cast<std::int64_t>(bytes * sent.size());
  }

  // One value a slot of this rank -> those of all slots.
  template <std::size_t Words, class Value, class ToWords, class FromWords>
  std::vector<Value> gather(const std::vector<Value>& mine, ToWords to_words, FromWords from_words) {
    const auto widest = static_cast<std::size_t>((replicas_ + channel_.size() - 1) / channel_.size());
    std::vector<std::int64_t> words(widest * Words);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const std::array<std::int64_t, Words> value = to_words(mine[i]);
      std::copy(value.begin(), value.end(), words.begin() + static_cast<std::ptrdiff_t>(i * Words));
    }
    const std::vector<std::int64_t> all = channel_.all_gather(words);
    std::vector<Value> values;
    for (int rank = 0; rank < channel_.size(); ++rank) {
      const ReplicaBand band = replica_band(replicas_, rank, channel_.size());
      for (int i = 0; i < band.end - band.begin; ++i)
        values.push_back(from_words(std::span(all).subspan(
            (static_cast<std::size_t>(rank) * widest + static_cast<std::size_t>(i)) * Words, Words)));
    }
    return values;
  }

  // The channel's memory for states under way; grows.
  struct StateMemory {
    unsigned char* reserve(ReplicaChannel& channel, std::size_t wanted) {
      if (wanted > size) {
        memory = channel.allocate(wanted);
        size = wanted;
      }
      return static_cast<unsigned char*>(memory.get());
    }
    std::shared_ptr<void> memory;
    std::size_t size = 0;
  };

  ReplicaChannel& channel_;
  int replicas_;
  ReplicaBand band_;
  std::unique_ptr<Population> own_;
  ExchangeTraffic& traffic_;
  mutable std::vector<int> loaded_;  // their families are still those that the band gave them
  mutable std::vector<Move> moves_;
  mutable std::vector<char> touched_;  // Touch, by slot
  mutable StateMemory memory_;
  std::vector<std::int64_t> digested_table_;
  std::uint64_t digest_ = 0xcbf29ce484222325ULL;
};

}  // namespace

ReplicaBand replica_band(int replicas, int rank, int ranks) {
  const auto begin = [&](int r) { return static_cast<int>(static_cast<std::int64_t>(replicas) * r / ranks); };
  return {begin(rank), begin(rank + 1)};
}

std::unique_ptr<Population> make_distributed_population(
    ReplicaChannel& channel, int replicas, const std::function<std::unique_ptr<Population>(int)>& make,
    ExchangeTraffic& traffic) {
  if (replicas < channel.size())
    throw usage_error("--distribute replicas: " + plural(replicas, "replica") + " for " +
                      std::to_string(channel.size()) +
                      " ranks (each rank needs one) use more --replicas or --distribute units");
  const ReplicaBand band = replica_band(replicas, channel.rank(), channel.size());
  std::unique_ptr<Population> own = make(band.end - band.begin);
  if (channel.device_memory() && std::string(own->backend()) == "cpu")
    throw Error(ErrorKind::internal, std::string("channel ") + channel.name() +
                                         " moves states in a GPU's memory, but the replicas are on the CPU");
  return std::make_unique<DistributedPopulation>(channel, replicas, std::move(own), traffic);
}

}  // namespace lcn
