#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "layout/fmmm.hpp"

namespace lcn {
namespace {

constexpr VertexId kCoarsest = 30;        // no coarsening at or below this size
constexpr double kLeastShrinking = 0.85;  // nor when a level keeps more than this share of the vertices

std::size_t at(VertexId v) {
  return static_cast<std::size_t>(v);
}

// How the vertices of one level were merged into the next coarser one.
struct Merge {
  std::vector<VertexId> system;  // per vertex: the coarse vertex
  std::vector<double> distance;  // per vertex: ideal length of its path to the sun
  VertexId systems = 0;
};

// Suns in random order, no two nearer than three edges; neighbours of a sun are its planets, what is left is
// at distance two from some sun and joins the system of the first planet beside it.
Merge merge_into_systems(const ForceGraph& graph, Stream& stream) {
  constexpr VertexId kNone = -1;
  Merge merge{std::vector<VertexId>(at(graph.n()), kNone), std::vector<double>(at(graph.n()), 0.0), 0};
  std::vector<VertexId> order(at(graph.n()));
  for (VertexId v = 0; v < graph.n(); ++v) order[at(v)] = v;
  stream.shuffle(order);
  const auto row = [&](VertexId v) { return std::pair{graph.offsets[at(v)], graph.offsets[at(v) + 1]}; };
  std::vector<VertexId> moons;
  for (VertexId v : order) {
    if (merge.system[at(v)] != kNone) continue;
    const auto [begin, end] = row(v);
    const bool free = std::all_of(graph.neighbours.begin() + begin, graph.neighbours.begin() + end,
                                  [&](VertexId u) { return merge.system[at(u)] == kNone; });
    if (!free) {
      moons.push_back(v);
      continue;
    }
    merge.system[at(v)] = merge.systems;
    for (auto i = begin; i < end; ++i) {
      merge.system[at(graph.neighbours[at(i)])] = merge.systems;
      merge.distance[at(graph.neighbours[at(i)])] = graph.lengths[at(i)];
    }
    ++merge.systems;
  }
  std::vector<std::pair<VertexId, std::pair<VertexId, double>>> joining;
  for (VertexId v : moons) {
    if (merge.system[at(v)] != kNone) continue;  // became a planet later
    const auto [begin, end] = row(v);
    for (auto i = begin; i < end; ++i) {
      const VertexId planet = graph.neighbours[at(i)];
      if (merge.system[at(planet)] == kNone) continue;
      joining.push_back({v, {merge.system[at(planet)], merge.distance[at(planet)] + graph.lengths[at(i)]}});
      break;
    }
  }
  for (const auto& [v, where] : joining) {
    merge.system[at(v)] = where.first;
    merge.distance[at(v)] = where.second;
  }
  return merge;
}

// Edges between systems; the ideal length is the mean of the paths from sun to sun that it stands for.
ForceGraph coarse_graph(const ForceGraph& graph, const Merge& merge) {
  struct Link {
    VertexId from, to;
    double length;
  };
  std::vector<Link> links;
  for (VertexId v = 0; v < graph.n(); ++v) {
    for (auto i = graph.offsets[at(v)]; i < graph.offsets[at(v) + 1]; ++i) {
      const VertexId u = graph.neighbours[at(i)];
      if (merge.system[at(v)] == merge.system[at(u)]) continue;
      links.push_back({merge.system[at(v)], merge.system[at(u)],
                       merge.distance[at(v)] + graph.lengths[at(i)] + merge.distance[at(u)]});
    }
  }
  std::stable_sort(links.begin(), links.end(), [](const Link& a, const Link& b) {
    return std::pair{a.from, a.to} < std::pair{b.from, b.to};
  });
  ForceGraph coarse;
  coarse.offsets.assign(at(merge.systems) + 1, 0);
  double total = 0;
  for (std::size_t i = 0; i < links.size();) {
    std::size_t j = i;
    double sum = 0;
    for (; j < links.size() && links[j].from == links[i].from && links[j].to == links[i].to; ++j)
      sum += links[j].length;
    coarse.neighbours.push_back(links[i].to);
    coarse.lengths.push_back(sum / static_cast<double>(j - i));
    total += coarse.lengths.back();
    ++coarse.offsets[at(links[i].from) + 1];
    i = j;
  }
  for (std::size_t v = 0; v + 1 < coarse.offsets.size(); ++v) coarse.offsets[v + 1] += coarse.offsets[v];
  if (!coarse.lengths.empty()) coarse.mean_length = total / static_cast<double>(coarse.lengths.size());
  return coarse;
}

// A vertex with neighbours in other systems goes to the mean of the points on the straight lines between the
// suns that divide them as it divides the paths; others go somewhere at their distance around the sun.
ForceState refine(const ForceGraph& graph, const Merge& merge, const ForceState& coarse, Stream& stream) {
  std::vector<double> x(at(graph.n())), y(at(graph.n()));
  for (VertexId v = 0; v < graph.n(); ++v) {
    const auto sun = at(merge.system[at(v)]);
    const double distance = merge.distance[at(v)];
    double sum_x = 0, sum_y = 0;
    int count = 0;
    for (auto i = graph.offsets[at(v)]; i < graph.offsets[at(v) + 1]; ++i) {
      const VertexId u = graph.neighbours[at(i)];
      const auto other = at(merge.system[at(u)]);
      if (other == sun) continue;
      const double share = distance / (distance + graph.lengths[at(i)] + merge.distance[at(u)]);
      sum_x += coarse.x[sun] + share * (coarse.x[other] - coarse.x[sun]);
      sum_y += coarse.y[sun] + share * (coarse.y[other] - coarse.y[sun]);
      ++count;
    }
    const double angle = 2 * std::numbers::pi * stream.real();
    // A small shift keeps vertices with the same neighbours apart.
    const double radius = count > 0 ? graph.mean_length / 20 : distance;
    x[at(v)] = (count > 0 ? sum_x / count : coarse.x[sun]) + radius * std::cos(angle);
    y[at(v)] = (count > 0 ? sum_y / count : coarse.y[sun]) + radius * std::sin(angle);
  }
  return at_rest(std::move(x), std::move(y));
}

ForceState random_state(const ForceGraph& graph, Stream& stream) {
  const double side = std::sqrt(static_cast<double>(graph.n())) * graph.mean_length;
  std::vector<double> x(at(graph.n())), y(at(graph.n()));
  for (std::size_t v = 0; v < x.size(); ++v) {
    x[v] = side * stream.real();
    y[v] = side * stream.real();
  }
  return at_rest(std::move(x), std::move(y));
}

}  // namespace

Layout multilevel_layout(const Graph& graph, const MultilevelParameters& parameters, Stream& stream,
                         MultilevelReport* report, const std::function<void()>& checkpoint) {
  std::vector<ForceGraph> levels{unit_lengths(graph)};
  std::vector<Merge> merges;
  while (levels.back().n() > kCoarsest) {
    if (checkpoint) checkpoint();
    Merge merge = merge_into_systems(levels.back(), stream);
    if (merge.systems > kLeastShrinking * levels.back().n()) break;
    ForceGraph coarse = coarse_graph(levels.back(), merge);
    levels.push_back(std::move(coarse));
    merges.push_back(std::move(merge));
  }
  ForceState state = random_state(levels.back(), stream);
  std::vector<int> executed(levels.size());
  for (std::size_t level = levels.size(); level-- > 0;) {
    if (level + 1 < levels.size()) state = refine(levels[level], merges[level], state, stream);
    const int extra = parameters.coarse_iterations - parameters.iterations;
    const int iterations =
        levels.size() == 1
            ? parameters.coarse_iterations
            : parameters.iterations + extra * static_cast<int>(level) / static_cast<int>(levels.size() - 1);
    executed[level] = run_layout(levels[level], parameters.force, iterations, state, checkpoint);
  }
  if (report) {
    report->level_sizes.clear();
    for (const ForceGraph& level : levels) report->level_sizes.push_back(level.n());
    report->iterations = std::move(executed);
  }
  Layout layout;
  layout.x = std::move(state.x);
  layout.y = std::move(state.y);
  return layout;
}

}  // namespace lcn
