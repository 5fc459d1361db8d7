#include "kernels/device/device_fault.hpp"
#include "support/error.hpp"

namespace lcn {

void break_device() {
  throw Error(ErrorKind::environment, "no GPU to break (built without CUDA)");
}

void fill_device() {
  throw Error(ErrorKind::environment, "no GPU to fill (built without CUDA)");
}

}  // namespace lcn
