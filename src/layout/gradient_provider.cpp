#include <fmt/format.h>

#include <algorithm>

#include "layout/gradient.hpp"
#include "random/stream.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

// Side of the square in which a given initial layout is shaken, as a share of the unit square.
constexpr double kShake = 1e-3;

class GradientStart : public StartProvider {
 public:
  GradientStart(int epochs, std::unique_ptr<StartProvider> init) : epochs_(epochs), init_(std::move(init)) {}

  Layout layout(const LayoutRequest& request) const override {
    const Graph& graph = request.graph;
    std::vector<float> x(static_cast<std::size_t>(graph.n())), y(x.size());
    gradient_initial_positions(request, init_.get(), x, y);
    minimise_soft_crossings(graph, GradientModel::for_vertices(graph.n()), gradient_schedule(epochs_), x, y,
                            [&] { request.checkpoint(); });
    Layout layout;
    layout.x.assign(x.begin(), x.end());
    layout.y.assign(y.begin(), y.end());
    return layout;
  }
  std::string obstacle(const LayoutRequest& request) const override {
    return init_ ? init_->obstacle(request) : "";
  }

 private:
  int epochs_;
  std::unique_ptr<StartProvider> init_;  // null: random
};

}  // namespace

void gradient_initial_positions(const LayoutRequest& request, const StartProvider* init, std::span<float> x,
                                std::span<float> y) {
  Stream stream(derive_key(request.seed, Purpose::start_gradient), request.index);
  if (init == nullptr) {
    for (std::size_t v = 0; v < x.size(); ++v) {
      x[v] = static_cast<float>(stream.real());
      y[v] = static_cast<float>(stream.real());
    }
    return;
  }
  const Layout start = init->layout(request);
  if (start.x.empty()) return;
  const auto [x0, x1] = std::minmax_element(start.x.begin(), start.x.end());
  const auto [y0, y1] = std::minmax_element(start.y.begin(), start.y.end());
  const double extent = std::max(*x1 - *x0, *y1 - *y0), scale = extent > 0 ? 1 / extent : 0;
  for (std::size_t v = 0; v < x.size(); ++v) {
    x[v] = static_cast<float>((start.x[v] - *x0) * scale + kShake * (stream.real() - 0.5));
    y[v] = static_cast<float>((start.y[v] - *y0) * scale + kShake * (stream.real() - 0.5));
  }
}

GradientStartOptions gradient_start_options(Spec& spec) {
  const int epochs = static_cast<int>(spec.integer("epochs", 700, 0, 100'000));
  const std::string init = spec.text("init", "fmmm");
  spec.finish();
  if (init == "gradient")
    throw usage_error(
        "start: gradient cannot begin with init=gradient (choose random, fmmm or another provider)");
  return {epochs, init == "random" ? nullptr : make_start_provider(init)};
}

std::unique_ptr<StartProvider> make_gradient_provider(Spec& spec) {
  GradientStartOptions options = gradient_start_options(spec);
  return std::make_unique<GradientStart>(options.epochs, std::move(options.init));
}

}  // namespace lcn
