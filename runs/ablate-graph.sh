#!/usr/bin/env bash
# What each part of the graph network is worth at equal time: a short run without it (or with it, where it is off), then all of them
# on the same held-out positions.
#
#     runs/ablate-graph.sh DATASET FOLDER       DATASET with the sets of labels `futures` and `multipv`; SECONDS for each run in TIME
#
# TABIYA names the binary. A run that is there already is not made again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
data=$1 folder=$2
tabiya=${TABIYA:-target/release/tabiya}
time=${TIME:-900}

# ablation NAME [SETTING...]
models=()
ablation() {
    local name=$1 sets=()
    shift
    for set in "$@"; do sets+=(--set "$set"); done
    # Ctrl-C ends a run in good order, and so does this; the rate stays where it is, so that where a run ends does not matter.
    [ -e "$folder/$name/best.safetensors" ] || timeout --signal=INT "$time" nice "$tabiya" train configs/graph.toml --data "$data" \
        --out "$folder/$name" --set train.last-rate=1.0 --set train.validate-every=100 "${sets[@]}" || true
    models+=("$folder/$name/best.safetensors")
}
ablation whole
ablation without-rays network.rays=false
ablation without-weights network.weights=false
ablation without-control network.control=false
ablation without-grid network.grid=false
ablation without-tactics network.tactics=false
ablation with-centrality network.centrality=true
ablation with-pooled-memory network.memory=pooled
ablation with-node-memory network.memory=nodes
ablation quiet-first network.memory=pooled train.phases.quiet.steps=200 train.phases.quiet.policy=labelled-quiet
ablation list-order train.labels=multipv
ablation list-best train.labels=multipv network.objective.order=0.0

"$tabiya" eval engine "${models[@]}" --data "$data" --labels futures --positions 10000
