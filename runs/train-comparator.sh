#!/usr/bin/env bash
# From the raw files to models/comparator.safetensors: import, autoencoders and siamese network, and the small network that learns from it.
#
#     runs/train-comparator.sh GAMES FOLDER [MORE.pgn...]     GAMES: folder of the .pgn.zst files; FOLDER: for dataset and runs
#
# Stopped at any moment (Ctrl-C, kill, power), the same command goes on where it was. TABIYA names the binary, LABELS a .tar with a set of
# labels `futures`, OUT the folder of the weights that are made in place of models/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
games=$1 folder=$2
shift 2
tabiya=${TABIYA:-target/release/tabiya}
out=${OUT:-models}
[ -x "$tabiya" ] || cargo build --release

"$tabiya" data import --resume --out "$folder/games" \
    "$games"/{engine_ccrl_blitz,otb_elite_2400,lichess_rated_noclock_2,lichess_rated_clock,lichess_rated_clock_3,lichess_rated_noclock}.pgn.zst "$@"
labels=()
if [ -n "${LABELS:-}" ]; then
    tar -xf "$LABELS" -C "$folder/games"
    labels=(--set train.labels=futures)
fi

# part NAME SETTING...: trains, or goes on.
part() {
    local name=$1 how=()
    shift
    [ -e "$folder/$name/checkpoint.safetensors" ] && how=(--resume)
    nice "$tabiya" train "configs/$name.toml" --data "$folder/games" --out "$folder/$name" "${labels[@]}" "$@" "${how[@]}"
}
part comparator
cp "$folder/comparator/best.safetensors" "$out/comparator.safetensors"
# The teacher stands in the card of its pupil, by a path that means something elsewhere.
part comparator-small --set network.teacher="$out/comparator.safetensors"
"$tabiya" eval pairs "$out/comparator.safetensors" "$folder/comparator-small/best.safetensors" heuristic ranker --data "$folder/games"
