#!/usr/bin/env bash
# From the raw files to models/recycler.safetensors: import and training.
#
#     runs/train-recycler.sh GAMES FOLDER       GAMES: folder of the .pgn.zst files; FOLDER: for dataset and runs
#
# Stopped at any moment (Ctrl-C, kill, power), the same command goes on where it was; with larger STEPS it goes on for longer.
# TABIYA names the binary, OUT the weights that are made in place of models/recycler.safetensors, INIT weights to begin with.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
games=$1 folder=$2
tabiya=${TABIYA:-target/release/tabiya}
out=${OUT:-models/recycler.safetensors}
[ -x "$tabiya" ] || cargo build --release

"$tabiya" data import --resume --out "$folder/games" \
    "$games"/{lichess_rated_clock,lichess_rated_clock_2,lichess_rated_noclock_2}.pgn.zst

how=()
if [ -e "$folder/run/checkpoint.safetensors" ]; then how=(--resume); elif [ -n "${INIT:-}" ]; then how=(--init "$INIT"); fi
nice "$tabiya" train configs/recycler.toml --data "$folder/games" --out "$folder/run" --set train.steps="${STEPS:-8000}" "${how[@]}"
cp "$folder/run/best.safetensors" "$out"
"$tabiya" models "$out"
