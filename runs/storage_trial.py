#!/usr/bin/env python3
"""Storage by address against a real S3 server on this machine (moto), through a proxy that cuts connections and answers 503.

    pip install "moto[server]" boto3
    cargo build --features stores
    python runs/storage_trial.py target/debug/tabiya GAMES.pgn.zst [--engine stockfish]

Imports from and into the store, with and without faults, with writers killed at random moments and with two writers at once; labels, statistics
and exports there; each against the same work on the disk.
"""

import argparse
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import boto3


class Proxy:
    """Passes bytes on to the server. Of `chance` of the requests it cuts the connection after some bytes, or answers 503."""

    def __init__(self, port):
        self.port, self.chance, self.cuts, self.refusals = port, 0.0, 0, 0
        self.random = random.Random(1)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        left = None
        if self.random.random() < self.chance:
            if self.random.random() < 0.5:
                self.refusals += 1
                try:
                    client.recv(65536)
                    client.sendall(b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                except OSError:
                    pass
                client.close()
                return
            left = [self.random.choice([200, 5_000, 100_000, 1_000_000])]
        try:
            server = socket.create_connection(("127.0.0.1", self.port))
        except OSError:
            client.close()
            return
        pair = [threading.Thread(target=self.pump, args=ends, daemon=True) for ends in ((client, server, left), (server, client, left))]
        for thread in pair:
            thread.start()

    def pump(self, source, target, left):
        try:
            while data := source.recv(65536):
                if left is not None:
                    left[0] -= len(data)
                    if left[0] <= 0:
                        self.cuts += 1
                        break
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()


class Trial:
    def __init__(self, binary, games, engine, folder):
        self.binary, self.games, self.engine, self.folder = os.path.abspath(binary), games, engine, folder
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.server = subprocess.Popen(
            [sys.executable, "-c", f"from moto.server import main; main(['-p', '{port}'])"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.proxy = Proxy(port)
        keys = {"AWS_ACCESS_KEY_ID": "trial", "AWS_SECRET_ACCESS_KEY": "trial", "AWS_DEFAULT_REGION": "us-east-1"}
        os.environ.update(keys)
        self.env = {**os.environ, **keys, "AWS_REGION": "us-east-1", "AWS_ALLOW_HTTP": "true", "AWS_ENDPOINT": self.proxy.address}
        self.s3 = boto3.client("s3", endpoint_url=f"http://127.0.0.1:{port}")
        self.web = f"http://127.0.0.1:{port}"
        for _ in range(200):
            try:
                self.s3.create_bucket(Bucket="trial")
                break
            except Exception:
                time.sleep(0.2)
        self.s3.upload_file(games, "trial", "dumps/games.pgn.zst", ExtraArgs={"ACL": "public-read"})
        self.failures = 0

    def run(self, *arguments, wait=True, ok=True):
        process = subprocess.Popen([self.binary, *arguments], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if not wait:
            return process
        out, err = process.communicate()
        if ok and process.returncode != 0:
            raise SystemExit(f"{' '.join(arguments)}: {process.returncode}: {err}")
        return process.returncode, out, err

    def check(self, what, good, told=""):
        self.failures += not good
        print(f"{'ok  ' if good else 'BAD '} {what} {told}", flush=True)

    def card(self, address):
        return json.loads(self.s3.get_object(Bucket="trial", Key=address.removeprefix("s3://trial/") + "/dataset.json")["Body"].read())

    def keys(self, prefix):
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket="trial", Prefix=prefix)
        return [item["Key"] for page in pages for item in page.get("Contents", [])]

    def whole(self, address, what, want):
        """Whether the dataset there reads to its end, is what it should be, and nothing lies beside it."""
        code, out, _ = self.run("data", "stats", address, "--json", ok=False)
        self.check(f"{what}: every row is as the card says", code == 0)
        card = self.card(address)
        self.check(f"{what}: the games of the plain import", card["fingerprint"] == want["fingerprint"] and card["games"] == want["games"])
        prefix = address.removeprefix("s3://trial/") + "/"
        stray = {key for key in self.keys(prefix)} - {prefix + shard["file"] for shard in card["shards"]} - {prefix + "dataset.json"}
        self.check(f"{what}: no stray objects", not stray, " ".join(sorted(stray)))

    def import_there(self, name, *more, source="s3://trial/dumps/games.pgn.zst", **options):
        return self.run("data", "import", source, "--out", f"s3://trial/{name}", "--shard-games", "2000", *more, **options)

    def go(self, kills):
        local = f"{self.folder}/local"
        self.run("data", "import", self.games, "--out", local, "--shard-games", "2000")
        want = json.load(open(f"{local}/dataset.json"))

        self.import_there("clean")
        self.whole("s3://trial/clean", "import from and into s3", want)
        self.import_there("web", source=f"{self.web}/trial/dumps/games.pgn.zst")
        self.whole("s3://trial/web", "import from http", want)
        code, _, _ = self.import_there("clean", "--resume")
        self.whole("s3://trial/clean", "an import that is finished, resumed", want)

        self.proxy.chance = 0.4
        self.import_there("faults")
        self.whole("s3://trial/faults", "import through faults", want)
        print(f"     ({self.proxy.cuts} connections cut, {self.proxy.refusals} times 503)")
        self.proxy.chance = 0.0

        chance = random.Random(7)
        began = time.monotonic()
        self.import_there("timed")
        seconds = time.monotonic() - began
        for kill in range(kills):
            process = self.import_there("killed", "--resume", wait=False)
            time.sleep(chance.uniform(0, seconds))
            process.send_signal(signal.SIGKILL)
            process.wait()
            if "killed/dataset.json" in self.keys("killed/"):
                code, _, err = self.run("data", "stats", "s3://trial/killed", "--json", ok=False)
                self.check(f"after kill {kill + 1} the dataset reads", code == 0, err)
        self.import_there("killed", "--resume")
        self.whole("s3://trial/killed", "a writer that was killed and resumed", want)

        first = self.import_there("two", "--resume", wait=False)
        time.sleep(seconds / 3)
        self.import_there("two", "--resume")
        _, err = first.communicate()
        self.check("of two writers the first ends in a sentence", first.returncode == 2 or first.returncode == 0, err.strip()[-120:])
        self.whole("s3://trial/two", "two writers", want)

        self.proxy.chance = 0.2
        if self.engine:
            label = ["--engine", self.engine, "--depth", "2", "--sample", "600", "--engines", "1", "--json"]
            _, plain, _ = self.run("data", "label", local, *label)
            cards = []
            for part in (1, 2, 3):
                arguments = ["data", "label", "s3://trial/clean", *label, "--part", f"{part}/3", "--resume"]
                process = self.run(*arguments, wait=False)
                time.sleep(1)
                process.send_signal(signal.SIGKILL)
                process.wait()
                cards.append(json.loads(self.run(*arguments)[1]))
            prints = sum(int(card["fingerprint"], 16) for card in cards) % 2**128
            self.check("labels in three killed parts are those of one run", prints == int(json.loads(plain)["fingerprint"], 16))
        for form in ("--pgn", "--csv"):
            here, there = f"{self.folder}/out{form}", f"s3://trial/out{form}"
            self.run("data", "export", local, form, "--out", here)
            self.run("data", "export", "s3://trial/clean", form, "--out", there)
            found = self.s3.get_object(Bucket="trial", Key=f"out{form}")["Body"].read()
            self.check(f"export {form}", sorted(found.splitlines()) == sorted(open(here, "rb").read().splitlines()))
        self.run("data", "stats", "s3://trial/clean", "--plots", "s3://trial/plots")
        self.check("figures", len(self.keys("plots/")) == 9)
        code, _, err = self.run("data", "stats", "s3://nobody/x", ok=False)
        self.check("a bucket that is not there is one sentence", code == 2 and len(err.strip().splitlines()) == 1, err.strip()[-160:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("games")
    parser.add_argument("--engine", default="")
    parser.add_argument("--kills", type=int, default=6)
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp()
    trial = Trial(arguments.binary, arguments.games, arguments.engine, folder)
    try:
        trial.go(arguments.kills)
    finally:
        trial.server.terminate()
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if trial.failures else 0)


if __name__ == "__main__":
    main()
