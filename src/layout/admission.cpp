#include "layout/admission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "geometry/predicates.hpp"
#include "layout/conflicts.hpp"
#include "layout/fit.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

constexpr int kCandidates = 24;  // positions tried for one conflict before the best of them is taken
constexpr std::uint32_t kNoise =
    32;  // one time in kNoise a worse position is taken, to leave a local minimum

void require_room(const Graph& graph, const Grid& grid) {
  choose_arithmetic(grid);  // refuses sides that no predicate is exact for
  const std::int64_t points = (grid.width + 1) * (grid.height + 1);
  if (graph.n() <= points) return;
  throw Error(
      ErrorKind::unit,
      fmt::format(
          "admission: {} vertices do not fit on the {} x {} grid (it has {} points, and no two vertices "
          "may share one) use a larger grid",
          graph.n(), grid.width, grid.height, points));
}

// Puts every vertex on its wanted point or, where that is taken by a vertex of smaller index, on the nearest
// free one.
void place_all(const Drawing& wanted, ConflictState& state) {
  std::vector<VertexId> homeless;
  for (VertexId v = 0; v < static_cast<VertexId>(wanted.size()); ++v) {
    const Point& p = wanted[static_cast<std::size_t>(v)];
    if (state.occupancy().at(p) == Occupancy::kFree)
      state.place(v, p);
    else
      homeless.push_back(v);
  }
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>
      full_radius;  // per point: nothing free inside
  for (VertexId v : homeless) {
    const Point& p = wanted[static_cast<std::size_t>(v)];
    state.place(v, state.occupancy().nearest_free(p, full_radius[{p.x, p.y}]));
  }
}

// Min-conflict search: a random conflict of the list is resolved by moving one of its three vertices to the
// best of a few positions, near ones first; an occupied position means that the two vertices swap places.
// Every conflict that arises is put on the list, so an empty list proves that none is left; entries may be
// stale and are checked.
class Repair {
 public:
  Repair(const Graph& graph, const Grid& grid, ConflictState& state, StreamKey key, std::int64_t budget)
      : graph_(graph), grid_(grid), state_(state), stream_(key), budget_(budget) {
    while ((std::int64_t{1} << levels_) < std::max(grid.width, grid.height)) ++levels_;
  }

  // True when no conflict is left, false when the budget of candidate positions is spent.
  bool run() {
    state_.all_conflicts(list_);
    while (!list_.empty()) {
      const std::uint32_t at = stream_.below(static_cast<std::uint32_t>(list_.size()));
      const Conflict conflict = list_[at];
      if (!state_.holds(conflict)) {
        list_[at] = list_.back();
        list_.pop_back();
        continue;
      }
      if (budget_ <= 0) return false;
      resolve(conflict);
    }
    return true;
  }

 private:
  void resolve(const Conflict& conflict) {
    const Edge& edge = graph_.edge(conflict.edge);
    const std::uint32_t choice = stream_.below(4);
    const VertexId v = choice < 2 ? conflict.vertex : choice == 2 ? edge.a : edge.b;
    const Point home = state_.position(v);
    Point best = home;
    std::int64_t best_change = 0;
    bool found = false;
    for (int i = 0; i < kCandidates && budget_ > 0; ++i, --budget_) {
      const Point p = candidate(home, i);
      if (p == home) continue;
      const std::int64_t change = move(v, p, home);
      if (found && change >= best_change) continue;
      found = true;
      best = p;
      best_change = change;
      if (conflicts_after_ == 0) break;
    }
    if (!found) return;
    const bool noise = stream_.below(kNoise) == 0;
    stuck_ = best_change < 0 ? 0 : std::min(stuck_ + 1, levels_);
    if (best_change > 0 && !noise) return;
    move(v, best, best);
    state_.conflicts_of(v, list_);
    if (swapped_ != Occupancy::kFree) state_.conflicts_of(swapped_, list_);
  }

  // Radii 1, 2, 4, ... around the vertex, larger ones after failures, and now and then the whole grid.
  Point candidate(const Point& home, int i) {
    if (i % 8 == 7 && stuck_ > 0) return {stream_.between(0, grid_.width), stream_.between(0, grid_.height)};
    const std::int64_t r = std::int64_t{1} << std::min(i / 3 + stuck_, levels_);
    return {stream_.between(std::max<std::int64_t>(home.x - r, 0), std::min(home.x + r, grid_.width)),
            stream_.between(std::max<std::int64_t>(home.y - r, 0), std::min(home.y + r, grid_.height))};
  }

  std::int64_t count(VertexId v) {
    scratch_.clear();
    state_.conflicts_of(v, scratch_);
    return static_cast<std::int64_t>(scratch_.size());
  }

  // Moves v to p, exchanging places with the vertex there, if any; puts all back when `final` is v's old
  // place. Returns the exact change of the number of conflicts: vertices leave and come one at a time, each
  // counted against those that are there.
  std::int64_t move(VertexId v, const Point& p, const Point& final) {
    const Point home = state_.position(v);
    swapped_ = state_.occupancy().at(p);
    std::int64_t before = count(v);
    state_.remove(v);
    if (swapped_ != Occupancy::kFree) {
      before += count(swapped_);
      state_.remove(swapped_);
    }
    state_.place(v, p);
    conflicts_after_ = count(v);
    if (swapped_ != Occupancy::kFree) {
      state_.place(swapped_, home);
      conflicts_after_ += count(swapped_);
    }
    if (final == home) {
      state_.remove(v);
      if (swapped_ != Occupancy::kFree) {
        state_.remove(swapped_);
        state_.place(swapped_, p);
      }
      state_.place(v, home);
    }
    return conflicts_after_ - before;
  }

  const Graph& graph_;
  const Grid& grid_;
  ConflictState& state_;
  Stream stream_;
  std::int64_t budget_;
  int levels_ = 0;
  int stuck_ = 0;  // resolutions in a row that did not lower the number of conflicts
  VertexId swapped_ = Occupancy::kFree;
  std::int64_t conflicts_after_ = 0;
  std::vector<Conflict> list_, scratch_;
};

Admission admit_on_grid(const Graph& graph, const Grid& grid, const Drawing& wanted, StreamKey key,
                        const AdmissionOptions& options) {
  ConflictState state(graph, grid);
  place_all(wanted, state);
  if (!Repair(graph, grid, state, key, options.max_moves).run()) {
    std::vector<Conflict> left;
    state.all_conflicts(left);
    throw Error(
        ErrorKind::unit,
        fmt::format("admission: no valid drawing found within {} candidate positions ({} vertices on edges "
                    "were left; {} vertices and {} edges on the {} x {} grid) use a larger grid or another "
                    "start",
                    options.max_moves, left.size(), graph.n(), graph.m(), grid.width, grid.height));
  }
  std::vector<Conflict> left;
  state.all_conflicts(left);
  if (!left.empty())
    throw Error(ErrorKind::internal,
                fmt::format("admission: {} conflicts are left after an empty list", left.size()));
  Admission admission{state.drawing(), 0};
  for (std::size_t v = 0; v < wanted.size(); ++v) admission.repaired += !(wanted[v] == admission.drawing[v]);
  return admission;
}

}  // namespace

Admission admit(const Graph& graph, const Grid& grid, const Layout& layout, StreamKey key,
                const AdmissionOptions& options) {
  require_room(graph, grid);
  return admit_on_grid(graph, grid, fit_to_grid(graph, grid, layout), key, options);
}

Admission admit(const Graph& graph, const Grid& grid, const Drawing& drawing, StreamKey key,
                const AdmissionOptions& options) {
  require_room(graph, grid);
  return admit_on_grid(graph, grid, fit_to_grid(graph, grid, drawing), key, options);
}

}  // namespace lcn
