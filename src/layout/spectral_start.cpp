#include <cmath>

#include "layout/components.hpp"
#include "layout/providers.hpp"

namespace lcn {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// a += scale * b
void add(Vector& a, double scale, const Vector& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += scale * b[i];
}

// Eigenvectors of L x = lambda D x of one connected graph with at least three vertices, by deflated inverse
// power iteration: x <- L^+ D x, with conjugate gradients for L^+ (L is singular, but its right sides here
// sum to zero).
class SpectralIteration {
 public:
  SpectralIteration(const Graph& graph, std::int64_t iterations, const LayoutRequest& request)
      : graph_(graph), iterations_(iterations), request_(request) {
    basis_.push_back(Vector(static_cast<std::size_t>(graph.n()), 1.0));
    normalise(basis_.back());
  }

  // The next eigenvector by growing eigenvalue, D-orthonormal to all before.
  const Vector& next(Stream& stream) {
    Vector x(static_cast<std::size_t>(graph_.n()));
    for (double& value : x) value = stream.normal();
    deflate(x);
    normalise(x);
    for (std::int64_t i = 0; i < iterations_; ++i) {
      Vector guess = x;  // of L^+ D x, exact for an eigenvector
      const double eigenvalue = dot(x, laplacian(x));
      for (double& value : guess) value /= eigenvalue;
      Vector y = solve(weighted(x), std::move(guess));
      deflate(y);
      normalise(y);
      const double cosine = dot(weighted(x), y);
      x = std::move(y);
      if (std::abs(cosine) > 1 - 1e-10) break;
    }
    basis_.push_back(std::move(x));
    return basis_.back();
  }

 private:
  Vector weighted(const Vector& x) const {
    Vector y(x.size());
    for (VertexId v = 0; v < graph_.n(); ++v)
      y[static_cast<std::size_t>(v)] = graph_.degree(v) * x[static_cast<std::size_t>(v)];
    return y;
  }

  Vector laplacian(const Vector& x) const {
    Vector y = weighted(x);
    for (VertexId v = 0; v < graph_.n(); ++v) {
      double& value = y[static_cast<std::size_t>(v)];
      for (const Incidence& incidence : graph_.incident(v))
        value -= x[static_cast<std::size_t>(incidence.neighbour)];
    }
    return y;
  }

  void deflate(Vector& x) const {
    for (const Vector& b : basis_) add(x, -dot(weighted(b), x), b);
  }

  void normalise(Vector& x) const {
    const double norm = std::sqrt(dot(weighted(x), x));
    for (double& value : x) value = norm > 0 ? value / norm : 0.0;
  }

  // L x = b by conjugate gradients from `x`, to a residual of 1e-6 of b's; an inexact solution only slows the
  // outer iteration down.
  Vector solve(const Vector& b, Vector x) const {
    Vector residual = b;
    add(residual, -1, laplacian(x));
    Vector direction = residual;
    double squared = dot(residual, residual);
    const double enough = 1e-12 * dot(b, b);
    constexpr int kMaxSteps = 500;
    for (int step = 0; step < kMaxSteps && squared > enough; ++step) {
      request_.checkpoint();
      const Vector image = laplacian(direction);
      const double curvature = dot(direction, image);
      if (!(curvature > 0)) break;
      const double alpha = squared / curvature;
      add(x, alpha, direction);
      add(residual, -alpha, image);
      const double next = dot(residual, residual);
      for (std::size_t i = 0; i < direction.size(); ++i)
        direction[i] = residual[i] + next / squared * direction[i];
      squared = next;
    }
    return x;
  }

  const Graph& graph_;
  std::int64_t iterations_;
  const LayoutRequest& request_;
  std::vector<Vector> basis_;
};

class SpectralStart : public StartProvider {
 public:
  explicit SpectralStart(std::int64_t iterations) : iterations_(iterations) {}
  Layout layout(const LayoutRequest& request) const override {
    Stream stream(derive_key(request.seed, Purpose::start_spectral), request.index);
    return layout_components(request.graph, [&](const Graph& graph) {
      Layout layout;
      if (graph.n() < 3) {  // nothing to compute: along a line
        for (VertexId v = 0; v < graph.n(); ++v) layout.x.push_back(v);
        layout.y.assign(layout.x.size(), 0.0);
        return layout;
      }
      SpectralIteration iteration(graph, iterations_, request);
      layout.x = iteration.next(stream);
      layout.y = iteration.next(stream);
      return layout;
    });
  }

 private:
  std::int64_t iterations_;
};

}  // namespace

std::unique_ptr<StartProvider> make_spectral_provider(Spec& spec) {
  return std::make_unique<SpectralStart>(spec.integer("iterations", 30, 1, 100'000));
}

}  // namespace lcn
