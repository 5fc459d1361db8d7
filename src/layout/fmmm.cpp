#include "layout/fmmm.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "layout/barnes_hut.hpp"

namespace lcn {
namespace {

// Coincident vertices part in opposite directions: the angle depends on the pair, the sign on who is asked.
void part(std::size_t v, std::size_t u, double distance, double& sum_x, double& sum_y) {
  const auto pair = static_cast<double>(std::min(u, v) * 7 + std::max(u, v));
  const double sign = v < u ? -1 : 1;
  sum_x += sign * std::cos(pair) / distance;
  sum_y += sign * std::sin(pair) / distance;
}

void exact_repulsion(std::size_t v, const std::vector<double>& x, const std::vector<double>& y, double tiny,
                     double& sum_x, double& sum_y) {
  sum_x = sum_y = 0;
  for (std::size_t u = 0; u < x.size(); ++u) {
    const double dx = x[v] - x[u], dy = y[v] - y[u], squared = dx * dx + dy * dy;
    if (squared > 0) {
      sum_x += dx / squared;
      sum_y += dy / squared;
    } else if (u != v) {
      part(v, u, tiny, sum_x, sum_y);
    }
  }
}

// How many times longer than the last a displacement may be, by the cosine of the angle between them.
double allowed_growth(double cosine) {
  static const double cosines[5] = {std::sqrt(3.0) / 2, 0.5, 0.0, -0.5, -std::sqrt(3.0) / 2};
  static const double growth[6] = {2, 1.5, 1, 2.0 / 3, 0.5, 1.0 / 3};
  int i = 0;
  while (i < 5 && cosine < cosines[i]) ++i;
  return growth[i];
}

}  // namespace

ForceGraph unit_lengths(const Graph& graph) {
  ForceGraph result;
  result.offsets = graph.offsets();
  for (const Incidence& incidence : graph.incidences()) result.neighbours.push_back(incidence.neighbour);
  result.lengths.assign(result.neighbours.size(), 1.0);
  return result;
}

ForceState at_rest(std::vector<double> x, std::vector<double> y) {
  const std::vector<double> zero(x.size(), 0.0);
  return {std::move(x), std::move(y), zero, zero};
}

void layout_forces(const ForceGraph& graph, const ForceParameters& parameters, const std::vector<double>& x,
                   const std::vector<double>& y, std::vector<double>& force_x, std::vector<double>& force_y) {
  const auto n = static_cast<std::size_t>(graph.n());
  force_x.assign(n, 0.0);
  force_y.assign(n, 0.0);
  if (n == 0) return;
  const double scale = graph.mean_length * graph.mean_length, tiny = graph.mean_length / 1000;
  const bool exact = graph.n() <= parameters.exact_limit;
  const std::vector<double> none;
  const BarnesHut tree(exact ? none : x, exact ? none : y);
  std::vector<std::size_t> coincident;
  for (std::size_t v = 0; v < n; ++v) {
    double repulsion_x, repulsion_y;
    if (exact) {
      exact_repulsion(v, x, y, tiny, repulsion_x, repulsion_y);
    } else {
      coincident.clear();
      tree.repulsion(v, parameters.opening, repulsion_x, repulsion_y, coincident);
      std::sort(coincident.begin(), coincident.end());
      for (std::size_t u : coincident) part(v, u, tiny, repulsion_x, repulsion_y);
    }
    double attraction_x = 0, attraction_y = 0;
    for (auto i = static_cast<std::size_t>(graph.offsets[v]);
         i < static_cast<std::size_t>(graph.offsets[v + 1]); ++i) {
      const auto u = static_cast<std::size_t>(graph.neighbours[i]);
      const double dx = x[u] - x[v], dy = y[u] - y[v], distance = std::sqrt(dx * dx + dy * dy),
                   ideal = graph.lengths[i];
      if (!(distance > 0)) continue;
      const double factor = std::log2(distance / ideal) * distance / (ideal * ideal * ideal);
      attraction_x += factor * dx;
      attraction_y += factor * dy;
    }
    force_x[v] = (parameters.spring * attraction_x + parameters.repulsion * repulsion_x) * scale;
    force_y[v] = (parameters.spring * attraction_y + parameters.repulsion * repulsion_y) * scale;
  }
}

double iterate_layout(const ForceGraph& graph, const ForceParameters& parameters, ForceState& state) {
  const auto n = static_cast<std::size_t>(graph.n());
  if (n == 0) return 0;
  std::vector<double> force_x, force_y;
  layout_forces(graph, parameters, state.x, state.y, force_x, force_y);
  const double cap = parameters.max_displacement * std::sqrt(static_cast<double>(n)) * graph.mean_length;
  double total = 0;
  for (std::size_t v = 0; v < n; ++v) {
    const double force = std::hypot(force_x[v], force_y[v]);
    if (!(force > 0)) {
      state.last_x[v] = state.last_y[v] = 0;
      continue;
    }
    double length = std::min(parameters.step * force, cap);
    const double last = std::hypot(state.last_x[v], state.last_y[v]);
    if (last > 0) {
      const double cosine = (force_x[v] * state.last_x[v] + force_y[v] * state.last_y[v]) / (force * last);
      length = std::min(length, allowed_growth(cosine) * last);
    }
    state.last_x[v] = force_x[v] * (length / force);
    state.last_y[v] = force_y[v] * (length / force);
    state.x[v] += state.last_x[v];
    state.y[v] += state.last_y[v];
    total += length;
  }
  return total / static_cast<double>(n);
}

int run_layout(const ForceGraph& graph, const ForceParameters& parameters, int iterations, ForceState& state,
               const std::function<void()>& checkpoint) {
  const double enough = parameters.threshold * parameters.step * graph.mean_length;
  for (int i = 0; i < iterations; ++i) {
    if (checkpoint) checkpoint();
    if (iterate_layout(graph, parameters, state) < enough) return i + 1;
  }
  return iterations;
}

}  // namespace lcn
