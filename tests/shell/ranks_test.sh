#!/usr/bin/env bash
# What a job on several ranks promises, on the GPUs of this machine or else on its CPUs: a step budget ends in the same
# state for each number of ranks, channel and backend, also when a signal interrupts it and the same command goes on;
# and when a rank fails, the job ends in time, names it, and loses no finished unit. One rank a GPU; with one
# GPU the parts for several ranks are left out. LCN_REQUIRE_GPU=1 makes a missing GPU a failure.
set -euo pipefail
program=${LCN_PROGRAM:?}
command -v mpirun >/dev/null || exit 77
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_pml=ob1 LD_BIND_NOW=1 NCCL_NVLS_ENABLE=0
export LCN_SILENCE=${LCN_SILENCE:-5} LCN_STOP_DEADLINE=${LCN_STOP_DEADLINE:-2}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/mpi"
export OMPI_MCA_orte_tmpdir_base=$folder/mpi

failed=0
fail() {
  echo "FAILED: $*"
  failed=1
}

gpus=$("$program" devices | grep -c ' GPU-' || true)
if [ "$gpus" = 0 ] && [ "${LCN_REQUIRE_GPU:-}" = 1 ]; then
  fail "no GPU: $("$program" devices)"
  exit 1
fi
if [ "$gpus" -gt 0 ]; then
  device=gpu signal_after=${SIGNAL_AFTER:-1} most=$((gpus < 4 ? gpus : 4)) steps=${STEPS:-400000} channels="nccl mpi"
else
  device=cpu signal_after=${SIGNAL_AFTER:-0.4} most=3 steps=${STEPS:-60000} channels="mpi"
fi
echo "device $device, up to $most ranks, $steps steps"

"$program" generate barabasi-albert --n 60 --m 4 --seed 1 --grid 100000x100000 --out "$folder/ba.json"
"$program" generate barabasi-albert --n 20 --m 2 --seed 2 --grid 1000x1000 --out "$folder/small.json"

# job RUN RANKS OPTIONS...: code in $code, output in RUN.log.
job() {
  local run=$1 ranks=$2
  shift 2
  code=0
  mpirun -n "$ranks" "$program" solve --out "$folder/$run" --device "$device" --distribute replicas \
    --start snake "$@" </dev/null >"$folder/$run.log" 2>&1 || code=$?
}
# What an uninterrupted and a resumed run must share.
state() {
  "$program" archive export "$folder/$1/archive.h5" --csv | python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    print(*(row[name] for name in ("K", "C", "proposals_accepted", "exchanges_accepted", "state_sha256", "backend")))'
}
same() { # WHAT RUN
  local found
  found=$(state "$2" 2>&1 || true)
  if [ "$found" = "$expected" ]; then
    echo "same: $1"
  else
    fail "$1: $found instead of $expected: $(grep -v '^[-[:space:]]*$' "$folder/$2.log" | head -n 6)"
  fi
}

# running PROCESS...: one of them has not ended. (mpirun takes seconds to bury ranks whose exit code is not 0.)
running() {
  local process
  for process in "$@"; do
    ! grep -qs "^State:[[:space:]]*[^Z[:space:]]" "/proc/$process/status" || return 0
  done
  return 1
}

# stopped SIGNAL TO RANKS OTHER_RANKS: the job of $what ends early, and ends as `expected` after the same command. The
# signal goes TO ranks, as from Slurm, or mpirun: that forwards USR1, and TERM too, but then kills after a second or two.
stopped() {
  local signal=$1 to=$2 number=$3 run=$name-stopped-$1-$2-$3 launcher ranks sent saved="" took polls
  mpirun -n "$number" "$program" solve --out "$folder/$run" --device "$device" --distribute replicas --start snake \
    "${what[@]}" </dev/null >"$folder/$run.log" 2>&1 &
  launcher=$!
  for ((polls = 0; polls < 300; ++polls)); do
    [ ! -e "$folder/$run/plan.json" ] || break
    sleep 0.1
  done
  sleep "$signal_after"
  mapfile -t ranks < <(pgrep -P "$launcher")
  sent=$(date +%s%N)
  if [ "$to" = ranks ]; then
    kill "-$signal" "${ranks[@]}" || true
  else
    kill "-$signal" "$launcher" || true
    sleep 0.2
    if [ "$signal" = USR1 ] && ! grep -q "Forwarding signal" "$folder/$run.log"; then
      echo "mpirun ($(mpirun --version | head -n 1)) did not forward SIGUSR1, its ranks get it directly"
      sent=$(date +%s%N)
      kill "-$signal" "${ranks[@]}" || true
    fi
  fi
  while running "${ranks[@]}"; do
    if [ -z "$saved" ] && [ -n "$(find "$folder/$run/checkpoints" -name '????????????????' 2>/dev/null)" ]; then
      saved=$((($(date +%s%N) - sent) / 1000000))
    fi
    sleep 0.02
  done
  took=$((($(date +%s%N) - sent) / 1000000)) # mpirun itself stays two seconds longer
  code=0
  wait "$launcher" || code=$?
  # an mpirun that was told to end has a code of its own
  [ "$code" = 75 ] || { [ "$signal $to" = "TERM mpirun" ] && [ "$code" != 0 ]; } ||
    fail "$search, SIG$signal to $to, $number ranks: exit code $code: $(tail -n 2 "$folder/$run.log")"
  [ "$(find "$folder/$run/checkpoints" -type f 2>/dev/null | wc -l)" = 1 ] ||
    fail "$search, SIG$signal to $to, $number ranks: not one checkpoint: $(ls -R "$folder/$run")"
  job "$run" "$4" "${what[@]}"
  same "$search, SIG$signal to $to, $number ranks (checkpoint after ${saved:-$took} ms, ended after $took), resumed on $4" "$run"
}

searches=("population:every=2,islands=2" "tempering:respace=10")
[ "$device" = cpu ] || searches+=("tempering:exchange=labels")
for search in "${searches[@]}"; do
  name=${search//[^a-z]/-}
  what=("$folder/ba.json" --steps "$steps" --replicas 8 --search "$search")
  job "$name-whole" 1 "${what[@]}"
  [ "$code" = 0 ] || fail "$search: exit code $code: $(tail -n 2 "$folder/$name-whole.log")"
  expected=$(state "$name-whole")
  echo "$search: $expected"
  for ((ranks = 2; ranks <= most; ++ranks)); do
    for channel in $channels; do
      job "$name-$ranks-$channel" "$ranks" "${what[@]}" --channel "$channel"
      same "$search on $ranks ranks through $channel" "$name-$ranks-$channel"
    done
  done
  # Stopped on one number of ranks, ended on another.
  stopped TERM ranks 1 "$most"
  stopped USR1 mpirun "$most" 1
  [ "$device" = cpu ] || stopped TERM mpirun "$most" 1 # where ranks outnumber cores it may be killed too early
done

if [ "$most" -gt 1 ]; then
  small=("$folder/small.json" --seeds 1..2 --steps 2000 --replicas 8 --search population:every=2)
  job good "$most" "${small[@]}"
  expected=$(state good)
  failures=("join:1 4" "round:1 4" "round:1:kill 137" "round:1:stop 4")
  [ "$device" = cpu ] || failures+=("round:0 4" "round:1:cuda 4" "round:0:cuda 4" "join:1:memory 4" "join:0:memory 4")
  for failure in "${failures[@]}"; do
    read -r inject wanted <<<"$failure"
    run=failure-${inject//:/-}
    begin=$(date +%s%N)
    LCN_INJECT=$inject job "$run" "$most" "${small[@]}"
    took=$((($(date +%s%N) - begin) / 1000000))
    [ "$code" = "$wanted" ] || fail "$inject: exit code $code instead of $wanted: $(tail -n 2 "$folder/$run.log")"
    rank=${inject#*:} rank=${rank%%:*}
    [ "$wanted" != 4 ] || grep -q "rank $rank" "$folder/$run.log" || fail "$inject: rank $rank is not named"
    [ "$took" -lt 40000 ] || fail "$inject: ended only after $took ms"
    echo "$inject: exit code $code after $took ms: $(grep -m 1 '^lcn: ' "$folder/$run.log" || echo killed)"
    job "$run" "$most" "${small[@]}"
    same "resumed after $inject" "$run"
  done
fi
exit "$failed"
