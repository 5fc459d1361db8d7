#include "search/population.hpp"

#include <algorithm>
#include <string>

namespace lcn {
namespace {

void append(std::string& bytes, std::int64_t value) {
  for (int i = 0; i < 8; ++i)
    bytes += static_cast<char>((static_cast<std::uint64_t>(value) >> (8 * i)) & 0xff);
}

void append(std::string& bytes, const Tuple& t) {
  for (std::int64_t value : {t.K, t.n_K, t.Phi, t.C}) append(bytes, value);
}

void append(std::string& bytes, const Bandit& bandit) {
  for (std::int32_t a = 0; a < bandit.arms; ++a) {
    append(bytes, bandit.weight[a]);
    append(bytes, bandit.score[a]);
  }
}

}  // namespace

Sha256 population_sha256(const Population& population) {
  std::string bytes;
  for (int r = 0; r < population.size(); ++r) {
    for (const Drawing& drawing : {population.drawing(r), population.best_drawing(r)})
      for (const Point& p : drawing) {
        append(bytes, p.x);
        append(bytes, p.y);
      }
    for (std::int32_t count : population.counts(r)) append(bytes, count);
    append(bytes, population.tuple(r));
    const ChainScalars& s = population.scalars(r);
    append(bytes, s.best);
    append(bytes, s.vertex_bandit);
    append(bytes, s.position_bandit);
    for (std::int64_t value :
         {s.best_step, s.attempted, s.valid, s.evaluated, s.accepted, s.family, s.last_end, s.round_trips})
      append(bytes, value);
  }
  return sha256(bytes);
}

ProposalGraphData::ProposalGraphData(const Graph& graph, const Grid& grid) {
  for (VertexId v = 0; v < graph.n(); ++v)
    if (graph.degree(v) > 0) movable_.push_back(v);
  view_ = {graph.n(),
           graph.m(),
           graph.edges().data(),
           graph.offsets().data(),
           graph.incidences().data(),
           movable_.data(),
           static_cast<std::int32_t>(movable_.size()),
           grid.width,
           grid.height,
           local_octaves(grid.width, grid.height)};
}

}  // namespace lcn
