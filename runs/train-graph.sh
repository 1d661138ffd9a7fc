#!/usr/bin/env bash
# From the raw files to models/graph.safetensors: import, labels by Stockfish, training.
#
#     runs/train-graph.sh GAMES LABELS FOLDER   GAMES: folder of the .pgn.zst files; LABELS: a set of labels called futures as an
#                                               archive, or `-` to make one; FOLDER: for dataset and runs
#
# Stopped at any moment (Ctrl-C, kill, power), the same command goes on where it was; with larger STEPS it goes on for longer.
# TABIYA names the binary, STOCKFISH the engine, SAMPLE the number of labels to make, OUT the weights that are made in place of
# models/graph.safetensors, INIT weights to begin with.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
games=$1 labels=$2 folder=$3
tabiya=${TABIYA:-target/release/tabiya}
stockfish=${STOCKFISH:-/usr/games/stockfish}
out=${OUT:-models/graph.safetensors}
[ -x "$tabiya" ] || cargo build --release

"$tabiya" data import --resume --out "$folder/games" \
    "$games"/{lichess_rated_clock,lichess_rated_noclock,chesscom_clock,otb_club_1200_2400,otb_elite_2400}.pgn.zst

cat > "$folder/few.toml" <<'POLICY'
name = "few"
[positions]
first-ply = 6
per-game = 16
POLICY
if [ "$labels" = - ]; then
    how=()
    [ -e "$folder/games/labels-futures.json" ] && how=(--resume)
    nice "$tabiya" data label "$folder/games" --engine "$stockfish" --depth 10 --sample "${SAMPLE:-800000}" --name futures \
        --policy "$folder/few.toml" --keep-memory "${how[@]}"
elif [ ! -e "$folder/games/labels-futures.json" ]; then
    tar -xf "$labels" -C "$folder/games"
fi

how=()
if [ -e "$folder/run/checkpoint.safetensors" ]; then how=(--resume); elif [ -n "${INIT:-}" ]; then how=(--init "$INIT"); fi
nice "$tabiya" train configs/graph.toml --data "$folder/games" --out "$folder/run" --set train.steps="${STEPS:-12000}" "${how[@]}"
cp "$folder/run/best.safetensors" "$out"
"$tabiya" models "$out"
