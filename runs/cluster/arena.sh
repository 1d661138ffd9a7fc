#!/usr/bin/env bash
# One part of a match, by its number from 1: PARTS=8 A=heuristic:alpha-beta B=ranker:puct arena.sh 3. Every machine takes a part of the same
# match; `tabiya arena merge parts/*.journal` judges them as one. Safe to run again after a kill.
set -euo pipefail
part="$1"
: "${PARTS:?how many parts there are}" "${A:?the first player}" "${B:?the second player}" "${GAMES:=1000}" "${TC:=8+0.08}"
: "${FOLDER:=parts}" "${TABIYA:=tabiya}"

mkdir -p "$FOLDER"
journal=$(printf '%s/part-%03d.journal' "$FOLDER" "$part")
resume=()
[ -s "$journal" ] && resume=(--resume)
exec "$TABIYA" arena "$A" "$B" --games "$GAMES" --tc "$TC" --part "$part/$PARTS" --journal "$journal" "${resume[@]}" ${MORE:-}
