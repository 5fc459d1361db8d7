#include "kernels/layout/gradient.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorKind::environment,
              "crossing gradient on the GPU: built without CUDA (no nvcc was found) use --device cpu");
}

}  // namespace

struct GradientBatch::State {};

GradientBatch::GradientBatch(const Graph&, const GradientModel&, int) {
  refuse();
}
GradientBatch::~GradientBatch() = default;
GradientBatch::GradientBatch(GradientBatch&&) noexcept = default;
GradientBatch& GradientBatch::operator=(GradientBatch&&) noexcept = default;
void GradientBatch::evaluate(std::span<const float>, std::span<const float>, float, std::span<float>,
                             std::span<float>) {
  refuse();
}
void GradientBatch::minimise(std::span<const GradientStep>, std::span<float>) {
  refuse();
}
double GradientBatch::kernel_seconds() const {
  refuse();
}
std::size_t GradientBatch::device_bytes(const Graph&, int) {
  refuse();
}

}  // namespace lcn
