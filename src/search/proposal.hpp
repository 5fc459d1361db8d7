#pragma once
#include <cstdint>

#include "graph/graph.hpp"
#include "random/philox.hpp"
#include "search/bandit.hpp"
#include "support/host_device.hpp"

namespace lcn {

// Which vertex moves.
enum VertexArm : std::int32_t {
  uniform_vertex,  // any vertex that has an edge
  focus_end,       // an end of an edge among the top crossing levels
  focus_partner,   // an end of an edge that crosses such an edge
  kVertexArms
};
// Where it goes.
enum PositionArm : std::int32_t {
  neighbour_centroid,  // towards the mean of a random subset of its neighbours
  local_jitter,        // within a box of log-uniform size around its place
  regional_jitter,     // within a box of a quarter to the whole of the grid
  reflection,          // to the other side of an edge that crosses one of its edges
  near_neighbour,      // within a small box around a random neighbour's place
  kPositionArms
};

// The graph as proposals read it: plain pointers, so that host and device share the code.
struct ProposalGraph {
  std::int32_t n = 0, m = 0;
  const Edge* edges = nullptr;
  const std::int32_t* offsets = nullptr;  // n + 1
  const Incidence* incidences = nullptr;  // 2 m
  const std::int32_t* movable = nullptr;  // vertices with an edge, ascending
  std::int32_t movable_count = 0;
  std::int64_t width = 0, height = 0;
  std::int32_t octaves = 1;  // sizes of local boxes: span/8, span/16, ... down to at least 1
};

LCN_HD inline std::int32_t local_octaves(std::int64_t width, std::int64_t height) {
  std::int64_t span = (width > height ? width : height) >> 3;
  std::int32_t count = 1;
  while (span > 1 && count < 12) {
    span >>= 1;
    ++count;
  }
  return count;
}

// Random words of one step: block b of four words is counter (replica, step, b).
struct StepDraws {
  StreamKey key;
  std::uint32_t replica;
  std::uint64_t step;
  LCN_HD Draw4 block(std::uint32_t index) const { return chain_draw(key, replica, step, index); }
};
// Blocks of a step: 0 arms, pick, acceptance, spare; 1 position; 8..15 focus candidates; 16..23 crossing
// partners; 64 and up: neighbour subsets, one bit a neighbour.
inline constexpr std::uint32_t kFocusBlock = 8, kPartnerBlock = 16, kSubsetBlock = 64;

struct Proposal {
  bool moves = false;
  std::int32_t vertex = 0, x = 0, y = 0;
};

// The words of consecutive candidates; keeps the last block, since a single lane asks for one after another.
class CandidateWords {
 public:
  LCN_HD CandidateWords(const StepDraws& draws, std::uint32_t first_block)
      : draws_(draws), first_block_(first_block) {}
  LCN_HD std::uint32_t operator()(std::int32_t i) {
    if (i / 4 != cached_) {
      cached_ = i / 4;
      words_ = draws_.block(first_block_ + static_cast<std::uint32_t>(cached_));
    }
    const std::int32_t at = i & 3;
    return at == 0 ? words_.w[0] : at == 1 ? words_.w[1] : at == 2 ? words_.w[2] : words_.w[3];
  }

 private:
  const StepDraws& draws_;
  std::uint32_t first_block_;
  std::int32_t cached_ = -1;
  Draw4 words_{};
};

// First of 32 random edges whose count is within a sixteenth of the top level, else the most crossed of
// the 32.
template <class Counter, class Team>
LCN_HD std::int32_t focus_edge(const ProposalGraph& graph, const Counter& counter, const Team& team,
                               const StepDraws& draws) {
  const auto m = static_cast<std::uint32_t>(graph.m);
  const std::int64_t K = counter.tuple().K;
  const auto level = static_cast<std::int32_t>(K - K / 16);
  CandidateWords words(draws, kFocusBlock);
  const auto edge_of = [&](std::int32_t i) { return static_cast<std::int32_t>(bounded(words(i), m)); };
  return team.select32(
      edge_of, [&](std::int32_t e) { return counter.count(e); }, level);
}

// First of 32 random edges that crosses e, or -1.
template <class Counter, class Team>
LCN_HD std::int32_t crossing_partner(const ProposalGraph& graph, const Counter& counter, const Team& team,
                                     const StepDraws& draws, std::int32_t e) {
  const auto m = static_cast<std::uint32_t>(graph.m);
  CandidateWords words(draws, kPartnerBlock);
  const auto edge_of = [&](std::int32_t i) { return static_cast<std::int32_t>(bounded(words(i), m)); };
  return team.first32(edge_of, [&](std::int32_t f) { return counter.crosses(e, f); });
}

// Folds a coordinate that left 0..limit back at the wall, then clamps.
LCN_HD inline std::int32_t fold(std::int64_t c, std::int64_t limit) {
  if (c < 0) c = -c;
  if (c > limit) c = 2 * limit - c;
  if (c < 0) c = 0;
  return static_cast<std::int32_t>(c);
}

LCN_HD inline std::int64_t jitter(std::uint32_t word, std::int64_t radius) {
  return static_cast<std::int64_t>(bounded(word, static_cast<std::uint32_t>(2 * radius + 1))) - radius;
}

LCN_HD inline std::int64_t at_least_one(std::int64_t value) {
  return value < 1 ? 1 : value;
}

template <class Counter, class Team>
LCN_HD Proposal propose(const ProposalGraph& graph, const Counter& counter, const Team& team,
                        const StepDraws& draws, const Draw4& first, std::int32_t vertex_arm,
                        std::int32_t position_arm) {
  std::int32_t v;
  std::int32_t focus = -1, partner = -1;
  if (vertex_arm == uniform_vertex) {
    v = graph.movable[bounded(first.w[1], static_cast<std::uint32_t>(graph.movable_count))];
  } else {
    focus = focus_edge(graph, counter, team, draws);
    std::int32_t moved = focus;
    if (vertex_arm == focus_partner) {
      partner = crossing_partner(graph, counter, team, draws, focus);
      if (partner >= 0) moved = partner;
    }
    v = (first.w[1] & 1u) ? graph.edges[moved].b : graph.edges[moved].a;
  }
  const std::int32_t begin = graph.offsets[v], degree = graph.offsets[v + 1] - begin;
  const std::int64_t vx = counter.x(v), vy = counter.y(v);
  const std::int64_t span = graph.width > graph.height ? graph.width : graph.height;
  const Draw4 place = draws.block(1);
  const auto octave =
      static_cast<std::int32_t>(bounded(place.w[2], static_cast<std::uint32_t>(graph.octaves)));
  std::int64_t px = vx, py = vy, radius = 0;

  if (position_arm == neighbour_centroid) {
    // Bit i of the words from block kSubsetBlock on decides on neighbour i; a lane has few, mostly of one
    // block.
    CandidateWords words(draws, kSubsetBlock);
    const auto chosen = [&](std::int32_t i) { return ((words(i >> 5) >> (i & 31)) & 1u) != 0; };
    const auto neighbour = [&](std::int32_t i) { return graph.incidences[begin + i].neighbour; };
    std::int64_t taken = team.short_sum(degree, [&](std::int32_t i) { return std::int64_t{chosen(i)}; });
    std::int64_t sum_x = team.short_sum(
        degree, [&](std::int32_t i) { return std::int64_t{chosen(i) ? counter.x(neighbour(i)) : 0}; });
    std::int64_t sum_y = team.short_sum(
        degree, [&](std::int32_t i) { return std::int64_t{chosen(i) ? counter.y(neighbour(i)) : 0}; });
    if (taken == 0) {
      const std::int32_t u = graph
                                 .incidences[begin + static_cast<std::int32_t>(bounded(
                                                         first.w[3], static_cast<std::uint32_t>(degree)))]
                                 .neighbour;
      sum_x = counter.x(u);
      sum_y = counter.y(u);
      taken = 1;
    }
    const std::int64_t share =
        32 + bounded(place.w[3], 288);  // of 256: an eighth to five quarters of the way
    px = vx + ((sum_x / taken - vx) * share) / 256;
    py = vy + ((sum_y / taken - vy) * share) / 256;
    radius = at_least_one((span >> 5) >> octave);
  } else if (position_arm == local_jitter) {
    radius = at_least_one((span >> 3) >> octave);
  } else if (position_arm == regional_jitter) {
    radius = at_least_one(span >> (1 + (place.w[3] & 1u)));
  } else if (position_arm == near_neighbour) {
    const std::int32_t u = graph
                               .incidences[begin + static_cast<std::int32_t>(bounded(
                                                       first.w[3], static_cast<std::uint32_t>(degree)))]
                               .neighbour;
    px = counter.x(u);
    py = counter.y(u);
    radius = at_least_one((span >> 3) >> octave);
  } else {
    // Reflection of v at the line of an edge that crosses one of v's edges (the focus edge where v is its
    // end).
    std::int32_t e = focus;
    std::int32_t f = partner;
    const bool partner_side = partner >= 0 && (graph.edges[partner].a == v || graph.edges[partner].b == v);
    if (partner_side) {
      f = focus;
    } else {
      if (e < 0)
        e = graph
                .incidences[begin + static_cast<std::int32_t>(
                                        bounded(first.w[3], static_cast<std::uint32_t>(degree)))]
                .edge;
      f = crossing_partner(graph, counter, team, draws, e);
    }
    if (f < 0) return {};
    const std::int64_t ax = counter.x(graph.edges[f].a), ay = counter.y(graph.edges[f].a);
    const std::int64_t dx = counter.x(graph.edges[f].b) - ax, dy = counter.y(graph.edges[f].b) - ay;
    // v - s (n.(v - a) / n.n) n with the normal n = (-dy, dx) and s from 1 to 2.5; the ratio in units of
    // 2^-12.
    std::int64_t above = -dy * (vx - ax) + dx * (vy - ay), square = dx * dx + dy * dy;
    while (square >= (std::int64_t{1} << 44)) {
      square >>= 1;
      above /= 2;
    }
    while (above >= (std::int64_t{1} << 50) || above <= -(std::int64_t{1} << 50)) {
      above /= 2;
      square >>= 1;
    }
    if (square == 0) return {};
    const std::int64_t ratio = above * 4096 / square;
    const std::int64_t share = 256 + bounded(place.w[3], 384);
    const std::int64_t limit = std::int64_t{1} << 21;  // |ratio * n| stays below 2^52
    const std::int64_t bounded_ratio = ratio > limit ? limit : ratio < -limit ? -limit : ratio;
    px = vx + ((dy * bounded_ratio) / 4096) * share / 256;
    py = vy - ((dx * bounded_ratio) / 4096) * share / 256;
    radius = at_least_one((span >> 6) >> octave);
  }
  px += jitter(place.w[0], radius);
  py += jitter(place.w[1], radius);
  Proposal proposal;
  proposal.vertex = v;
  proposal.x = fold(px, graph.width);
  proposal.y = fold(py, graph.height);
  proposal.moves = proposal.x != vx || proposal.y != vy;
  return proposal;
}

}  // namespace lcn
