#!/usr/bin/env bash
# From the raw files to models/human.safetensors: import, training on games, opinions of a teacher, training with them, calibration.
#
#     runs/train-human.sh GAMES FOLDER [TEACHER]     GAMES: folder of the .pgn.zst files; FOLDER: for dataset and runs; TEACHER: such as maia3-5m.onnx
#
# Stopped at any moment (Ctrl-C, kill, power), the same command goes on where it was; with larger numbers it goes on for longer.
# TABIYA names the binary, OUT the weights that are made in place of models/human.safetensors, INIT weights to begin with. Numbers of
# steps: STEPS on games, LATE at their end, TAUGHT with the teacher. OPINIONS: positions to ask it about. CONFIG: how it teaches
# (configs/human-taught-maia1.toml for Maia-1). Without a teacher the training ends with the games.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
games=$1 folder=$2 teacher=${3:-}
tabiya=${TABIYA:-target/release/tabiya}
out=${OUT:-models/human.safetensors}
config=${CONFIG:-configs/human-taught.toml}
[ -x "$tabiya" ] || cargo build --release

"$tabiya" data import --resume --out "$folder/games" \
    "$games"/lichess_{rated_clock,rated_clock_2,rated_clock_3,rated_noclock,rated_noclock_2,rated_2013,nameless}.pgn.zst \
    "$games"/{chesscom_clock,otb_club_1200_2400,otb_elite_2400}.pgn.zst

# part NAME CONFIG STEPS [WEIGHTS]: trains, or goes on; weights are where the part begins.
part() {
    local how=()
    if [ -e "$folder/$1/checkpoint.safetensors" ]; then how=(--resume); elif [ -n "${4:-}" ]; then how=(--init "$4"); fi
    nice "$tabiya" train "$2" --data "$folder/games" --out "$folder/$1" --set train.steps="$3" --set train.kept-apart=500 "${how[@]}"
}
part run configs/human-swift.toml "${STEPS:-40000}" "${INIT:-}"
part late configs/human-swift-late.toml "${LATE:-6000}" "$folder/run/best.safetensors"
last=late
if [ -n "$teacher" ]; then
    name=$(sed -n 's/^sets = \["\(.*\)"\]$/\1/p' "$config")
    nice "$tabiya" data opinions "$folder/games" --with "$teacher" --name "$name" --kept-apart 500 --sample "${OPINIONS:-750000}" --resume
    part taught "$config" "${TAUGHT:-5000}" "$folder/late/best.safetensors"
    last=taught
fi
"$tabiya" train calibrate "$folder/$last/best.safetensors" --data "$folder/games" --out "$out"
"$tabiya" models "$out"
