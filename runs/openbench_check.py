#!/usr/bin/env python3
"""Checks that a binary answers as OpenBench's worker demands.

    make EXE=ours && python3 runs/openbench_check.py ./ours [--signature NODES]

The worker builds with `make EXE=...`, reads nodes and speed from the last lines of `bench`, wants the same nodes every time, and plays with
the UCI options Hash and Threads. Exit 0 if all of it holds.
"""

import argparse
import pathlib
import re
import subprocess
import sys


def bench(binary):
    """Nodes and nodes a second, found as the worker finds them: from the end, in words beside numbers."""
    out = subprocess.run([binary, "bench"], capture_output=True, text=True, timeout=300, check=True).stdout
    for line in reversed(out.splitlines()):
        words = re.sub(r"[^a-zA-Z0-9 ]+", " ", line)
        nodes = re.search(r"(\d+)\s+nodes\b", words)
        speed = re.search(r"(\d+)\s+nps\b", words)
        if nodes and speed:
            return int(nodes[1]), int(speed[1])
    raise AssertionError(f"`bench` says neither nodes nor nps: {out!r}")


def uci(binary, *lines):
    script = "\n".join([*lines, "quit"]) + "\n"
    return subprocess.run([binary], input=script, capture_output=True, text=True, timeout=300, check=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary")
    parser.add_argument("--signature", type=int, help="nodes that `bench` must count")
    args = parser.parse_args()
    binary = str(pathlib.Path(args.binary).resolve())
    first, speed = bench(binary)
    again, _ = bench(binary)
    assert first == again, f"`bench` counts {first} nodes, then {again}"
    assert args.signature in (None, first), f"`bench` counts {first} nodes, not {args.signature}"
    options = uci(binary, "uci")
    for option in ["Hash", "Threads"]:
        assert re.search(rf"^option name {option} type spin", options, re.MULTILINE), f"no option {option}"
    # Pipes are closed after `quit`: a fixed number of nodes ends by itself before that is read.
    told = uci(binary, "setoption name Hash value 8", "setoption name Threads value 1", "isready", "position startpos moves e2e4",
               "go nodes 5000", "isready")
    assert "readyok" in told and re.search(r"^bestmove [a-h][1-8][a-h][1-8]", told, re.MULTILINE), told
    print(f"OpenBench can use it: {first} nodes, {speed} nps")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(f"not fit for OpenBench: {error}")
