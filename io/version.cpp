#include "io/version.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <boost/version.hpp>
#include <string_view>

#include "build_info.hpp"

namespace lcn {
namespace {

bool on(std::string_view flag) {
  return flag == "ON" || flag == "1" || flag == "TRUE";
}

}  // namespace

std::string version_line() {
  const std::string_view dirty = LCN_GIT_DIRTY;
  return fmt::format("lcn {} (commit {}{})", LCN_VERSION, std::string_view(LCN_GIT_COMMIT).substr(0, 12),
                     dirty == "true"    ? ", dirty"
                     : dirty == "false" ? ""
                                        : ", dirty flag unknown");
}

std::string version_text() {
  std::string text = version_line() + "\n";
  text += fmt::format("compiler  {}, {} ({})\n", LCN_COMPILER, LCN_BUILD_TYPE, LCN_COMPILER_FLAGS);
  if (*LCN_SANITIZERS) text += fmt::format("sanitizers {}\n", LCN_SANITIZERS);
  text += on(LCN_BUILT_WITH_CUDA)
              ? fmt::format("CUDA      {} for {}\n", LCN_CUDA_COMPILER, LCN_CUDA_ARCHITECTURES)
              : "CUDA      not built in\n";
  text += on(LCN_BUILT_WITH_NCCL) ? "NCCL      built in\n" : "NCCL      not built in\n";
  text += "MPI       built in\n";
  text += fmt::format("HDF5      {}.{}.{}\n", H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE);
  text += fmt::format("Boost     {}.{}.{}\n", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000,
                      BOOST_VERSION % 100);
  return text;
}

}  // namespace lcn
