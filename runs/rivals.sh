#!/usr/bin/env bash
# How often the human mind, Maia-1, Maia-3 and Stockfish name the move that was played, on the same positions: the tables of rivals in docs/human.md.
#
#     runs/rivals.sh DATASET MAIA [eval options]              DATASET: the two Lichess files, imported; MAIA: folder of maia-1100.pb.gz .. maia-1900.pb.gz
#     MAIA3=maia3-5m.onnx runs/rivals.sh DATASET MAIA [..]    on moves of accounts that training keeps apart (all files imported): ours, Maia-1 and Maia-3,
#                                                             with paired differences by 200 points
#
# TABIYA names the binary, PYTHON an interpreter with the packages chess and numpy, STOCKFISH the engine, HUMAN the weights of the mind, POSITIONS how many
# (10000), KEPT_APART how many accounts in ten thousand the training kept apart (500).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dataset=$1 maia=$2
shift 2
tabiya=${TABIYA:-$here/../target/release/tabiya}
if [ -n "${MAIA3:-}" ]; then
    exec "$tabiya" eval human "${HUMAN:-human}" "$maia" "$MAIA3" --data "$dataset" --split all --strangers "${KEPT_APART:-500}" --ratings 800-2399 \
        --speed blitz --speed rapid --speed classical --positions "${POSITIONS:-10000}" --max-per-account 100 "$@"
fi
stockfish=${STOCKFISH:-stockfish}
net() { printf '%q %q %q;name=%s' "${PYTHON:-python3}" "$here/maia_uci.py" "$maia${2:+/$2}" "$1"; }

"$tabiya" eval human "${HUMAN:-human}" \
    "$(net maia-matched)" "$(net maia-1100 maia-1100.pb.gz)" "$(net maia-1500 maia-1500.pb.gz)" "$(net maia-1900 maia-1900.pb.gz)" \
    "$stockfish;name=stockfish-d1;depth=1" "$stockfish;name=stockfish-10k;nodes=10000" \
    --data "$dataset" --split test --positions "${POSITIONS:-10000}" --max-per-account 300 "$@"
