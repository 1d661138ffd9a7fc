#!/usr/bin/env bash
# What ray edges are worth where lines matter: the graph network with and without them, trained for equal times, on puzzles with the themes
# pin, skewer and xRayAttack; the second table has the differences with their intervals.
#
#     runs/probe-rays.sh DATASET PUZZLES FOLDER       FOLDER as runs/ablate-graph.sh makes it, or empty; SECONDS for each run in TIME
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
data=$1 puzzles=$2 folder=$3
tabiya=${TABIYA:-target/release/tabiya}

for name in whole without-rays; do
    sets=()
    [ $name = without-rays ] && sets=(--set network.rays=false)
    [ -e "$folder/$name/best.safetensors" ] || timeout --signal=INT "${TIME:-900}" nice "$tabiya" train configs/graph.toml --data "$data" \
        --out "$folder/$name" --set train.last-rate=1.0 --set train.validate-every=100 "${sets[@]}" || true
done
# The first model is the one that others are held against.
"$tabiya" eval puzzles "$folder"/{without-rays,whole}/best.safetensors --data "$puzzles" --puzzles 0 \
    --theme pin --theme skewer --theme xRayAttack
