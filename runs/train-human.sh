#!/usr/bin/env bash
# From the raw files to models/human.safetensors: import, training, temperatures.
#
#     runs/train-human.sh GAMES FOLDER          GAMES: folder of the .pgn.zst files; FOLDER: for dataset and run
#
# Stopped at any moment (Ctrl-C, kill, power), the same command goes on where it was; with larger STEPS it goes on for longer.
# TABIYA names the binary, OUT the weights that are made in place of models/human.safetensors.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
games=$1 folder=$2
tabiya=${TABIYA:-target/release/tabiya}
out=${OUT:-models/human.safetensors}
[ -x "$tabiya" ] || cargo build --release

"$tabiya" data import --resume --out "$folder/games" \
    "$games"/{lichess_rated_clock,lichess_rated_noclock,chesscom_clock,otb_club_1200_2400,otb_elite_2400}.pgn.zst

how=()
[ -e "$folder/run/checkpoint.safetensors" ] && how=(--resume)
nice "$tabiya" train configs/human-swift.toml --data "$folder/games" --out "$folder/run" \
    --set train.steps="${STEPS:-20000}" "${how[@]}"
"$tabiya" train calibrate "$folder/run/best.safetensors" --data "$folder/games" --out "$out"
"$tabiya" models "$out"
