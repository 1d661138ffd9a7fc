#!/usr/bin/env bash
# One part of a set of labels, by its number from 1: PARTS=40 DATA=games label.sh 7. Safe to run again, whether it was killed or finished.
set -euo pipefail
part="$1"
: "${PARTS:?how many parts there are}" "${DATA:=games}" "${NAME:=stockfish}" "${ENGINE:=stockfish}" "${DEPTH:=12}" "${SAMPLE:=0}"
: "${TABIYA:=tabiya}" "${ENGINES:=${SLURM_CPUS_PER_TASK:-1}}"

file=$(printf '%s/labels-%s.part-%03d-of-%03d.json' "$DATA" "$NAME" "$part" "$PARTS")
resume=()
[ -e "$file" ] && resume=(--resume)
exec "$TABIYA" data label "$DATA" --name "$NAME" --engine "$ENGINE" --depth "$DEPTH" --sample "$SAMPLE" \
    --engines "$ENGINES" --part "$part/$PARTS" "${resume[@]}" ${MORE:-}
