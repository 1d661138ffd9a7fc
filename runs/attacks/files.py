"""With files that lie: weights, configurations, checkpoints, and disks without room."""

import json
import pathlib
import random
import resource
import signal
import struct
import subprocess
import tempfile

from .processes import ROOT, dataset


def run(command, limit=None, most=60):
    def prepare():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run(command, capture_output=True, text=True, timeout=most, preexec_fn=prepare)


def header(data):
    (length,) = struct.unpack("<Q", data[:8])
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def written(head, numbers):
    text = json.dumps(head).encode()
    return struct.pack("<Q", len(text)) + text + numbers


def lying_weights(args):
    refused = 0
    with tempfile.TemporaryDirectory() as folder:
        target = pathlib.Path(folder, "bad.safetensors")

        def check(data, what):
            nonlocal refused
            target.write_bytes(data)
            done = run([args.binary, "models", str(target)])
            words = done.stdout + done.stderr
            assert done.returncode in (1, 2) and "cannot play" in words, f"{what}: exit {done.returncode}: {words[-300:]}"
            assert "panicked" not in words, f"{what}: {words[-300:]}"
            refused += 1

        chance = random.Random(4)
        for path in sorted((ROOT / "models").glob("*.safetensors")):
            data = path.read_bytes()
            head, numbers = header(data)
            card = json.loads(head["__metadata__"]["tabiya"])
            plain = {key: value for key, value in head["__metadata__"].items() if key == "tabiya"}
            network = card["network"]
            places = [(table, key) for table in [network, *(v for v in network.values() if isinstance(v, dict))] for key in table]
            sizes = [(table, key) for table, key in places if isinstance(table[key], int) and not isinstance(table[key], bool)]
            for table, key in sizes:
                kept = table[key]
                for size in (10**9, 2**63 - 1, 100_000, kept + 1):
                    table[key] = size
                    lie = {**head, "__metadata__": {**plain, "tabiya": json.dumps(card)}}
                    target.write_bytes(written(lie, numbers))
                    done = run([args.binary, "models", str(target)])
                    words = done.stdout + done.stderr
                    assert done.returncode in (0, 1, 2) and "panicked" not in words, f"{key}={size}: {done.returncode} {words[-200:]}"
                    # Settings of a part that this network does not have may be anything within their bounds.
                    refused += done.returncode != 0
                table[key] = kept
            if "tabiya-xxh3" in head["__metadata__"]:
                for _ in range(5):
                    damaged = bytearray(data)
                    for _ in range(3):
                        damaged[chance.randrange(len(data) - len(numbers), len(data))] ^= 1 << chance.randrange(8)
                    check(bytes(damaged), f"flipped bits in {path.name}")
            check(data[: len(data) // 2], f"half of {path.name}")
        many = {f"a{n}": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]} for n in range(300_000)}
        check(written(many, b""), "300,000 arrays")
        for setting in ("blocks=1000000000", "heads=0", "hidden=9223372036854775807"):
            for family in ("human", "ranker"):
                done = run([args.binary, "train", family, "--data", folder, "--out", folder, "--set", f"network.{setting}"])
                assert done.returncode == 2 and "panicked" not in done.stderr, f"{family} {setting}: {done.returncode}"
                refused += 1
    return f"{refused} files and configurations refused in a sentence, none ended the program"


def import_without_room(args):
    with tempfile.TemporaryDirectory() as folder:
        done = run([args.binary, "data", "import", str(ROOT / "testdata/games.pgn"), "--out", folder + "/x"], limit=100)
        assert done.returncode == 2 and "Parquet" not in done.stderr, done.stderr
        out = dataset(args, folder)
        assert run([args.binary, "data", "stats", out]).returncode == 0
    return f"said: {done.stderr.strip().splitlines()[-1].split(': ', 1)[-1][-90:]}"


ATTACKS = [lying_weights, import_without_room]
