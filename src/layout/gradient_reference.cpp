#include <cmath>

#include "layout/gradient.hpp"

namespace lcn {
namespace {

struct Vector {
  double x = 0, y = 0;
  friend Vector operator-(Vector p, Vector q) { return {p.x - q.x, p.y - q.y}; }
  friend Vector operator+(Vector p, Vector q) { return {p.x + q.x, p.y + q.y}; }
  friend Vector operator*(double s, Vector p) { return {s * p.x, s * p.y}; }
  Vector& operator+=(Vector p) { return *this = *this + p; }
};

double cross(Vector p, Vector q) {
  return p.x * q.y - p.y * q.x;
}
double length(Vector p) {
  return std::hypot(p.x, p.y);
}
double logistic(double z) {
  return 1 / (1 + std::exp(-z));
}

// f(z) and f'(z).
struct Gate {
  double value, slope;
};

Gate gate(double z, double sharpness) {
  const double enter = logistic(sharpness * z), leave = logistic(sharpness * (1 - z));
  return {enter * leave, sharpness * enter * leave * (leave - enter)};
}

bool adjacent(const Edge& i, const Edge& j) {
  return i.a == j.a || i.a == j.b || i.b == j.a || i.b == j.b;
}

}  // namespace

GradientModel GradientModel::for_vertices(VertexId n) {
  const double spacing = 1 / std::sqrt(std::max(1.0, static_cast<double>(n)));
  GradientModel model;
  model.spring_length = 1.2 * spacing;
  model.repulsion_radius = 0.5 * spacing;
  return model;
}

GradientValue gradient_reference(const Graph& graph, const GradientModel& model, std::span<const double> x,
                                 std::span<const double> y, std::span<const double> edge_weights,
                                 double sharpness) {
  std::vector<Vector> gradient(static_cast<std::size_t>(graph.n()));
  const auto at = [&](VertexId v) { return Vector{x[v], y[v]}; };
  GradientValue value;
  value.soft_counts.assign(static_cast<std::size_t>(graph.m()), 0.0);

  for (EdgeId i = 0; i < graph.m(); ++i) {
    const Edge& first = graph.edge(i);
    const Vector a = at(first.a), r = at(first.b) - a;
    for (EdgeId j = i + 1; j < graph.m(); ++j) {
      const Edge& second = graph.edge(j);
      if (adjacent(first, second)) continue;
      const Vector c = at(second.a), s = at(second.b) - c, q = c - a;
      const double determinant = cross(r, s);
      if (std::abs(determinant) <= model.minimum_sine * length(r) * length(s)) continue;
      const double t = cross(q, s) / determinant, u = cross(q, r) / determinant;
      const Gate at_t = gate(t, sharpness), at_u = gate(u, sharpness);
      const double weight = (edge_weights[i] + edge_weights[j]) / 2;
      value.objective += weight * at_t.value * at_u.value;
      value.soft_counts[i] += at_t.value * at_u.value;
      value.soft_counts[j] += at_t.value * at_u.value;
      // The crossing point as a point of i minus the same as a point of j is zero; differentiating this gives
      // dt = -(D x s)/determinant, du = -(D x r)/determinant, D = (1-t) da + t db - (1-u) dc - u dd.
      const double along_t = weight * at_t.slope * at_u.value, along_u = weight * at_t.value * at_u.slope;
      const Vector v = (-1 / determinant) * (along_t * s + along_u * r);
      const Vector force = {v.y, -v.x};
      gradient[first.a] += (1 - t) * force;
      gradient[first.b] += t * force;
      gradient[second.a] += (u - 1) * force;
      gradient[second.b] += -u * force;
    }
  }

  for (const Edge& edge : graph.edges()) {
    const Vector r = at(edge.b) - at(edge.a);
    const double stretch = length(r) / model.spring_length - 1;
    value.objective += model.spring_weight * stretch * stretch;
    if (length(r) == 0) continue;
    const Vector pull = (2 * model.spring_weight * stretch / (model.spring_length * length(r))) * r;
    gradient[edge.b] += pull;
    gradient[edge.a] += -1.0 * pull;
  }

  for (VertexId p = 0; p < graph.n(); ++p)
    for (VertexId q = p + 1; q < graph.n(); ++q) {
      const Vector apart = at(q) - at(p);
      const double nearness = 1 - length(apart) / model.repulsion_radius;
      if (nearness <= 0) continue;
      value.objective += model.repulsion_weight * nearness * nearness;
      if (length(apart) == 0) continue;
      const Vector push =
          (-2 * model.repulsion_weight * nearness / (model.repulsion_radius * length(apart))) * apart;
      gradient[q] += push;
      gradient[p] += -1.0 * push;
    }

  for (const Vector& g : gradient) {
    value.gradient_x.push_back(g.x);
    value.gradient_y.push_back(g.y);
  }
  return value;
}

}  // namespace lcn
