#include <fmt/format.h>

#include "layout/fit.hpp"
#include "layout/providers.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

class RandomStart : public StartProvider {
 public:
  Layout layout(const LayoutRequest& request) const override {
    Stream stream(derive_key(request.seed, Purpose::start_random), request.index);
    Layout layout;
    for (VertexId v = 0; v < request.graph.n(); ++v) {
      layout.x.push_back(stream.real() * static_cast<double>(request.grid.width));
      layout.y.push_back(stream.real() * static_cast<double>(request.grid.height));
    }
    return layout;
  }
};

class InputStart : public StartProvider {
 public:
  Layout layout(const LayoutRequest& request) const override {
    if (const std::string reason = obstacle(request); !reason.empty()) throw Error(ErrorKind::unit, reason);
    Layout layout;
    layout.integral = true;
    for (const Point& p : fit_to_grid(request.graph, request.grid, *request.input)) {
      layout.x.push_back(static_cast<double>(p.x));
      layout.y.push_back(static_cast<double>(p.y));
    }
    return layout;
  }
  std::string obstacle(const LayoutRequest& request) const override {
    return request.input ? "" : "start input: the instance has no coordinates, use another start";
  }
};

}  // namespace

std::unique_ptr<StartProvider> make_random_provider(Spec&) {
  return std::make_unique<RandomStart>();
}
std::unique_ptr<StartProvider> make_input_provider(Spec&) {
  return std::make_unique<InputStart>();
}

}  // namespace lcn
