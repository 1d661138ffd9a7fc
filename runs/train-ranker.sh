#!/usr/bin/env bash
# From the raw files to models/ranker.safetensors: import, two sets of labels by Stockfish, two runs of training.
#
#     runs/train-ranker.sh GAMES FOLDER         GAMES: folder of the .pgn.zst files; FOLDER: for dataset and runs
#
# Stopped at any moment (Ctrl-C, kill, power), the same command goes on where it was. TABIYA names the binary, STOCKFISH the engine, OUT the
# weights that are made in place of models/ranker.safetensors, INIT weights to begin with, MANY and DEEP the numbers of labels,
# FIRST and LAST the steps of the two runs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
games=$1 folder=$2
tabiya=${TABIYA:-target/release/tabiya}
stockfish=${STOCKFISH:-/usr/games/stockfish}
out=${OUT:-models/ranker.safetensors}
[ -x "$tabiya" ] || cargo build --release

"$tabiya" data import --resume --out "$folder/games" \
    "$games"/{lichess_rated_clock,lichess_rated_noclock,chesscom_clock,otb_club_1200_2400,otb_elite_2400}.pgn.zst

cat > "$folder/few.toml" <<'POLICY'
name = "few"
[games]
untimed = 0.3
[positions]
first-ply = 6
per-game = 16
POLICY
# label NAME DEPTH NUMBER SEED: evaluations of games where there are any, Stockfish elsewhere.
label() {
    local how=()
    [ -e "$folder/games/labels-$1.json" ] && how=(--resume)
    nice "$tabiya" data label "$folder/games" --engine "$stockfish" --depth "$2" --sample "$3" --seed "$4" --name "$1" \
        --policy "$folder/few.toml" --split train --evals --keep-memory "${how[@]}"
}
label many 1 "${MANY:-3200000}" 0
label deep 7 "${DEEP:-220000}" 5

# part NAME LABELS STEPS RATE LAST-RATE [WEIGHTS]: trains, or goes on; weights are where the part begins.
part() {
    local how=()
    if [ -e "$folder/$1/checkpoint.safetensors" ]; then how=(--resume); elif [ -n "${6:-}" ]; then how=(--init "$6"); fi
    nice "$tabiya" train configs/ranker.toml --data "$folder/games" --out "$folder/$1" --set train.labels="$2" \
        --set train.steps="$3" --set train.rate="$4" --set train.last-rate="$5" "${how[@]}"
}
part first many "${FIRST:-16000}" 2e-3 0.3 "${INIT:-}"
part last deep "${LAST:-6500}" 1.2e-3 0.01 "$folder/first/best.safetensors"
cp "$folder/last/best.safetensors" "$out"
"$tabiya" models "$out"
