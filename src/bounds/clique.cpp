#include "bounds/clique.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace lcn {
namespace {

// Adjacency entries and 64-bit words that may be looked at, each phase: well under a second.
constexpr std::int64_t kGreedyWork = 100'000'000;
constexpr std::int64_t kSearchWork = 100'000'000;
constexpr std::size_t kMaxLocal = 4096;  // larger neighbourhoods are left to the greedy phase

std::vector<VertexId> later_neighbours(const Graph& graph, const Peeling& peeling, VertexId v) {
  std::vector<VertexId> later;
  for (const Incidence& incidence : graph.incident(v))
    if (peeling.place[incidence.neighbour] > peeling.place[v]) later.push_back(incidence.neighbour);
  std::sort(later.begin(), later.end(),
            [&](VertexId a, VertexId b) { return peeling.place[a] > peeling.place[b]; });
  return later;
}

class CliqueSearch {
 public:
  CliqueSearch(const Graph& graph, const Peeling& peeling)
      : graph_(graph), peeling_(peeling), mark_(static_cast<std::size_t>(graph.n()), -1) {}

  std::vector<VertexId> run() {
    if (graph_.n() > 0) best_ = {peeling_.order[0]};
    work_ = kGreedyWork;
    for (VertexId v : peeling_.order) greedy(v);
    work_ = kSearchWork;
    for (VertexId v : peeling_.order) search(v);
    std::sort(best_.begin(), best_.end());
    return best_;
  }

 private:
  bool spend(std::size_t amount) { return (work_ -= static_cast<std::int64_t>(amount)) > 0; }

  // Takes the latest candidate in peeling order, keeps its neighbours among the candidates, and so on.
  void greedy(VertexId v) {
    if (work_ <= 0) return;
    std::vector<VertexId> clique = {v}, candidates = later_neighbours(graph_, peeling_, v);
    while (!candidates.empty() && clique.size() + candidates.size() > best_.size()) {
      const VertexId next = candidates.front();
      if (!spend(static_cast<std::size_t>(graph_.degree(next)) + candidates.size())) return;
      clique.push_back(next);
      for (const Incidence& incidence : graph_.incident(next)) mark_[incidence.neighbour] = next;
      std::erase_if(candidates, [&](VertexId u) { return mark_[u] != next; });
      for (const Incidence& incidence : graph_.incident(next)) mark_[incidence.neighbour] = -1;
    }
    if (clique.size() > best_.size()) best_ = std::move(clique);
  }

  using Bits = std::vector<std::uint64_t>;

  // Maximum clique that contains v and otherwise only later vertices.
  void search(VertexId v) {
    if (work_ <= 0) return;
    local_ = later_neighbours(graph_, peeling_, v);
    const std::size_t size = local_.size();
    if (size + 1 <= best_.size() || size > kMaxLocal) return;
    const std::size_t words = (size + 63) / 64;
    if (!spend(size * words)) return;
    rows_.assign(size, Bits(words, 0));
    for (std::size_t i = 0; i < size; ++i) mark_[local_[i]] = static_cast<VertexId>(i);
    for (std::size_t i = 0; i < size; ++i)
      for (const Incidence& incidence : graph_.incident(local_[i]))
        if (const VertexId j = mark_[incidence.neighbour]; j >= 0)
          rows_[i][static_cast<std::size_t>(j) / 64] |= std::uint64_t{1} << (j % 64);
    for (VertexId u : local_) mark_[u] = -1;
    Bits all(words, 0);
    for (std::size_t i = 0; i < size; ++i) all[i / 64] |= std::uint64_t{1} << (i % 64);
    clique_ = {v};
    expand(std::move(all));
  }

  // Candidates by colour class: a clique has at most one vertex of each, so the colour bounds what is still
  // to come.
  void colour(Bits rest, std::vector<std::pair<std::size_t, std::size_t>>& order) {
    const auto first = [](const Bits& bits) {
      for (std::size_t w = 0; w < bits.size(); ++w)
        if (bits[w]) return w * 64 + static_cast<std::size_t>(std::countr_zero(bits[w]));
      return bits.size() * 64;
    };
    for (std::size_t colours = 1, i = first(rest); i < rest.size() * 64; ++colours, i = first(rest)) {
      Bits independent = rest;
      for (; i < rest.size() * 64; i = first(independent)) {
        order.push_back({i, colours});
        rest[i / 64] &= ~(std::uint64_t{1} << (i % 64));
        independent[i / 64] &= ~(std::uint64_t{1} << (i % 64));
        for (std::size_t w = 0; w < rest.size(); ++w) independent[w] &= ~rows_[i][w];
        spend(2 * rest.size());
      }
    }
  }

  void expand(Bits candidates) {
    std::vector<std::pair<std::size_t, std::size_t>> order;
    colour(candidates, order);
    if (order.empty() && clique_.size() > best_.size()) best_ = clique_;
    while (!order.empty() && work_ > 0) {
      const auto [i, colours] = order.back();
      if (clique_.size() + colours <= best_.size()) return;
      Bits next = candidates;
      for (std::size_t w = 0; w < next.size(); ++w) next[w] &= rows_[i][w];
      clique_.push_back(local_[i]);
      expand(std::move(next));
      clique_.pop_back();
      candidates[i / 64] &= ~(std::uint64_t{1} << (i % 64));
      order.pop_back();
    }
  }

  const Graph& graph_;
  const Peeling& peeling_;
  std::vector<VertexId> mark_, best_, clique_, local_;
  std::vector<Bits> rows_;
  std::int64_t work_ = 0;
};

}  // namespace

std::vector<VertexId> large_clique(const Graph& graph, const Peeling& peeling) {
  return CliqueSearch(graph, peeling).run();
}

}  // namespace lcn
