#include "search/population.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "support/error.hpp"

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

Sha256 slot_sha256(const Population& population, int slot) {
  std::string bytes;
  for (const Drawing& drawing : {population.drawing(slot), population.best_drawing(slot)})
    for (const Point& p : drawing) {
      append(bytes, p.x);
      append(bytes, p.y);
    }
  for (std::int32_t count : population.counts(slot)) append(bytes, count);
  append(bytes, population.tuple(slot));
  const ChainScalars& s = population.scalars(slot);
  append(bytes, s.best);
  append(bytes, s.vertex_bandit);
  append(bytes, s.position_bandit);
  for (std::int64_t value : {s.best_step, s.attempted, s.valid, s.evaluated, s.accepted, s.family})
    append(bytes, value);
  return sha256(bytes);
}

Sha256 population_sha256(Population& population) {
  std::string bytes;
  for (const Sha256& hash : population.hashes()) bytes.append(hash.begin(), hash.end());
  return sha256(bytes);
}

std::vector<Tuple> Population::tuples() {
  std::vector<Tuple> all;
  for (int r = 0; r < size(); ++r) all.push_back(tuple(r));
  return all;
}

std::vector<std::int64_t> Population::families() {
  std::vector<std::int64_t> all;
  for (int r = 0; r < size(); ++r) all.push_back(scalars(r).family);
  return all;
}

ProposalTotals Population::totals() {
  ProposalTotals sum;
  for (int r = 0; r < size(); ++r) {
    const ChainScalars& s = scalars(r);
    sum.attempted += s.attempted;
    sum.valid += s.valid;
    sum.evaluated += s.evaluated;
    sum.accepted += s.accepted;
  }
  return sum;
}

std::vector<Sha256> Population::hashes() {
  std::vector<Sha256> all;
  for (int r = 0; r < size(); ++r) all.push_back(slot_sha256(*this, r));
  return all;
}

std::size_t Population::state_bytes() const {
  return sizeof(StateHeader) + (2 * drawing(0).size() + counts(0).size()) * sizeof(std::int32_t);
}

void Population::write_state(int slot, void* state) const {
  const ChainScalars& s = scalars(slot);
  const StateHeader header{tuple(slot), s.vertex_bandit, s.position_bandit, s.family};
  std::vector<std::int32_t> values;
  for (const Point& p : drawing(slot)) {
    values.push_back(static_cast<std::int32_t>(p.x));
    values.push_back(static_cast<std::int32_t>(p.y));
  }
  const std::vector<std::int32_t> counts_now = counts(slot);
  values.insert(values.end(), counts_now.begin(), counts_now.end());
  std::memcpy(state, &header, sizeof header);
  // not memcpy: a graph without vertices has no values, and memcpy takes no null pointer even then
  std::ranges::copy(std::as_bytes(std::span(values)), static_cast<std::byte*>(state) + sizeof header);
}

void Population::read_state(int slot, const void* state) {
  StateHeader header;
  std::memcpy(&header, state, sizeof header);
  std::vector<std::int32_t> values((state_bytes() - sizeof header) / sizeof(std::int32_t));
  std::copy_n(static_cast<const std::byte*>(state) + sizeof header, values.size() * sizeof(std::int32_t),
              std::as_writable_bytes(std::span(values)).begin());
  const std::size_t n = drawing(slot).size();
  Drawing points(n);
  for (std::size_t v = 0; v < n; ++v) points[v] = {values[2 * v], values[2 * v + 1]};
  restart(slot, points);
  if (!std::ranges::equal(counts(slot), std::span(values).subspan(2 * n)))
    throw Error(ErrorKind::internal, "a replica's state from another rank: counts and drawing differ");
  ChainScalars& s = scalars(slot);
  s.vertex_bandit = header.vertex_bandit;
  s.position_bandit = header.position_bandit;
  s.family = header.family;
}

void Population::write_device_states(std::span<const int>, std::span<void* const>) {
  throw Error(ErrorKind::internal, "these replicas are not in a device's memory");
}

void Population::read_device_states(std::span<const int>, std::span<void* const>) {
  throw Error(ErrorKind::internal, "these replicas are not in a device's memory");
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
