#!/usr/bin/env python3
"""An import on a cluster of this machine: a scheduler, two executors, one of which is killed in the middle, and a month of games that is made
while it is read and never stored.

    cargo build --release --features cluster
    python runs/cluster_trial.py target/release/tabiya GAMES.pgn --games 20000000

GAMES.pgn holds Lichess games with their `Site` tags; copies of it with other ids are served over http as `--files` files, the last of which
repeats a part of the first. The rows must be those of the plain import of the same files. Prints the memory of each process.
"""

import argparse
import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

LETTERS = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Month:
    """Files of copies of the same games, each copy with ids of its own."""

    def __init__(self, text, copies, files):
        self.text, self.files = text, files
        self.ids = [match.start(1) for match in re.finditer(rb'\[Site "https://lichess.org/(\w{8})"\]', text)]
        self.copies = -(-copies // files)
        self.length = self.copies * len(text)

    def copy(self, number):
        text = bytearray(self.text)
        mark = bytes(LETTERS[number // 62**power % 62] for power in (2, 1, 0))
        for place in self.ids:
            text[place : place + 3] = mark
        return bytes(text)

    def read(self, file, start, end):
        pieces = []
        while start < end:
            at, offset = divmod(start, len(self.text))
            # The last file begins with the copies of the first: games that are there twice.
            number = at if file == self.files - 1 and at < self.copies // 4 else file * self.copies + at
            piece = self.copy(number)[offset : offset + end - start]
            pieces.append(piece)
            start += len(piece)
        return b"".join(pieces)


def serve(month):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def head(self, status, length, extra=()):
            self.send_response(status)
            for name, value in [("Content-Length", str(length)), ("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT"), ("ETag", '"month"'), *extra]:
                self.send_header(name, value)
            self.end_headers()

        def do_HEAD(self):
            self.head(200, month.length)

        def do_GET(self):
            file = int(re.search(r"month-(\d+)", self.path)[1])
            asked = re.match(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
            if not asked:
                self.head(416, 0)
                return
            start, end = int(asked[1]), min(int(asked[2]) + 1, month.length)
            body = month.read(file, start, end)
            self.head(206, len(body), [("Content-Range", f"bytes {start}-{end - 1}/{month.length}")])
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def free_port(span=1):
    while True:
        with socket.create_server(("127.0.0.1", 0)) as first:
            port = first.getsockname()[1]
            try:
                for more in range(1, span):
                    socket.create_server(("127.0.0.1", port + more)).close()
                return port
            except OSError:
                continue


def peak(process):
    try:
        for line in open(f"/proc/{process.pid}/status"):
            if line.startswith("VmHWM"):
                return int(line.split()[1]) // 1024
    except OSError:
        pass
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("pgn")
    parser.add_argument("--games", type=int, default=200_000)
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--memory", type=int, default=256, help="megabytes of an executor for sorting")
    parser.add_argument("--kill", type=float, default=0.4, help="when the executor is killed, as a share of the files' bytes served")
    arguments = parser.parse_args()
    binary = os.path.abspath(arguments.binary)
    text = open(arguments.pgn, "rb").read()
    games = text.count(b"\n[Event ") + text.startswith(b"[Event ")
    month = Month(text, max(arguments.files, arguments.games // games), arguments.files)
    web = serve(month)
    urls = [f"{web}/month-{file}.pgn" for file in range(arguments.files)]
    print(f"{month.copies * arguments.files * games:,} games in {arguments.files} files of {month.length / 1e6:.0f} MB", flush=True)
    folder = tempfile.mkdtemp()
    env = {**os.environ, "RUST_LOG": "warn"}
    started, logs = [], open(f"{folder}/log", "w")

    def start(*command):
        process = subprocess.Popen([binary, *command], env=env, stdout=logs, stderr=logs)
        started.append(process)
        return process

    port = free_port()
    place = f"df://127.0.0.1:{port}"
    peaks = {}

    def watch(name, process):
        peaks[name] = max(peaks.get(name, 0), peak(process))

    try:
        scheduler = start("cluster", "scheduler", "--listen", f"127.0.0.1:{port}", "--executor-timeout", "8")
        time.sleep(3)

        def executor(name):
            return start(
                "cluster", "executor", "--scheduler", place, "--port", str(free_port(2)), "--tasks", "1",
                "--memory", str(arguments.memory), "--folder", f"{folder}/{name}",
            )

        for name in ("one", "two", "plain"):
            os.makedirs(f"{folder}/{name}", exist_ok=True)
        one, two = executor("one"), executor("two")
        time.sleep(4)
        answer = subprocess.run(
            [binary, "data", "sql", f"select count(*) as games, max(white_elo) as best from pgn('{urls[0]}')", "--csv", "--cluster", place],
            env=env, capture_output=True, text=True,
        )
        print("a query on the cluster:", answer.stdout.strip().replace("\n", " -> ") or answer.stderr[-600:], flush=True)

        began = time.monotonic()
        client = start("data", "import", *urls, "--out", f"{folder}/there", "--cluster", place, "--partitions", str(arguments.partitions))
        killed = False
        served = lambda: sum(os.path.getsize(os.path.join(root, file)) for root, _, files in os.walk(f"{folder}/two") for file in files)
        while client.poll() is None:
            time.sleep(0.2)
            for name, process in (("scheduler", scheduler), ("executor one", one), ("executor two", two), ("client", client)):
                if process.poll() is None:
                    watch(name, process)
            # Its first results lie on its disk: they must be made again elsewhere.
            if not killed and served() > 0 and time.monotonic() - began > arguments.kill * 10:
                two.kill()
                killed = True
                print(f"executor two killed after {time.monotonic() - began:.0f} s with {served() / 1e6:.0f} MB of results", flush=True)
        print(f"import by two executors, one killed: {client.returncode}, {time.monotonic() - began:.0f} s", flush=True)
        print("largest memory, MB:", ", ".join(f"{name} {megabytes}" for name, megabytes in peaks.items()), flush=True)
        if client.returncode != 0:
            print(open(f"{folder}/log").read()[-3000:])
            sys.exit(1)
        began = time.monotonic()
        subprocess.run([binary, "data", "import", *urls, "--out", f"{folder}/plain"], env=env, stdout=subprocess.DEVNULL, check=True)
        print(f"plain import: {time.monotonic() - began:.0f} s")
        cards = [json.load(open(f"{folder}/{name}/dataset.json")) for name in ("there", "plain")]
        for card, name in zip(cards, ("cluster", "plain")):
            dropped = sum(sum(source["dropped"].values()) for source in card["sources"])
            print(f"{name:>8}: {card['games']:,} games, {dropped:,} left out, fingerprint {card['fingerprint']}")
        same = all(cards[0][key] == cards[1][key] for key in ("games", "plies", "fingerprint", "histograms"))
        whole = subprocess.run([binary, "data", "stats", f"{folder}/there", "--json"], stdout=subprocess.DEVNULL).returncode == 0
        print("the same" if same and whole and killed else "NOT THE SAME" if not (same and whole) else "nothing was killed")
        sys.exit(0 if same and whole and killed else 1)
    finally:
        for process in started:
            process.kill()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
