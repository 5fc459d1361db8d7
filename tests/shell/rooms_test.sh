#!/usr/bin/env bash
# Rooms know only what docs/architecture.md lets them know: looked up in the #include lines.
set -euo pipefail
cd "$LCN_SOURCE_DIR"
failed=0
forbid() { # forbid FOLDER PATTERN
  local found
  found=$(grep -rnE "^ *# *include *[<\"]($2)" "$1" || true)
  if [ -n "$found" ]; then
    printf 'FAILED: %s must not include %s:\n%s\n' "$1" "$2" "$found"
    failed=1
  fi
}
[ -n "$(grep -rlE '^#include' src | head -n 1)" ] || {
  echo "FAILED: no sources found"
  exit 1
}
forbid src 'cuda|cub/|thrust/|nccl|mpi\.h|hdf5|H5|boost/program_options|kernels/|mpi/|io/|jobs/'
forbid kernels 'mpi\.h|hdf5|H5|nccl|mpi/|io/|jobs/'
forbid mpi 'hdf5|H5|io/|jobs/|fstream|filesystem'
forbid io 'mpi\.h|nccl|cuda|search/|kernels/|mpi/|jobs/'
# heavy headers stay out of headers: they cost every source that includes them seconds
heavy=$(grep -rnE '^#include <(nlohmann/json\.hpp|boost/|fmt/|iostream)' --include='*.hpp' src kernels mpi io jobs || true)
if [ -n "$heavy" ]; then
  printf 'FAILED: heavy includes in headers:\n%s\n' "$heavy"
  failed=1
fi
exit $failed
