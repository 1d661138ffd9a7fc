#!/usr/bin/env bash
# From the raw files to models/recycler.safetensors: import, opinions of a teacher, training.
#
#     runs/train-recycler.sh GAMES FOLDER [TEACHER]     GAMES: folder of the .pgn.zst files; FOLDER: for dataset and runs;
#                                                       TEACHER: a network such as maia3-5m.onnx; without one only games are learned from
#
# Stopped at any moment (Ctrl-C, kill, power), the same command goes on where it was; with larger STEPS it goes on for longer.
# TABIYA names the binary, OUT the weights that are made in place of models/recycler.safetensors, INIT weights to begin with,
# OPINIONS how many positions the teacher is asked about.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
games=$1 folder=$2 teacher=${3:-}
tabiya=${TABIYA:-target/release/tabiya}
out=${OUT:-models/recycler.safetensors}
[ -x "$tabiya" ] || cargo build --release

"$tabiya" data import --resume --out "$folder/games" \
    "$games"/{lichess_rated_clock,lichess_rated_clock_2,lichess_rated_noclock_2}.pgn.zst

config=configs/recycler.toml
if [ -n "$teacher" ]; then
    config=configs/recycler-taught.toml
    nice "$tabiya" data opinions "$folder/games" --with "$teacher" --policy recycler --name maia3elite --sample "${OPINIONS:-300000}" --resume
fi
how=()
if [ -e "$folder/run/checkpoint.safetensors" ]; then how=(--resume); elif [ -n "${INIT:-}" ]; then how=(--init "$INIT"); fi
nice "$tabiya" train "$config" --data "$folder/games" --out "$folder/run" "${how[@]}" ${STEPS:+--set train.steps="$STEPS"}
cp "$folder/run/best.safetensors" "$out"
"$tabiya" models "$out"
