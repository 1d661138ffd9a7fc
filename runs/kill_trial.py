"""Kills imports and labellings with SIGKILL at random moments and checks what is left.

Usage: python runs/kill_trial.py path/to/tabiya FILE.pgn[.zst] [TRIALS] [import|label]. After each kill the folder must read (`tabiya data stats`
recounts every row against the card) and hold no game twice (by DuckDB, where installed); after `--resume` the
fingerprint must be that of an undisturbed run. Labels are made by the program `stockfish`.
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

try:
    import duckdb
except ImportError:
    duckdb = None

tabiya, games = sys.argv[1], sys.argv[2]
trials = int(sys.argv[3]) if len(sys.argv) > 3 else 50
which = sys.argv[4:] or ["import", "label"]
engine = shutil.which("stockfish", path=os.environ["PATH"] + ":/usr/games")
random.seed(1)


def run(words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def import_words(out, *more):
    return [tabiya, "data", "import", games, "--out", out, "--shard-games", "300", "--json", *more]


def label_words(out, *more):
    return [tabiya, "data", "label", out, "--engine", engine, "--depth", "5", "--multipv", "2", "--sample", "1500", "--json", *more]


def killed(words, longest):
    """Starts, waits a random while below `longest`, kills. True if the kill came before the end."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(random.uniform(0.01, longest))
    early = process.poll() is None
    process.kill()
    process.wait()
    return early


def check_games(out):
    if not pathlib.Path(out, "dataset.json").exists():
        return
    run([tabiya, "data", "stats", out, "--policy", "all"])
    files = [shard["file"] for shard in json.loads(pathlib.Path(out, "dataset.json").read_text())["shards"]]
    if duckdb and files:
        paths = [str(pathlib.Path(out, file)) for file in files]
        total, distinct = duckdb.sql(f"select count(*), count(distinct id) from read_parquet({paths})").fetchall()[0]
        assert total == distinct, f"{total - distinct} games are there twice"


def check_labels(out):
    card = pathlib.Path(out, "labels-stockfish.json")
    if not card.exists():
        return
    parts = json.loads(card.read_text())["parts"]
    if duckdb and parts:
        paths = [str(pathlib.Path(out, part)) for part in parts]
        query = f"select count(*), count(distinct (game_id, ply)) from read_parquet({paths})"
        total, distinct = duckdb.sql(query).fetchall()[0]
        assert total == distinct, f"{total - distinct} labels are there twice"


def trial(name, words, check, prepare):
    with tempfile.TemporaryDirectory() as folder:
        calm = prepare(f"{folder}/calm")
        started = time.time()
        expected = json.loads(run(words(calm)))["fingerprint"]
        length = time.time() - started
        early = 0
        for number in range(trials):
            out = prepare(f"{folder}/{number}")
            early += killed(words(out), 0.4 * length)
            check(out)
            early += killed(words(out, "--resume"), 0.15 * length)
            check(out)
            found = json.loads(run(words(out, "--resume")))["fingerprint"]
            check(out)
            assert found == expected, f"trial {number}: {found} is not {expected}"
            shutil.rmtree(out)
        print(f"{name}: {trials} trials of two kills each, {early} before the end; every folder read, nothing twice, same fingerprint")


if "import" in which:
    trial("import", import_words, check_games, lambda out: out)
if "label" in which and engine:
    with tempfile.TemporaryDirectory() as source:
        run(import_words(f"{source}/games"))
        trial("label", label_words, check_labels, lambda out: shutil.copytree(f"{source}/games", out))
elif "label" in which:
    print("label: SKIPPED, no stockfish")
