#!/usr/bin/env bash
# Training by several processes (MPI) on this machine: the weights of 2 and of 4 processes are those of one, a run goes on with another number
# of processes, and one whose process is killed ends with a sentence and a checkpoint from which it goes on. Debian: openmpi-bin
# libopenmpi-dev libclang-dev.
#     cargo build --features mpi && runs/mpi_trial.sh target/debug/tabiya GAMES.pgn
set -euo pipefail
tabiya=$(realpath "$1") games=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$tabiya" data import "$games" --out games >/dev/null
cat >tiny.toml <<'EOF'
family = "human"
[network.swift]
channels = 8
blocks = 1
accumulator = 16
hidden = 16
[train]
batch = 8
accumulate = 4
steps = 24
warmup = 2
validate-every = 8
validation-samples = 8
checkpoint-seconds = 60
policy = "all"
EOF
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 RAYON_NUM_THREADS=1
mpi=(mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 --mca odls_base_sigkill_timeout 10)
together() { local n=$1; shift; "${mpi[@]}" -n "$n" "$tabiya" train "$@"; }
train() { "$tabiya" train "$@" >/dev/null 2>"$folder/log" || { cat "$folder/log"; return 1; }; }

difference() {
    python3 - "$1/checkpoint.safetensors" "$2/checkpoint.safetensors" <<'EOF'
import json, struct, sys, array
def weights(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    found = {}
    for name, about in header.items():
        if name.startswith("weights/"):
            begin, end = about["data_offsets"]
            found[name] = array.array("f", data[8 + size + begin:8 + size + end])
    return found, json.loads(header["__metadata__"]["tabiya-run"])
(a, one), (b, other) = map(weights, sys.argv[1:])
assert a.keys() == b.keys()
assert (one["step"], one["samples"], one["sampler"]) == (other["step"], other["samples"], other["sampler"]), "not at the same place"
pairs = [(x, y) for name in a for x, y in zip(a[name], b[name])]
largest = max(abs(x - y) for x, y in pairs)
relative = (sum((x - y) ** 2 for x, y in pairs) / sum(x * x for x, _ in pairs)) ** 0.5
print(f"step {one['step']}: weights differ by {relative:.1e} of their length, a single one by {largest:.1e} at most")
# AdamW takes steps of the learning rate even where a gradient is nothing but rounding.
sys.exit(0 if relative < 1e-5 and largest < 1e-3 else 1)
EOF
}

train tiny.toml --data games --out one
for n in 2 4; do
    together "$n" tiny.toml --data games --out "together-$n" >/dev/null 2>log || { cat log; exit 1; }
    printf '%s processes: ' "$n"; difference one "together-$n"
done

# Half by two, the rest by four, the end by one.
"${mpi[@]}" -n 2 "$tabiya" train tiny.toml --data games --out mixed >/dev/null 2>log &
run=$!
steps() { { grep -c '"event":"step"' mixed/metrics.jsonl 2>/dev/null || true; } | grep . || echo 0; }
while [ "$(steps)" -lt 6 ]; do sleep 0.05; done
kill -TERM "$run"; wait "$run" || true
printf 'stopped: '; grep -o 'stopped after step [0-9]*\|the run ended within step [0-9]*' log | head -1 || { echo "no sentence:"; cat log; }
"${mpi[@]}" -n 4 "$tabiya" train tiny.toml --data games --out mixed --resume >/dev/null 2>log &
run=$!
before=$(steps)
while [ "$(steps)" -lt $((before + 4)) ]; do sleep 0.05; done
# A process that is not the first dies.
victim=$(pgrep -P "$run" | tail -1)
kill -9 "$victim"; wait "$run" && { echo "a run that lost a process ended well"; exit 1; } || true
grep -h 'the run ended within step' log | sort -u | head -2 || { echo "no sentence:"; cat log; exit 1; }
train tiny.toml --data games --out mixed --resume
printf 'by two, four and one, stopped and killed: '; difference one mixed

if together 3 tiny.toml --data games --out three >/dev/null 2>log; then echo "three processes shared four batches"; exit 1; fi
grep -h 'cannot be shared' log | sort -u | head -1
