#!/usr/bin/env bash
# What imagining futures is worth at equal time: a policy (S-A) of the same trunk, data and time beside ways in which futures may help,
# then all of them on the same held-out positions; and the seed's architecture beside its own policy.
#
#     runs/ablate-planner.sh DATASET FOLDER       DATASET with the set of labels `futures`; SECONDS for each run in TIME
#
# TABIYA names the binary. A run that is there already is not made again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
data=$1 folder=$2
tabiya=${TABIYA:-target/release/tabiya}
time=${TIME:-1800}

# ablation NAME [SETTING...]: with INIT the trunk begins as that of the human network.
models=()
ablation() {
    local name=$1 sets=() how=() set
    shift
    for set in "$@"; do sets+=(--set "$set"); done
    [ -n "${INIT:-}" ] && how=(--init "$INIT")
    # Ctrl-C ends a run in good order, and so does this; the rate stays where it is, so that where a run ends does not matter.
    [ -e "$folder/$name/best.safetensors" ] || timeout --signal=INT "$time" nice "$tabiya" train configs/planner.toml --data "$data" \
        --out "$folder/$name" --set train.last-rate=1.0 --set train.validate-every=100 --set train.validation-samples=512 \
        "${how[@]}" "${sets[@]}" || true
    models+=("$folder/$name/best.safetensors")
}

INIT=models/human.safetensors
ablation policy network.variant=s-a
ablation futures
ablation actions-alone network.variant=s-aa
ablation horizon-2 network.horizon=2
ablation horizon-8 network.horizon=8
ablation light-futures network.weights.actions=0.05 network.weights.states=0.02
ablation four-draws network.draws=4
ablation bound network.lambda=bound
ablation no-value network.weights.value=0.0
ablation flow network.process=flow
ablation flow-uniform network.process=flow network.source=uniform
"$tabiya" eval engine "${models[@]}" --data "$data" --labels futures --positions 10000
# Votes and steps, where there is a future to imagine.
"$tabiya" eval engine "$folder"/{futures,flow,flow-uniform}/best.safetensors --data "$data" --labels futures --positions 2000 \
    --efforts 1x1,2x1,5x1,10x1,20x1,10x4,10x16,10x64
"$tabiya" eval imagined "$folder"/{futures,flow,flow-uniform}/best.safetensors --data "$data" --labels futures

models=() INIT=
stream=(network.architecture=stream network.draws=1 train.batch=32 network.stream.layers=4 network.stream.width=128 network.stream.feed=512)
ablation stream-policy network.variant=s-a "${stream[@]}"
ablation stream "${stream[@]}"
"$tabiya" eval engine "${models[@]}" --data "$data" --labels futures --positions 10000
