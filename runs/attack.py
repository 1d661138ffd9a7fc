#!/usr/bin/env python3
"""Attacks the program from this machine and checks what docs/reliability.md promises.

    python runs/attack.py [BINARY] [--only NAME,...] [--games 2000] [--kills 6] [--positions 4] [--seed 3] [--threads 40] [--megabytes 400]

Everything goes through the loopback and a temporary folder; nothing is needed but Python on Linux. Each attack prints one line of the
table in docs/reliability.md. The disk is a small tmpfs where that can be mounted (as root), and else a limit on the size of files. Times
are printed and never judged, but for waits of many seconds that mean that something hangs. Exit 0 if every promise was kept.
"""

import argparse
import pathlib
import sys
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from attacks import files, games, page, processes

ATTACKS = [*page.ATTACKS, *games.ATTACKS, *processes.ATTACKS, *files.ATTACKS]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary", nargs="?", default="target/release/tabiya")
    parser.add_argument("--only", default="", help="names of attacks, by comma")
    parser.add_argument("--games", type=int, default=2000, help="games that wait at once")
    parser.add_argument("--kills", type=int, default=6, help="times that a server with games is killed")
    parser.add_argument("--positions", type=int, default=4, help="full boards for each mind under each search")
    parser.add_argument("--seed", type=int, default=3, help="decides the full boards")
    parser.add_argument("--threads", type=int, default=40, help="most threads of the server with all games")
    parser.add_argument("--megabytes", type=int, default=400, help="most memory of the server with all games")
    args = parser.parse_args()
    args.binary = str(pathlib.Path(args.binary).resolve())
    wanted = [name for name in args.only.split(",") if name]
    failed = 0
    for attack in ATTACKS:
        if wanted and attack.__name__ not in wanted:
            continue
        begun = time.monotonic()
        try:
            result, words = "kept", attack(args)
        except AssertionError as error:
            result, words = "BROKEN", str(error)
        except Exception:
            result, words = "BROKEN", traceback.format_exc().strip().splitlines()[-1]
        failed += result != "kept"
        print(f"| {attack.__name__:<22} | {result:<6} | {time.monotonic() - begun:5.1f} s | {words}", flush=True)
    print(f"{failed} promises broken" if failed else "every promise was kept")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
