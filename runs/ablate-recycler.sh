#!/usr/bin/env bash
# What the further objectives of the recycler and its passes are worth at equal time: short runs with and without, then all of them on the
# same held-out positions.
#
#     runs/ablate-recycler.sh DATASET FOLDER       SECONDS for each run in TIME
#
# TABIYA names the binary. A run that is there already is not made again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
data=$1 folder=$2
tabiya=${TABIYA:-target/release/tabiya}
time=${TIME:-1800}

# ablation NAME [SETTING...]
models=()
ablation() {
    local name=$1 sets=() set
    shift
    for set in "$@"; do sets+=(--set "$set"); done
    # Ctrl-C ends a run in good order, and so does this; the rate stays where it is, so that where a run ends does not matter.
    [ -e "$folder/$name/best.safetensors" ] || timeout --signal=INT "$time" nice "$tabiya" train configs/recycler.toml --data "$data" \
        --out "$folder/$name" --set train.last-rate=1.0 --set train.validate-every=200 "${sets[@]}" || true
    models+=("$folder/$name/best.safetensors")
}
ablation whole
ablation with-masked network.weights.masked=0.5
ablation with-next network.weights.next=0.5
ablation with-masked-and-next network.weights.masked=0.5 network.weights.next=0.5
ablation without-threat-and-check network.weights.threat=0.0 network.weights.check=0.0
ablation without-geometry network.geometry=false
ablation one-pass 'network.train-passes=[1]' network.passes=1
ablation passes-alike 'network.train-passes=[1, 2, 3, 4]'
ablation win-probability network.eval=win-probability

"$tabiya" eval human "${models[@]}" --data "$data" --policy recycler --split test --positions 10000
"$tabiya" eval human "$folder"/{whole,passes-alike}/best.safetensors --data "$data" --policy recycler --split test --positions 5000 \
    --passes 1,2,3,4,6,8
