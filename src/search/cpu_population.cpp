#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "crossings/bit_counter.hpp"
#include "crossings/direct_counter.hpp"
#include "geometry/predicates.hpp"
#include "search/population.hpp"
#include "search/team.hpp"
#include "support/thread_pool.hpp"

namespace lcn {
namespace {

// The crossing matrices of all replicas together stay below this; beyond it counts are kept and old crossings
// retested.
constexpr std::size_t kMatrixBudget = std::size_t{320} << 20;

template <class T>
class BitSlot {
 public:
  using Counter = BitCounter<T>;
  using Team = HostTeam<1>;
  BitSlot(const Graph& graph, const Grid& grid, CrossingStore store) : counter_(graph, grid, store) {}
  void load(const Drawing& drawing, const StopFunction& stop) { counter_.load(drawing, stop); }
  Counter& counter() { return counter_; }
  const Counter& counter() const { return counter_; }
  void copy_drawing_from(const BitSlot& other) { counter_.copy_from(other.counter_); }
  std::vector<std::int32_t> counts() const { return counter_.counts(); }

 private:
  Counter counter_;
};

// The device's counter with an emulated team.
template <class Index, bool Exact, int Lanes>
class DirectSlot {
 public:
  using Team = HostTeam<Lanes>;
  using Counter = DirectCounter<Index, Exact, Team>;
  using Count = typename Index::Count;
  DirectSlot(const Graph& graph, const Grid& grid, CrossingStore)
      : edges_(direct_edges<Index>(graph)),
        points_(static_cast<std::size_t>(graph.n())),
        counts_(static_cast<std::size_t>(graph.m())),
        pending_(static_cast<std::size_t>(graph.m())) {
    for (VertexId v = 0; v < graph.n(); ++v)
      if (graph.degree(v) == 0) isolated_.push_back(v);
    const DirectArrays<Index> arrays{graph.n(),
                                     graph.m(),
                                     edges_.data(),
                                     graph.offsets().data(),
                                     graph.incidences().data(),
                                     isolated_.data(),
                                     static_cast<std::int32_t>(isolated_.size()),
                                     grid.width,
                                     grid.height,
                                     points_.data(),
                                     counts_.data(),
                                     pending_.data(),
                                     star_.data(),
                                     star_changes_.data()};
    counter_ = std::make_unique<Counter>(arrays, team_);
  }
  void load(const Drawing& drawing, const StopFunction& stop) {
    check_stop(stop);
    for (std::size_t v = 0; v < drawing.size(); ++v)
      points_[v] = {static_cast<std::int32_t>(drawing[v].x), static_cast<std::int32_t>(drawing[v].y)};
    counter_->recount();
  }
  Counter& counter() { return *counter_; }
  const Counter& counter() const { return *counter_; }
  void copy_drawing_from(const DirectSlot& other) {
    std::copy(other.points_.begin(), other.points_.end(), points_.begin());
    std::copy(other.counts_.begin(), other.counts_.end(), counts_.begin());
    counter_->set_tuple(other.counter_->tuple());
  }
  std::vector<std::int32_t> counts() const { return {counts_.begin(), counts_.end()}; }

 private:
  std::vector<typename Index::Ends> edges_;
  std::vector<GridPoint> points_;
  std::vector<Count> counts_, pending_;
  std::vector<std::int32_t> isolated_;
  std::array<StarEdge, kStarCapacity> star_;
  std::array<std::int32_t, kStarCapacity> star_changes_;
  Team team_;
  std::unique_ptr<Counter> counter_;
};

template <class Slot>
class CpuPopulation : public Population {
 public:
  CpuPopulation(const Graph& graph, const Grid& grid, int replicas, int threads, CrossingStore store)
      : graph_(graph),
        grid_(grid),
        store_(store),
        data_(graph, grid),
        pool_(std::min(threads, replicas)),
        slots_(static_cast<std::size_t>(replicas)) {}

  int size() const override { return static_cast<int>(slots_.size()); }

  void watch(StopFunction stop) override { stop_ = std::move(stop); }

  void load(int slot, const Drawing& drawing) override {
    // made one by one: a hundred thousand take seconds
    std::unique_ptr<Entry>& loaded = slots_[static_cast<std::size_t>(slot)];
    if (!loaded) loaded = std::make_unique<Entry>(graph_, grid_, store_);
    Entry& entry = *loaded;
    count_drawing(slot, drawing);
    entry.scalars = ChainScalars{};
    entry.scalars.vertex_bandit.reset(kVertexArms);
    entry.scalars.position_bandit.reset(kPositionArms);
    entry.scalars.best = entry.slot.counter().tuple();
    entry.scalars.family = slot;
    save_best(entry);
  }

  void restart(int slot, const Drawing& drawing) override { count_drawing(slot, drawing); }

  void run(const PopulationRound& round, std::span<const std::int64_t> temperatures) override {
    counted_.clear();
    pool_.for_each(size(), [&](int r) {
      Entry& entry = *slots_[static_cast<std::size_t>(r)];
      const ChainRound chain{round.key,
                             round.first_replica + static_cast<std::uint32_t>(r),
                             round.first_step,
                             round.steps,
                             round.ends,
                             temperatures[static_cast<std::size_t>(r)],
                             round.energy,
                             round.table->data(),
                             neg_log_table().entries.data()};
      run_chain(data_.view(), entry.slot.counter(), typename Slot::Team{}, chain, entry.scalars,
                [&] { save_best(entry); });
    });
  }

  const Tuple& tuple(int slot) const override { return at(slot).slot.counter().tuple(); }
  const ChainScalars& scalars(int slot) const override { return at(slot).scalars; }
  ChainScalars& scalars(int slot) override { return slots_[static_cast<std::size_t>(slot)]->scalars; }

  std::vector<std::int64_t> energies(const std::vector<std::int64_t>& table) override {
    std::vector<std::int64_t> values(slots_.size());
    pool_.for_each(size(), [&](int r) {
      values[static_cast<std::size_t>(r)] = at(r).slot.counter().energy(table.data());
    });
    return values;
  }

  void copy(int from, int to) override {
    counted_.clear();
    Entry& target = *slots_[static_cast<std::size_t>(to)];
    const Entry& source = at(from);
    target.slot.copy_drawing_from(source.slot);
    target.scalars.vertex_bandit = source.scalars.vertex_bandit;
    target.scalars.position_bandit = source.scalars.position_bandit;
    target.scalars.family = source.scalars.family;
  }

  void swap(int a, int b) override {
    counted_.clear();
    Entry &s = *slots_[static_cast<std::size_t>(a)], &t = *slots_[static_cast<std::size_t>(b)];
    std::swap(slots_[static_cast<std::size_t>(a)], slots_[static_cast<std::size_t>(b)]);
    // Contents travel; what the slot has done and found stays.
    std::swap(s.best_x, t.best_x);
    std::swap(s.best_y, t.best_y);
    std::swap(s.scalars, t.scalars);
    std::swap(s.scalars.vertex_bandit, t.scalars.vertex_bandit);
    std::swap(s.scalars.position_bandit, t.scalars.position_bandit);
    std::swap(s.scalars.family, t.scalars.family);
  }

  Drawing drawing(int slot) const override {
    Drawing points(static_cast<std::size_t>(graph_.n()));
    for (VertexId v = 0; v < graph_.n(); ++v)
      points[static_cast<std::size_t>(v)] = {at(slot).slot.counter().x(v), at(slot).slot.counter().y(v)};
    return points;
  }

  Drawing best_drawing(int slot) const override {
    const Entry& entry = at(slot);
    Drawing points(entry.best_x.size());
    for (std::size_t v = 0; v < points.size(); ++v) points[v] = {entry.best_x[v], entry.best_y[v]};
    return points;
  }

  std::vector<std::int32_t> counts(int slot) const override { return at(slot).slot.counts(); }
  const char* backend() const override { return "cpu"; }

 private:
  struct Entry {
    Entry(const Graph& graph, const Grid& grid, CrossingStore store)
        : slot(graph, grid, store),
          best_x(static_cast<std::size_t>(graph.n())),
          best_y(static_cast<std::size_t>(graph.n())) {}
    Slot slot;
    ChainScalars scalars;
    std::vector<std::int32_t> best_x, best_y;
  };

  const Entry& at(int slot) const { return *slots_[static_cast<std::size_t>(slot)]; }

  // Counting a drawing costs O(m^2); replicas that begin from the same drawing are counted once.
  void count_drawing(int slot, const Drawing& drawing) {
    constexpr std::size_t kMostRemembered = 512;
    std::erase_if(counted_, [&](const auto& known) { return known.second == slot; });
    for (const auto& [known, other] : counted_)
      if (known == drawing) {
        slots_[static_cast<std::size_t>(slot)]->slot.copy_drawing_from(at(other).slot);
        return;
      }
    slots_[static_cast<std::size_t>(slot)]->slot.load(drawing, stop_);
    if (counted_.size() < kMostRemembered) counted_.emplace_back(drawing, slot);
  }

  void save_best(Entry& entry) {
    for (VertexId v = 0; v < graph_.n(); ++v) {
      entry.best_x[static_cast<std::size_t>(v)] = entry.slot.counter().x(v);
      entry.best_y[static_cast<std::size_t>(v)] = entry.slot.counter().y(v);
    }
  }

  const Graph& graph_;
  Grid grid_;
  CrossingStore store_;
  ProposalGraphData data_;
  ThreadPool pool_;
  StopFunction stop_;
  std::vector<std::unique_ptr<Entry>> slots_;     // null until loaded
  std::vector<std::pair<Drawing, int>> counted_;  // and the slot that holds it, until something moves
};

template <class T>
std::unique_ptr<Population> make_bits(const Graph& graph, const Grid& grid, int replicas, int threads) {
  const auto words = static_cast<std::size_t>((graph.m() + 63) / 64);
  const std::size_t bytes =
      static_cast<std::size_t>(graph.m()) * words * 8 * static_cast<std::size_t>(replicas);
  const CrossingStore store = bytes <= kMatrixBudget ? CrossingStore::matrix : CrossingStore::recount;
  return std::make_unique<CpuPopulation<BitSlot<T>>>(graph, grid, replicas, threads, store);
}

// The device's rules: compact indices where they fit, exact float32 on small grids.
template <int Lanes>
std::unique_ptr<Population> make_direct(const Graph& graph, const Grid& grid, int replicas, int threads) {
  const CrossingStore none = CrossingStore::recount;
  if (!fits_compact_index(graph))
    return std::make_unique<CpuPopulation<DirectSlot<WideIndex, false, Lanes>>>(graph, grid, replicas,
                                                                                threads, none);
  if (std::max(grid.width, grid.height) <= kMaxDifferenceFp32)
    return std::make_unique<CpuPopulation<DirectSlot<CompactIndex, true, Lanes>>>(graph, grid, replicas,
                                                                                  threads, none);
  return std::make_unique<CpuPopulation<DirectSlot<CompactIndex, false, Lanes>>>(graph, grid, replicas,
                                                                                 threads, none);
}

}  // namespace

std::unique_ptr<Population> make_cpu_population(const Graph& graph, const Grid& grid, int replicas,
                                                int threads, CounterKind counter) {
  switch (counter) {
    case CounterKind::direct1:
      return make_direct<1>(graph, grid, replicas, threads);
    case CounterKind::direct32:
      return make_direct<32>(graph, grid, replicas, threads);
    case CounterKind::direct128:
      return make_direct<128>(graph, grid, replicas, threads);
    case CounterKind::bits:
      break;
  }
  const std::int64_t side = std::max(grid.width, grid.height);
  if (choose_arithmetic(grid) == Arithmetic::int64)
    return make_bits<std::int64_t>(graph, grid, replicas, threads);
  if (side <= 2896) return make_bits<float>(graph, grid, replicas, threads);
  return make_bits<double>(graph, grid, replicas, threads);
}

}  // namespace lcn
