#!/usr/bin/env python3
"""Generated requests against the page's interface, judged by its own description: schemathesis must find nothing.

    target/venv/bin/python runs/interface_check.py target/debug/tabiya [--examples 8]

Everything goes through the loopback, with fixed seeds. Exit 0 if the server did what it says of every request.
"""

import argparse
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from attacks.server import Player, server


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary", nargs="?", default="target/debug/tabiya")
    parser.add_argument("--examples", type=int, default=8, help="requests for each address")
    args = parser.parse_args()
    here = pathlib.Path(__file__).parent
    with server(str(pathlib.Path(args.binary).resolve())) as running:
        player = Player(running)
        player.begin()
        command = [
            pathlib.Path(sys.executable).with_name("schemathesis"), "--config-file", here / "schemathesis.toml", "run",
            f"http://127.0.0.1:{running.port}/api/openapi.json", "--header", f"Cookie:{player.cookie}",
            "--checks", "all", "--phases", "examples,coverage,fuzzing", "--max-examples", str(args.examples),
            "--seed", "1", "--generation-database", "none", "--no-color", "--request-timeout", "60",
        ]
        hooks = os.environ | {"SCHEMATHESIS_HOOKS": str(here / "schemathesis_hooks.py")}
        result = subprocess.run([str(word) for word in command], env=hooks)
        # Whatever was asked, it still answers.
        assert player.ask("GET", "/api/minds")[0] == 200
    return result.returncode


if __name__ == "__main__":
    sys.exit(main())
