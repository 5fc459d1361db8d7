#!/usr/bin/env bash
# benchmarks/scaling.sh LCN OUT INSTANCE...: both ways to use ranks, at each number of ranks, into OUT.
#
# Builds nothing. For every instance and number of ranks: the same trajectory for a step budget (identity), the
# rate of valid proposals and the share of exchanges for `--distribute units` and `replicas` (rate, repeated in
# turn), bytes against moves between ranks where islands and ladders span ranks (moves), K after a longer
# time with paired seeds (quality), and what each kind of exchange costs by itself (OUT/exchange-*.json, reports for
# `lcn audit`). OUT/rows.csv has one line a unit, all columns of the archive behind `part`,
# `distribute`, `ranks_started`, `round`; OUT/summary.txt what follows from it. Exit code 1 when trajectories
# differ or bytes do not match the moves.
#
# Environment: RANKS="1 2 4 8", DEVICE=gpu, REPLICAS=528 (a rank), STEPS=2000, TIME=10s, ROUNDS=2, QUALITY=60s
# ("" leaves that part out), SEEDS=1, EXCHANGES=20 (samples; "" leaves that part out). With the defaults and two instances about 7 minutes on 8 GPUs.
set -euo pipefail
[ $# -ge 3 ] || {
  sed -n '2,15s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
lcn=$1 out=$2
shift 2
ranks=${RANKS:-1 2 4 8} device=${DEVICE:-gpu} replicas=${REPLICAS:-528} steps=${STEPS:-2000} seconds=${TIME:-10s}
rounds=${ROUNDS:-2} quality=${QUALITY-60s} seeds=${SEEDS:-1} exchanges=${EXCHANGES-20}
export NCCL_NVLS_ENABLE=${NCCL_NVLS_ENABLE:-0}
mkdir -p "$out"
rows=$out/rows.csv
rm -f "$rows"

# unit PART RANKS DISTRIBUTE ROUND INSTANCE OPTIONS...: runs it and adds its rows.
unit() {
  local part=$1 n=$2 distribute=$3 round=$4 instance=$5 run first=no
  shift 5
  [ -e "$rows" ] || first=yes
  run=$out/runs/$part-$(basename "$instance" .json)-$distribute-$n-$round
  if ! mpirun -n "$n" "$lcn" solve "$instance" --device "$device" --distribute "$distribute" --out "$run" "$@" \
    </dev/null >"$run.log" 2>&1; then
    echo "failed: $part, $n ranks, $distribute: $(tail -n 1 "$run.log")" | tee -a "$out/failures.txt"
    return 0
  fi
  "$lcn" archive export "$run/archive.h5" --csv | awk -v extra="$part,$distribute,$n,$round," -v first=$first '
    NR == 1 { if (first == "yes") print "part,distribute,ranks_started,round," $0; next }
    { print extra $0 }' >>"$rows"
}

mkdir -p "$out/runs"
rm -f "$out/failures.txt"
most=$(echo "$ranks" | tr ' ' '\n' | sort -n | tail -n 1)
for instance in "$@"; do
  for n in $ranks; do
    unit identity "$n" replicas 1 "$instance" --steps "$steps" --replicas "$((8 * most))" --start snake \
      --search population:every=2
    unit identity-ladder "$n" replicas 1 "$instance" --steps "$steps" --replicas "$((8 * most))" --start snake \
      --search tempering:respace=10
  done
  for ((round = 1; round <= rounds; ++round)); do
    for n in $ranks; do
      unit rate "$n" units "$round" "$instance" --time "$seconds" --replicas "$replicas" --start snake \
        --seeds "1..$n"
      unit rate "$n" replicas "$round" "$instance" --time "$seconds" --replicas "$((replicas * n))" --start snake
    done
  done
  for n in $ranks; do
    [ "$n" -gt 1 ] || continue
    unit moves "$n" replicas 1 "$instance" --time "$seconds" --replicas "$((replicas * n))" --start snake \
      --search population:lower=0.2,hot=1,cold=0.02,every=3
    unit moves-ladder "$n" replicas 1 "$instance" --time "$seconds" --replicas "$((replicas * n))" --start snake \
      --search tempering:lower=0.2,hot=0.5,cold=0.03
    unit moves-labels "$n" replicas 1 "$instance" --time "$seconds" --replicas "$((replicas * n))" --start snake \
      --search tempering:lower=0.2,hot=0.5,cold=0.03,exchange=labels
  done
  for n in $ranks; do
    if [ "$n" -lt 2 ] || [ -z "$exchanges" ]; then continue; fi
    name=exchange-$(basename "$instance" .json)-$n
    mpirun -n "$n" "$lcn" bench exchange "$instance" --device "$device" --replicas "$((replicas < 4 ? 4 : replicas))" \
      --moves 2 --samples "$exchanges" --out "$out/$name.json" </dev/null >"$out/$name.txt" 2>&1 ||
      echo "failed: $name: $(tail -n 1 "$out/$name.txt")" | tee -a "$out/failures.txt"
  done
  if [ -n "$quality" ]; then
    for n in $ranks; do
      unit quality "$n" replicas 1 "$instance" --time "$quality" --seeds "$seeds"
    done
  fi
done

# Columns by name: the archive may get more of them. Texts with commas are quoted.
awk '
  function split_line(line, into,    i, c, quoted, n, field) {
    n = 1; field = ""; quoted = 0
    for (i = 1; i <= length(line); ++i) {
      c = substr(line, i, 1)
      if (c == "\"") quoted = !quoted
      else if (c == "," && !quoted) { into[n++] = field; field = "" }
      else field = field c
    }
    into[n] = field
    return n
  }
  function value(name) { return f[column[name]] }
  function summarise(key,    words) {
    split(key, words, SUBSEP)
    printf "%-12s %-9s %2d ranks: %10.4g valid proposals/s, %5.2f x, exchanges %5.2f %% of the time\n", words[1], words[2],
      words[3], rate[key] / rounds_of[key],
      rate[key] / rounds_of[key] / (rate[words[1], words[2], least] / rounds_of[words[1], words[2], least]),
      100 * share[key] / units_of[key]
  }
  NR == 1 { count = split_line($0, f); for (i = 1; i <= count; ++i) column[f[i]] = i; next }
  {
    split_line($0, f)
    part = value("part"); n = value("ranks_started"); instance = value("instance")
    if (value("exchange_bytes") != (2 * value("rank_exchanges") + value("migrations")) * value("state_bytes")) {
      print "BYTES DO NOT MATCH: " $0; bad = 1
    }
    if (part ~ /^identity/) {
      id = part " " instance
      if (!(id in state)) state[id] = value("state_sha256")
      same[id] = same[id] " " n
      if (state[id] != value("state_sha256")) { print "TRAJECTORIES DIFFER: " id " at " n " ranks"; bad = 1 }
    } else if (part == "rate") {
      key = instance SUBSEP value("distribute") SUBSEP n
      if (!(key in rate)) order[++keys] = key
      if (least == "" || n < least) least = n
      rate[key] += value("proposals_valid") / value("wall_time")
      share[key] += value("exchange_time") / value("wall_time")
      ++units_of[key]
      if (!(key SUBSEP value("round") in seen)) { seen[key SUBSEP value("round")] = 1; ++rounds_of[key] }
    } else if (part ~ /^moves/) {
      moves[++moved] = sprintf("%-12s %-24s %2d ranks: K %d, %.4g valid proposals/s, %d exchanges and %d copies between ranks, %d bytes of %d each, exchanges %.2f %% of the time",
        part, instance, n, value("K"), value("proposals_valid") / value("wall_time"), value("rank_exchanges"), value("migrations"),
        value("exchange_bytes"), value("state_bytes"), 100 * value("exchange_time") / value("wall_time"))
    } else {
      qualities[++judged] = sprintf("%-12s %-24s %2d ranks: seed %d K %d (%d, %d, %d)", part, instance, n, value("repetition"), value("K"),
        value("n_K"), value("Phi"), value("C"))
    }
  }
  END {
    for (id in same) print "same state of " id " at ranks" same[id]
    for (i = 1; i <= keys; ++i) summarise(order[i])
    for (i = 1; i <= moved; ++i) print moves[i]
    for (i = 1; i <= judged; ++i) print qualities[i]
    exit bad
  }' "$rows" | tee "$out/summary.txt"
code=${PIPESTATUS[0]}
[ ! -e "$out/failures.txt" ] || code=1
exit "$code"
