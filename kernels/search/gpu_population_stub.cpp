#include "kernels/search/gpu_population.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorKind::environment,
              "replicas on the GPU: built without CUDA (no nvcc was found) use --device cpu");
}

}  // namespace

std::unique_ptr<Population> make_gpu_population(const Graph&, const Grid&, int, const GpuPopulationOptions&) {
  refuse();
}
GpuPopulationShape gpu_population_shape(const Graph&, const Grid&, const GpuPopulationOptions&) {
  refuse();
}
GpuPopulationOptions options_for(const Graph&, const Grid&, int) {
  refuse();
}
int default_gpu_replicas(const Graph&, const Grid&) {
  refuse();
}

}  // namespace lcn
