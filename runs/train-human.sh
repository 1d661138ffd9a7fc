#!/usr/bin/env bash
# From the raw files to models/human.safetensors: import, training, the end of the training on mostly online games, temperatures.
#
#     runs/train-human.sh GAMES FOLDER          GAMES: folder of the .pgn.zst files; FOLDER: for dataset and runs
#
# Stopped at any moment (Ctrl-C, kill, power), the same command goes on where it was; with larger STEPS it goes on for longer.
# TABIYA names the binary, OUT the weights that are made in place of models/human.safetensors, LATE the steps of the last part,
# INIT weights to begin with.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
games=$1 folder=$2
tabiya=${TABIYA:-target/release/tabiya}
out=${OUT:-models/human.safetensors}
[ -x "$tabiya" ] || cargo build --release

"$tabiya" data import --resume --out "$folder/games" \
    "$games"/{lichess_rated_clock,lichess_rated_noclock,chesscom_clock,otb_club_1200_2400,otb_elite_2400}.pgn.zst

# part NAME CONFIG STEPS [WEIGHTS]: trains, or goes on; weights are where the part begins.
part() {
    local how=()
    if [ -e "$folder/$1/checkpoint.safetensors" ]; then how=(--resume); elif [ -n "${4:-}" ]; then how=(--init "$4"); fi
    nice "$tabiya" train "$2" --data "$folder/games" --out "$folder/$1" --set train.steps="$3" "${how[@]}"
}
part run configs/human-swift.toml "${STEPS:-40000}" "${INIT:-}"
part late configs/human-swift-late.toml "${LATE:-6000}" "$folder/run/best.safetensors"
"$tabiya" train calibrate "$folder/late/best.safetensors" --data "$folder/games" --out "$out"
"$tabiya" models "$out"
