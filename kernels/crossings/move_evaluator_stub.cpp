#include "kernels/crossings/move_evaluator.hpp"
#include "support/error.hpp"

namespace lcn {
namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorKind::environment,
              "crossing evaluators on the GPU: built without CUDA (no nvcc was found) use --device cpu");
}

}  // namespace

struct DeviceMoveEvaluator::Implementation {};

Arithmetic choose_device_arithmetic(const Grid&) {
  refuse();
}
DeviceMoveEvaluator::DeviceMoveEvaluator(const MoveBatch&, Arithmetic) {
  refuse();
}
DeviceMoveEvaluator::~DeviceMoveEvaluator() = default;
DeviceMoveEvaluator::DeviceMoveEvaluator(DeviceMoveEvaluator&&) noexcept = default;
DeviceMoveEvaluator& DeviceMoveEvaluator::operator=(DeviceMoveEvaluator&&) noexcept = default;
void DeviceMoveEvaluator::evaluate(MoveMethod) {
  refuse();
}
double DeviceMoveEvaluator::time_ms(MoveMethod, int) {
  refuse();
}
MoveCounts DeviceMoveEvaluator::fetch() const {
  refuse();
}
void DeviceMoveEvaluator::poison() {
  refuse();
}
std::vector<std::int32_t> DeviceMoveEvaluator::base_counts() const {
  refuse();
}
std::string DeviceMoveEvaluator::launch_shape(MoveMethod) const {
  refuse();
}

}  // namespace lcn
