#!/usr/bin/env bash
# benchmarks/scaling.sh on 4 and 8 CPU ranks: equal trajectories, bytes that match the moves, one row a unit.
set -euo pipefail
command -v mpirun >/dev/null || exit 77
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_pml=ob1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$LCN_PROGRAM" generate barabasi-albert --n 30 --m 3 --seed 1 --grid 10000x10000 --out "$folder/ba.json"
RANKS="4 8" EXCHANGES=5 DEVICE=cpu REPLICAS=2 STEPS=60 TIME=0.3s ROUNDS=1 QUALITY="" \
  "$LCN_SOURCE_DIR/benchmarks/scaling.sh" "$LCN_PROGRAM" "$folder/out" "$folder/ba.json"
failed=0
expect() {
  if ! "$@"; then
    echo "FAILED: $*"
    failed=1
  fi
}
expect grep -q "same state of identity ba at ranks 4 8" "$folder/out/summary.txt"
expect "$LCN_PROGRAM" audit "$folder/out/exchange-ba-4.json" "$folder/out/exchange-ba-8.json"
expect grep -q "same state of identity-ladder ba at ranks 4 8" "$folder/out/summary.txt"
# two identities, replicas once and units once a rank, three kinds of moves, and the line of names
expect test "$(wc -l <"$folder/out/rows.csv")" = $((1 + 2 * 2 + 2 + 4 + 8 + 2 * 3))
exit $failed
