"""Compares Tabiya's kernels with the best of PyTorch and onnxruntime on the same networks in the same run.

    python3 -m venv target/venv && target/venv/bin/pip install torch onnxruntime onnx numpy
    cargo build --release -p kernels --example trunk
    CPU=1 LEVELS=avx512,bf16,int8 target/venv/bin/python runs/bench_pytorch.py target/release/examples/trunk [NETWORK..]

PyTorch runs in fp32, under bf16 autocast, compiled, and both; onnxruntime in fp32 and with dynamic int8. The last two numbers of a line are our best level
over the best rival of all, and at each precision over the best rival of that precision.
Rounds alternate (ours, theirs, ours, theirs) and the table gives medians, because other work on the machine comes and goes.
Where much of it does, CPU=1 compares CPU time instead of the clock's, on one thread each. LEVELS names ours (default: avx512
and the highest that the CPU has), ROUNDS how many, SECONDS how long each measurement takes, WORK which work (default:
train:256,train:64,infer:256,infer:1), RIVALS which rivals by parts of their names. COMPILED=0 leaves out what is compiled, which takes
minutes of CPU time for each network, and tells nothing about a rival at its best.
Networks: transformer blocks with smolgen of human-hc3 (8 x 256) and human-small (4 x 128), and residual convolutions 2 x 64.
Only the trunks are compared: positions are random numbers of the blocks' shape.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
from torch import nn

NETWORKS = {
    "human-hc3": dict(layers=8, width=256, heads=8, hidden=256, compressed=16, board=128),
    "human-small": dict(layers=4, width=128, heads=8, hidden=128, compressed=16, board=128),
}


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        w, self.heads, board = c["width"], c["heads"], c["board"]
        self.norm1, self.norm2 = nn.LayerNorm(w), nn.LayerNorm(w)
        self.qkv, self.out = nn.Linear(w, 3 * w, bias=False), nn.Linear(w, w, bias=False)
        self.up, self.down = nn.Linear(w, c["hidden"], bias=False), nn.Linear(c["hidden"], w, bias=False)
        self.compress = nn.Linear(w, c["compressed"], bias=False)
        self.dense, self.dense_norm = nn.Linear(64 * c["compressed"], board), nn.LayerNorm(board)
        self.split, self.split_norm = nn.Linear(board, self.heads * board), nn.LayerNorm(board)

    def forward(self, x, spread):
        n, t, w = x.shape
        bias = self.dense_norm(self.dense(self.compress(x).flatten(1)))
        bias = spread(self.split_norm(self.split(bias).view(n, self.heads, -1))).view(n, self.heads, t, t)
        q, k, v = self.qkv(self.norm1(x)).view(n, t, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        x = x + self.out(mixed.transpose(1, 2).reshape(n, t, w))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


class Trunk(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.blocks = nn.ModuleList(Block(c) for _ in range(c["layers"]))
        self.spread = nn.Linear(c["board"], 64 * 64)

    def forward(self, x):
        for block in self.blocks:
            x = block(x, self.spread)
        return x


class Residual(nn.Module):
    def __init__(self, channels, blocks):
        super().__init__()
        conv = lambda: nn.Conv2d(channels, channels, 3, padding=1)
        self.pairs = nn.ModuleList(nn.ModuleList([conv(), conv()]) for _ in range(blocks))

    def forward(self, x):
        for first, second in self.pairs:
            x = torch.relu(x + second(torch.relu(first(x))))
        return x


CPU = os.environ.get("CPU") == "1"
COMPILED = os.environ.get("COMPILED", "1") == "1"
LEVELS = os.environ.get("LEVELS", "avx512,").split(",")
SECONDS = int(os.environ.get("SECONDS", "2"))


def rate(work, positions, seconds=SECONDS):
    now = time.process_time if CPU else time.perf_counter
    work()
    start, rounds = now(), 0
    while now() - start < seconds:
        work()
        rounds += 1
    return positions * rounds / (now() - start)


def session(trunk, x, threads, quantized):
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trunk.onnx")
        torch.onnx.export(trunk, (x,), path, dynamo=False, input_names=["x"], opset_version=17)
        if quantized:
            from onnxruntime.quantization import QuantType, quantize_dynamic

            whole, path = path, os.path.join(folder, "int8.onnx")
            quantize_dynamic(whole, path, weight_type=QuantType.QInt8)
        made = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    feed = {"x": x.numpy()}
    return lambda: made.run(None, feed)


def training(trunk, x, half):
    optimiser = torch.optim.AdamW(trunk.parameters(), lr=1e-4)

    def step():
        optimiser.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            loss = trunk(x).float().square().mean()
        loss.backward()
        optimiser.step()

    return step


def inference(trunk, x, half):
    def infer():
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=half):
            trunk(x)

    return infer


def theirs(name, kind, batch, threads):
    """What each rival does for one batch."""
    torch.set_num_threads(threads)
    if name == "residual-64x2":
        trunk, x = Residual(64, 2), torch.randn(batch, 64, 8, 8)
    else:
        trunk, x = Trunk(NETWORKS[name]), torch.randn(batch, 64, NETWORKS[name]["width"])
    work = training if kind == "train" else inference
    found = {}
    for half in (False, True):
        precision = "bf16" if half else "fp32"
        found[f"PyTorch {precision}"] = lambda half=half: work(trunk, x, half)
        if COMPILED:
            found[f"PyTorch {precision} compiled"] = lambda half=half: work(torch.compile(trunk), x, half)
    if kind == "infer":
        trunk.eval()
        for quantized in (False, True):
            precision = "int8" if quantized else "fp32"
            # Its dynamic int8 has no convolutions.
            if not quantized or name != "residual-64x2":
                found[f"onnxruntime {precision}"] = lambda quantized=quantized: session(trunk, x, threads, quantized)
    wanted = [part for part in os.environ.get("RIVALS", "").split(",") if part]
    return {who: make() for who, make in found.items() if not wanted or any(part in who for part in wanted)}


def ours(program, level, name, kind, batch, threads):
    command = [program, name, kind, str(batch), str(threads), str(SECONDS)]
    chosen = {"TABIYA_CPU": level} if level else {}
    out = subprocess.run(command, env={**os.environ, **chosen}, capture_output=True, text=True, check=True)
    by_clock, by_cpu = map(float, out.stdout.split())
    return by_cpu if CPU else by_clock


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "target/release/examples/trunk"
    rounds = int(os.environ.get("ROUNDS", "3"))
    both = 1 if CPU else 2
    work = [part.split(":") for part in os.environ.get("WORK", "train:256,train:64,infer:256,infer:1").split(",")]
    cases = [
        (name, kind, int(batch), 1 if int(batch) == 1 else both)
        for name in sys.argv[2:] or [*NETWORKS, "residual-64x2"]
        for kind, batch in work
    ]
    print(f"torch {torch.__version__}, numpy {np.__version__}, medians of {rounds} rounds, positions a second")
    for name, kind, batch, threads in cases:
        found = {}
        rivals = theirs(name, kind, batch, threads)
        for _ in range(rounds):
            for level in LEVELS:
                found.setdefault(f"tabiya {level or 'best'}", []).append(ours(program, level, name, kind, batch, threads))
            for rival, work in rivals.items():
                found.setdefault(rival, []).append(rate(work, batch))
        medians = {who: statistics.median(rates) for who, rates in found.items()}
        line = ", ".join(f"{who} {value:.0f}" for who, value in medians.items())
        print(f"{name} {kind} batch {batch} threads {threads}: {line}{ratios(medians)}", flush=True)


def ratios(medians):
    """Ours over the best rival of all, and of the same precision."""
    us = {who: value for who, value in medians.items() if who.startswith("tabiya")}
    rivals = {who: value for who, value in medians.items() if who not in us}
    if not us or not rivals:
        return ""
    text = f"; best over best {max(us.values()) / max(rivals.values()):.2f}"
    precisions = {"int8": "int8", "bf16": "bf16", "amx": "bf16", "avx512": "fp32", "avx2": "fp32"}
    for who, value in us.items():
        precision = precisions.get(who.split()[1])
        same = [other for name, other in rivals.items() if precision in name.split()] if precision else []
        if same:
            text += f", {who.split()[1]} over {precision} {value / max(same):.2f}"
    return text


if __name__ == "__main__":
    main()
