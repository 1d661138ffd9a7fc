#!/usr/bin/env bash
# How strong each level of the human mind plays at 3+2, among themselves and beside Stockfish held to fixed ratings: the table of levels in docs/human.md.
#
#     runs/levels.sh BOOK [arena options]        BOOK: openings, .epd or .pgn, also .zst
#
# TABIYA names the binary, STOCKFISH the engine, LEVELS and FIXED the ratings, GAMES how many games each pairing plays (10).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
book=$1
shift
players=()
for level in ${LEVELS:-1100 1300 1500 1700 1900 2100 2300}; do
    players+=("human:instant;name=h$level;option.UCI_Elo=$level")
done
# A budget of nodes instead of a clock: on a clock Stockfish thinks for seconds, whatever its rating.
for rating in ${FIXED-1400 1700 2000 2300}; do
    players+=("${STOCKFISH:-stockfish};name=sf$rating;option.UCI_LimitStrength=true;option.UCI_Elo=$rating;nodes=20000")
done
"${TABIYA:-$here/../target/release/tabiya}" arena "${players[@]}" --games "${GAMES:-10}" --tc 180+2 --book "$book" "$@"
