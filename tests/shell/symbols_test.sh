#!/usr/bin/env bash
# Once MPI runs, nothing of Open MPI's own library is looked up lazily any more: its first thread would race with
# plug-ins that are being closed (MpiSession::bind_symbols_now).
set -euo pipefail
program=${LCN_PROGRAM:?} folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

if [[ $(ldd "$program") != *libopen-pal* ]]; then
  echo "skipped: not built with Open MPI"
  exit 77
fi

"$program" generate barabasi-albert --n 10 --m 2 --seed 1 --grid 100x100 --out "$folder/ba.json"

# lazy_lookups NAME [ENVIRONMENT...]: lookups by libopen-pal after the program itself began to run.
lazy_lookups() {
  local name=$1 trace=$folder/trace.$1
  shift
  env -u LD_BIND_NOW "$@" LD_DEBUG=bindings LD_DEBUG_OUTPUT="$trace" "$program" solve "$folder/ba.json" \
    --steps 100 --device cpu --out "$folder/run.$name" >"$folder/$name.out"
  cat "$trace".* | awk '
    /transferring control/ { running = 1; lookups = 0; next }
    running && /binding file [^ ]*libopen-pal/ { ++lookups }
    END { print running ? lookups + 0 : "no trace" }'
}

bound=$(lazy_lookups bound)
if [ "$bound" != 0 ]; then
  echo "lookups by libopen-pal while MPI runs: $bound instead of 0"
  exit 1
fi
# An empty LD_BIND_NOW asks for lazy lookups: the trace must show them, or the check above shows nothing.
lazy=$(lazy_lookups lazy LD_BIND_NOW=)
if [ "$lazy" = "no trace" ]; then
  echo "LD_DEBUG gives no trace"
  exit 1
fi
if [ "$lazy" = 0 ]; then
  echo "skipped: this Open MPI is linked to be bound at once"
  exit 77
fi
echo "lookups by libopen-pal while MPI runs: 0, and $lazy with an empty LD_BIND_NOW"
