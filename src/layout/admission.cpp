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
#include "support/plural.hpp"

namespace lcn {
namespace {

constexpr int kCrowded = 4;      // conflicts per vertex above which vertices are scattered first
constexpr int kCandidates = 24;  // positions tried for one conflict before the best of them is taken
constexpr std::uint32_t kNoise =
    32;  // one time in kNoise a worse position is taken, to leave a local minimum

void require_room(const Graph& graph, const Grid& grid) {
  choose_arithmetic(grid);  // refuses sides that no predicate is exact for
  const std::int64_t points = (grid.width + 1) * (grid.height + 1);
  if (graph.n() <= points) return;
  throw Error(
      ErrorKind::unit,
      fmt::format("admission: {} vertices do not fit on the {} x {} grid (it has {}, and no two vertices "
                  "may share one) use a larger grid",
                  graph.n(), grid.width, grid.height, plural(points, "point")));
}

// Puts every vertex on its wanted point or, where that is taken by a vertex of smaller index, on the nearest
// free one.
void place_all(const Drawing& wanted, ConflictState& state, const StopFunction& stop) {
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
    check_stop(stop);
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
  Repair(const Graph& graph, const Grid& grid, ConflictState& state, StreamKey key,
         const AdmissionOptions& options)
      : graph_(graph),
        grid_(grid),
        state_(state),
        stream_(key),
        budget_(options.max_moves),
        look_(options.stop) {
    while ((std::int64_t{1} << levels_) < std::max(grid.width, grid.height)) ++levels_;
  }

  // True when no conflict is left, false when the budget of candidate positions is spent.
  bool run() {
    for (int level = 3; list_conflicts() > std::int64_t{kCrowded} * graph_.n() && level <= levels_; ++level)
      scatter(std::int64_t{1} << level);
    while (!list_.empty()) {
      const std::uint32_t at = stream_.below(static_cast<std::uint32_t>(list_.size()));
      scratch_.clear();
      state_.vertices_on(list_[at], scratch_);
      if (scratch_.empty()) {
        list_[at] = list_.back();
        list_.pop_back();
        continue;
      }
      if (budget_ <= 0) return false;
      const Conflict conflict = scratch_[stream_.below(static_cast<std::uint32_t>(scratch_.size()))];
      resolve(conflict);
    }
    return true;
  }

  // From scratch: lists the edges with a vertex on them and returns the number of conflicts.
  std::int64_t list_conflicts() {
    list_.clear();
    std::int64_t conflicts = 0;
    for (EdgeId e = 0; e < graph_.m(); ++e) {
      look_.after(8 + graph_.n() / 8);
      scratch_.clear();
      state_.vertices_on(e, scratch_);
      conflicts += static_cast<std::int64_t>(scratch_.size());
      if (!scratch_.empty()) list_.push_back(e);
    }
    return conflicts;
  }

 private:
  // Moves every vertex that lies on an edge to a free place near a random point within the radius, unseen:
  // where all vertices are on one line, or in a heap, this is much cheaper than to resolve one conflict after
  // the other.
  void scatter(std::int64_t radius) {
    std::vector<char> on_edge(static_cast<std::size_t>(graph_.n()), 0);
    for (EdgeId e : list_) {
      look_.after(8 + graph_.n() / 8);
      scratch_.clear();
      state_.vertices_on(e, scratch_);
      for (const Conflict& conflict : scratch_) on_edge[static_cast<std::size_t>(conflict.vertex)] = 1;
    }
    for (VertexId v = 0; v < graph_.n(); ++v) {
      if (!on_edge[static_cast<std::size_t>(v)]) continue;
      look_.after(radius);
      const Point p = around(state_.position(v), radius);
      state_.remove(v);
      std::int64_t first_radius = 0;
      state_.place(v, state_.occupancy().nearest_free(p, first_radius));
    }
  }

  Point around(const Point& home, std::int64_t r) {
    const std::int64_t x =
        stream_.between(std::max<std::int64_t>(home.x - r, 0), std::min(home.x + r, grid_.width));
    return {x, stream_.between(std::max<std::int64_t>(home.y - r, 0), std::min(home.y + r, grid_.height))};
  }

  void resolve(const Conflict& conflict) {
    const Edge& edge = graph_.edge(conflict.edge);
    const std::uint32_t choice = stream_.below(4);
    const VertexId v = choice < 2 ? conflict.vertex : choice == 2 ? edge.a : edge.b;
    const Point home = state_.position(v);
    Point best = home;
    std::int64_t best_change = 0;
    bool found = false;
    for (int i = 0; i < kCandidates && budget_ > 0; ++i, --budget_) {
      look_.after(2 * graph_.m());
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
    scratch_.clear();
    state_.conflicts_of(v, scratch_);
    if (swapped_ != Occupancy::kFree) state_.conflicts_of(swapped_, scratch_);
    for (const Conflict& left : scratch_) list_.push_back(left.edge);
  }

  // Radii 1, 2, 4, ... around the vertex, larger ones after failures, and now and then the whole grid.
  Point candidate(const Point& home, int i) {
    if (i % 8 == 7 && stuck_ > 0) return around(home, std::max(grid_.width, grid_.height));
    return around(home, std::int64_t{1} << std::min(i / 3 + stuck_, levels_));
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
  StopLook look_;
  int levels_ = 0;
  int stuck_ = 0;  // resolutions in a row that did not lower the number of conflicts
  VertexId swapped_ = Occupancy::kFree;
  std::int64_t conflicts_after_ = 0;
  std::vector<EdgeId> list_;
  std::vector<Conflict> scratch_;
};

Admission admit_on_grid(const Graph& graph, const Grid& grid, const Drawing& wanted, StreamKey key,
                        const AdmissionOptions& options) {
  ConflictState state(graph, grid);
  place_all(wanted, state, options.stop);
  Repair repair(graph, grid, state, key, options);
  const bool done = repair.run();
  const std::int64_t left = repair.list_conflicts();
  if (!done)
    throw Error(ErrorKind::unit,
                fmt::format("admission: no valid drawing found within {} (a vertex still lies on an edge in "
                            "{}; {} and {} on the {} x {} grid) use a larger grid or "
                            "another start",
                            plural(options.max_moves, "candidate position"), plural(left, "place"),
                            plural(graph.n(), "vertex", "vertices"), plural(graph.m(), "edge"), grid.width,
                            grid.height));
  if (left > 0)
    throw Error(ErrorKind::internal,
                fmt::format("admission: {} left after the search", plural(left, "conflict")));
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
