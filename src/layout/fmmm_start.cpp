#include "layout/components.hpp"
#include "layout/fmmm.hpp"
#include "layout/providers.hpp"

namespace lcn {
namespace {

class ForceStart : public StartProvider {
 public:
  explicit ForceStart(const MultilevelParameters& parameters) : parameters_(parameters) {}
  Layout layout(const LayoutRequest& request) const override {
    Stream stream(derive_key(request.seed, Purpose::start_fmmm), request.index);
    return layout_components(request.graph, [&](const Graph& graph) {
      return multilevel_layout(graph, parameters_, stream, nullptr, [&] { request.checkpoint(); });
    });
  }

 private:
  MultilevelParameters parameters_;
};

}  // namespace

std::unique_ptr<StartProvider> make_fmmm_provider(Spec& spec) {
  MultilevelParameters parameters;
  parameters.iterations = static_cast<int>(spec.integer("iterations", parameters.iterations, 0, 1'000'000));
  parameters.coarse_iterations =
      static_cast<int>(spec.integer("coarse_iterations", parameters.coarse_iterations, 0, 1'000'000));
  parameters.force.spring = spec.real("spring", parameters.force.spring, 0, 1e6);
  parameters.force.repulsion = spec.real("repulsion", parameters.force.repulsion, 0, 1e6);
  return std::make_unique<ForceStart>(parameters);
}

}  // namespace lcn
