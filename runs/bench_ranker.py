"""Compares the ranker with the same network in PyTorch, fp32, in the same run.

    python3 -m venv target/venv && target/venv/bin/pip install torch numpy
    cargo build --release && target/venv/bin/python runs/bench_ranker.py target/release/tabiya configs/ranker.toml

Rounds alternate (ours, theirs, ours, theirs) and the table gives medians and the ratio, because other work on the machine comes and
goes. TABIYA_CPU chooses our level, ROUNDS, SECONDS_EACH and THREADS (2,1) the rest. Theirs get planes that are ready; ours begin with the board where they judge. Positions have 30 pieces and 30 legal moves; theirs have no gates.
"""

import json
import os
import statistics
import subprocess
import sys
import time
import tomllib

import torch
from torch import nn
from torch.nn.functional import cross_entropy, logsigmoid

PLANES, STEPS, MOVES = 15, 73, 30


class Ranker(nn.Module):
    def __init__(self, c):
        super().__init__()
        shapes = [(3, (d, d), (d, d)) for d in range(1, 8)] + [(2, (2, 4), (1, 2)), (2, (4, 2), (2, 1))]
        self.branches = nn.ModuleList(
            nn.Conv2d(PLANES, channels, size, dilation=dilation, padding=padding)
            for channels, (size, dilation, padding) in zip(c["branches"], shapes)
        )
        widths = [sum(c["branches"]), *c["mixers"]]
        self.mixers = nn.ModuleList(nn.Conv2d(a, b, 1) for a, b in zip(widths, widths[1:]))
        conv = lambda: nn.Conv2d(widths[-1], widths[-1], 3, padding=1)
        self.blocks = nn.ModuleList(nn.ModuleList([conv(), conv()]) for _ in range(c["blocks"]))
        self.board, self.value = nn.Linear(64 * widths[-1], c["hidden"]), nn.Linear(c["hidden"], 1, bias=False)
        self.origin, self.goal = nn.Embedding(STEPS, widths[-1]), nn.Embedding(STEPS, widths[-1])
        self.step = nn.Embedding(STEPS, 1)

    def trunk(self, planes):
        x = torch.relu(torch.cat([branch(planes) for branch in self.branches], 1))
        for mixer in self.mixers:
            x = torch.relu(mixer(x))
        for first, second in self.blocks:
            x = torch.relu(x + second(torch.relu(first(x))))
        return x

    def values(self, x):
        return self.value(torch.relu(self.board(x.flatten(1)))).squeeze(1)

    def moves(self, x, values, origins, goals, steps, owners):
        flat = x.flatten(2).transpose(1, 2).reshape(-1, x.shape[1])
        scores = (flat[origins] * self.origin(steps) + flat[goals] * self.goal(steps)).sum(1)
        return scores + self.step(steps).squeeze(1) + values[owners]


def order(scores, targets):
    better = torch.sign(targets[:, None] - targets[None, :]).tril()
    counts = better.abs()
    return -(logsigmoid(better * (scores[:, None] - scores[None, :])) * counts).sum() / counts.sum()


def work(config, batch):
    torch.manual_seed(1)
    net = Ranker(config)
    planes = torch.zeros(batch, PLANES, 64)
    for board in planes:
        squares = torch.randperm(64)[:30]
        board[torch.randint(0, 12, (30,)), squares] = 1.0
    planes = planes.view(batch, PLANES, 8, 8)
    owners = torch.arange(batch).repeat_interleave(MOVES)
    origins, goals = (64 * owners + torch.randint(0, 64, owners.shape) for _ in range(2))
    steps, played, targets = torch.randint(0, STEPS, owners.shape), MOVES * torch.arange(batch), torch.randn(batch)
    optimiser = torch.optim.AdamW(net.parameters(), lr=1e-4)

    def train():
        optimiser.zero_grad(set_to_none=True)
        x = net.trunk(planes)
        values = net.values(x)
        scores = net.moves(x, values, origins, goals, steps, owners)
        choice = cross_entropy(scores.view(batch, MOVES), torch.zeros(batch, dtype=torch.long))
        (order(values, targets) + 0.5 * order(scores[played], targets) + 0.4 * choice).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()

    def values():
        with torch.inference_mode():
            net.values(net.trunk(planes))

    def moves():
        with torch.inference_mode():
            x = net.trunk(planes)
            net.moves(x, net.values(x), origins, goals, steps, owners)

    return {"train": train, "values": values, "moves": moves}


def rate(work, positions, seconds):
    work()
    start, rounds = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        work()
        rounds += 1
    return positions * rounds / (time.perf_counter() - start)


def main():
    tabiya, path = sys.argv[1], sys.argv[2]
    rounds, seconds = int(os.environ.get("ROUNDS", "5")), float(os.environ.get("SECONDS_EACH", "2"))
    with open(path, "rb") as file:
        config = tomllib.load(file)["network"]
    for batch, threads in [(256, int(n)) for n in os.environ.get("THREADS", "2,1").split(",")]:
        torch.set_num_threads(threads)
        theirs = work(config, batch)
        found = {}
        command = [tabiya, "bench", "ranker", "--json", "--config", path, "--batch", str(batch)]
        command += ["--threads", str(threads), "--seconds", str(seconds)]
        for _ in range(rounds):
            ours = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            for kind, what in theirs.items():
                found.setdefault(kind, []).append((ours[kind], rate(what, batch, seconds)))
        for kind, pairs in found.items():
            ours, other = (statistics.median(side) for side in zip(*pairs))
            ratio = statistics.median(a / b for a, b in pairs)
            print(f"{kind} batch {batch} threads {threads}: tabiya {ours:.0f}, PyTorch {other:.0f}, ratio {ratio:.2f}", flush=True)


if __name__ == "__main__":
    main()
