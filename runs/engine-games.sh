#!/usr/bin/env bash
# Games of the hand-made evaluation against itself, for positions that engines won and lost: short searches of two lengths from varied openings.
#
#     runs/engine-games.sh BOOK FOLDER [GAMES]      BOOK: .epd or .pgn, also .zst; FOLDER: for the games and the dataset; 40,000 games
#
# Stopped at any moment, the same command goes on where it was. A game ends early only when both sides have seen ten pawns for one of them
# over four moves each. TABIYA names the binary, CORES the games at the same time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
book=$1 folder=$2 games=${3:-40000}
tabiya=${TABIYA:-target/release/tabiya}
[ -x "$tabiya" ] || cargo build --release

mkdir -p "$folder"
how=()
[ -e "$folder/games.pgn.journal" ] && how=(--resume)
# Two lengths: with one, both games of an opening would be the same, and most of them drawn.
nice "$tabiya" arena "heuristic:alpha-beta;name=short;nodes=2000" "heuristic:alpha-beta;name=long;nodes=5000" \
    --games "$games" --book "$book" --concurrency "${CORES:-1}" --hash 16 --pgn "$folder/games.pgn" "${how[@]}"
"$tabiya" data import --resume --out "$folder/dataset" "$folder/games.pgn"
