#!/usr/bin/env bash
# Every shell script passes shellcheck, and ./dev refuses what it does not know without doing anything.
set -euo pipefail
cd "$LCN_SOURCE_DIR"
failed=0
expect() { # expect CODE COMMAND...
  local wanted=$1 code=0
  shift
  "$@" || code=$?
  if [ "$code" != "$wanted" ]; then
    echo "FAILED: $* ended with $code instead of $wanted"
    failed=1
  fi
}

if ! command -v shellcheck >/dev/null; then
  echo "shellcheck is not installed"
  exit 77
fi
scripts=(dev .ci/run)
while read -r script; do scripts+=("$script"); done < <(find tests slurm studies benchmarks -name '*.sh' 2>/dev/null | sort)
expect 0 shellcheck "${scripts[@]}"
expect 0 ./dev help
expect 2 ./dev frobnicate
expect 2 ./dev test --quick
expect 2 ./dev build all
expect 2 ./dev run no-such-file.json
expect 2 env LCN_NO_INSTALL=1 ./dev analyse no-such-archive.h5
exit $failed
