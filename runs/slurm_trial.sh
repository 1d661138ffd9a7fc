#!/usr/bin/env bash
# A trial of runs/cluster/label.sbatch under a real Slurm on this machine (Debian: slurm-wlm, munge): two node processes with one job each at a
# time, 20,000 positions in 40 parts; one node process is killed with its job in the middle, and a job's own processes another time. The set
# must be that of one undisturbed run. Needs root for the daemons, a tabiya, an engine and a file of games:
#     TABIYA=target/release/tabiya GAMES=lichess_db.pgn.zst runs/slurm_trial.sh
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
: "${TABIYA:=$here/target/release/tabiya}" "${GAMES:?a file of games}" "${ENGINE:=stockfish}" "${DEPTH:=1}" "${SAMPLE:=20000}" "${PARTS:=40}"
TABIYA=$(realpath "$TABIYA")
folder=$(mktemp -d)
host=$(hostname -s)

slurm="$folder/slurm"
mkdir -p "$slurm/state" "$slurm/n1" "$slurm/n2"
cat >"$slurm/slurm.conf" <<EOF
ClusterName=trial
SlurmctldHost=$host
SlurmctldPort=17117
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/%n
SlurmctldPidFile=$slurm/ctld.pid
SlurmdPidFile=$slurm/%n.pid
SlurmctldLogFile=$slurm/ctld.log
SlurmdLogFile=$slurm/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdTimeout=10
MinJobAge=3600
BatchStartTimeout=20
NodeName=n1 NodeHostname=$host Port=17201 CPUs=1 RealMemory=2000
NodeName=n2 NodeHostname=$host Port=17202 CPUs=1 RealMemory=2000
PartitionName=all Nodes=ALL Default=YES State=UP
EOF
export SLURM_CONF="$slurm/slurm.conf"

pids=()
end() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    [ -n "${KEEP:-}" ] || rm -rf "$folder"
}
trap end EXIT

if [ ! -S /run/munge/munge.socket.2 ]; then
    mkdir -p /run/munge && chown munge: /run/munge
    setpriv --reuid=munge --regid=munge --clear-groups munged --foreground & pids+=($!)
    sleep 2
fi
slurmctld -D & pids+=($!)
sleep 2
node() { slurmd -D -N "$1" & pids+=($!); echo $! >"$slurm/$1.ours"; }
node n1
node n2
sleep 3
scontrol show nodes --oneliner | grep -o 'NodeName=[^ ]*\|State=[^ ]*' | paste - -

"$TABIYA" data import "$GAMES" --out "$folder/games" >/dev/null
cp -r "$folder/games" "$folder/plain"

export TABIYA ENGINE DEPTH SAMPLE PARTS ENGINES=1 DATA="$folder/games" NAME=trial MORE="${MORE:-}"
cd "$here"
began=$(date +%s)
job=$(sbatch --parsable --array=1-"$PARTS" --cpus-per-task=1 --mem=500M --time=60 --output="$folder/label-%a.log" \
    --export=ALL runs/cluster/label.sbatch)
running() { squeue --noheader --array --jobs="$job" --states=all --format=%T | sort | uniq -c | paste -sd' '; }
finished() { grep -l '"finished": true' "$folder"/games/labels-trial.part-*.json 2>/dev/null | wc -l; }
wait_for() { while [ "$(finished)" -lt "$1" ]; do sleep 0.5; done; }

wait_for $((PARTS / 4))
part=
while [ -z "$part" ]; do part=$(squeue --noheader --array --jobs="$job" --nodelist=n1 --states=running --format=%K); done
echo "after $(finished) parts: node process n1 and all of its part $part are killed"
kill -9 "$(cat "$slurm/n1.ours")"
# What the node ran goes with it.
for step in $(pgrep -x slurmstepd || true); do
    for child in $(pgrep -P "$step" || true); do
        grep -qz '^SLURMD_NODENAME=n1' "/proc/$child/environ" 2>/dev/null && kill -9 "$child" "$step" || true
    done
done
sleep 12
scontrol show node n1 --oneliner | grep -o 'State=[^ ]*'
node n1

wait_for $((PARTS / 2))
victim=
while [ -z "$victim" ]; do victim=$(pgrep -f "data label $folder/games .*--part" | head -1 || true); done
part=$(tr '\0' ' ' <"/proc/$victim/cmdline" | grep -o -- '--part [0-9]*' | cut -d' ' -f2)
kill -9 "$victim"
echo "after $(finished) parts: the labeller of part $part is killed"
sleep 2
# Slurm gives back what a node lost by itself; a part that failed is given back by hand, as its user would.
for index in $(squeue --noheader --array --jobs="$job" --states=failed --format=%K); do
    echo "part $index failed and is given back to the queue"
    scontrol requeue "${job}_$index"
done
while [ "$(finished)" -lt "$PARTS" ]; do
    sleep 2
    for index in $(squeue --noheader --array --jobs="$job" --states=failed --format=%K); do scontrol requeue "${job}_$index"; done
done
running
echo "$PARTS parts in $(($(date +%s) - began)) s"

"$TABIYA" data label "$folder/plain" --name trial --engine "$ENGINE" --depth "$DEPTH" --sample "$SAMPLE" --engines 1 $MORE --json \
    >"$folder/plain.json"
python3 - "$folder" "$PARTS" <<'EOF'
import json, sys, glob
folder, parts = sys.argv[1], int(sys.argv[2])
whole = json.load(open(f"{folder}/plain.json"))
cards = [json.load(open(path)) for path in sorted(glob.glob(f"{folder}/games/labels-trial.part-*.json"))]
rows, prints = sum(card["rows"] for card in cards), sum(int(card["fingerprint"], 16) for card in cards) % 2**128
print(f"{len(cards)} parts: {rows} labels, fingerprint {prints:032x}")
print(f"one run:  {whole['rows']} labels, fingerprint {whole['fingerprint']}")
same = len(cards) == parts and rows == whole["rows"] and prints == int(whole["fingerprint"], 16)
print("the same" if same else "NOT THE SAME")
sys.exit(0 if same else 1)
EOF
