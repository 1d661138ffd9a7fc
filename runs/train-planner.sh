#!/usr/bin/env bash
# models/planner.safetensors from the human network and engine lines, and beside it a policy (S-A) of the same trunk, data and steps, to
# compare: about eight hours of two cores for the planner.
#
#     runs/train-planner.sh DATASET FOLDER      DATASET: games with the labels `futures`; FOLDER: for the runs
#
# Stopped at any moment (Ctrl-C, kill, power), the same command goes on where it was; with larger STEPS it goes on for longer.
# TABIYA names the binary, OUT the weights that are made in place of models/planner.safetensors.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
data=$1 folder=$2
tabiya=${TABIYA:-target/release/tabiya}
out=${OUT:-models/planner.safetensors}
[ -x "$tabiya" ] || cargo build --release

# part NAME [SETTING]...: trains, or goes on.
part() {
    local name=$1 how=(--init models/human.safetensors) set
    shift
    if [ -e "$folder/$name/checkpoint.safetensors" ]; then how=(--resume); fi
    for set in train.steps="${STEPS:-40000}" "$@"; do how+=(--set "$set"); done
    nice "$tabiya" train configs/planner.toml --data "$data" --out "$folder/$name" "${how[@]}"
}
part planner
part policy network.variant=s-a
cp "$folder/planner/best.safetensors" "$out"
"$tabiya" eval engine "$out" "$folder/policy/best.safetensors" --data "$data" --labels futures --positions 20000
