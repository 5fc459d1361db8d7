#!/usr/bin/env bash
# studies/instances.sh [LCN]: generates the instances of the studies into studies/instances/ and kinds/ (LCN: the program).
set -euo pipefail
lcn=${1:-lcn}
out=$(dirname "${BASH_SOURCE[0]}")/instances
mkdir -p "$out"
"$lcn" generate hypercube --d 6 --grid 10000x10000 --out "$out/hypercube-6.json"
"$lcn" generate regular --n 100 --d 5 --seed 1 --grid 10000x10000 --out "$out/regular-100-5.json"
"$lcn" generate regular --n 200 --d 4 --seed 1 --grid 10000x10000 --out "$out/regular-200-4.json"
"$lcn" generate barabasi-albert --n 120 --m 3 --seed 1 --grid 10000x10000 --out "$out/barabasi-120-3.json"
"$lcn" generate geometric --n 200 --degree 9 --seed 1 --grid 10000x10000 --out "$out/geometric-200-9.json"
kinds=$(dirname "${BASH_SOURCE[0]}")/kinds # of the studies on GPUs: one graph of each kind
mkdir -p "$kinds"
"$lcn" generate regular --n 100 --d 30 --seed 1 --grid 10000x10000 --out "$kinds/dense.json"
"$lcn" generate barabasi-albert --n 400 --m 5 --seed 1 --grid 1000000x1000000 --out "$kinds/hubs.json"
"$lcn" generate geometric --n 800 --degree 7 --seed 1 --grid 1000000x1000000 --out "$kinds/geometric.json"
"$lcn" generate torus --rows 24 --cols 30 --grid 1000000x1000000 --out "$kinds/torus.json"
"$lcn" generate regular --n 400 --d 5 --seed 1 --grid 40x40 --out "$kinds/tiny-grid.json"
"$lcn" generate regular --n 3000 --d 4 --seed 1 --grid 1000000x1000000 --out "$kinds/large.json"
"$lcn" generate planted --n 300 --k 3 --seed 1 --grid 1000000x1000000 --out "$kinds/planted.json"
