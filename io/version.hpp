#pragma once
#include <string>

namespace lcn {

// For `lcn --version`: version, commit and dirty flag taken at the build, compiler, build type, and what was
// built in (CUDA, NCCL, MPI standard, HDF5, Boost). Several lines, ends in a newline.
std::string version_text();

// For --help and file headers: "lcn 0.1.0 (commit 0123456789ab, dirty)".
std::string version_line();

}  // namespace lcn
