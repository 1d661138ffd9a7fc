"""Holds networks of others, as Tabiya runs them, against the programs they were made for: onnxruntime or lc0.

    python3 -m venv target/venv && target/venv/bin/pip install chess numpy onnx onnxruntime
    cargo build --release -p nets --example others
    target/venv/bin/python runs/agreement_networks.py maia3-5m.onnx --games FILE.pgn --positions 5000
    target/venv/bin/python runs/agreement_networks.py network.pb.gz --lc0 PATH --games FILE.pgn

Positions are drawn from games as they stand in the file (.zst by the program `zstd`). For every arithmetic of this CPU it tells how many first
moves are the same (moves within 1e-5 of each other count as ties), the largest difference of a chance, the mean total variation, and
the largest difference of the outcome. `--speed` measures positions/s of CPU time on one thread instead, beside onnxruntime in fp32 and dynamic int8, and lc0 where it is
named, which also turns Leela's files into ONNX.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import chess
import chess.pgn
import numpy as np

LEVELS = ["avx2", "avx512", "bf16", "int8", "amx"]
TIE = 1e-5
# Exactly this is asked of f32; the other arithmetics are reported.
CLOSE = 1e-3


def games(path):
    if path.endswith(".zst"):
        unpack = subprocess.Popen(["zstd", "-dc", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        stream = unpack.stdout
    else:
        stream = open(path)
    while (game := chess.pgn.read_game(stream)) is not None:
        yield game


def rating(game, side):
    text = game.headers.get(side + "Elo", "")
    return int(text) if text.isdigit() else 1500


def positions(path, count, seed):
    """(board with its moves, rating of the side to move, of the other)."""
    chance, found = random.Random(seed), []
    for game in games(path):
        moves = list(game.mainline_moves())
        if game.headers.get("FEN") or len(moves) < 4:
            continue
        ratings = [rating(game, "White"), rating(game, "Black")]
        plies = set(chance.sample(range(len(moves)), min(5, len(moves))))
        board = game.board()
        for ply, move in enumerate(moves):
            if ply in plies:
                own, other = ratings[ply % 2], ratings[1 - ply % 2]
                found.append((board.copy(), own, other))
            board.push(move)
        if len(found) >= count:
            return found[:count]
    return found


# Maia-3 by onnxruntime.


def planes(board):
    """[64, 12], seen by the side to move."""
    if board.turn == chess.BLACK:
        board = board.mirror()
    out = np.zeros((64, 12), np.float32)
    for square, piece in board.piece_map().items():
        out[square, piece.piece_type - 1 + (0 if piece.color else 6)] = 1
    return out


def tokens(board):
    board, boards = board.copy(), [planes(board)]
    while len(boards) < 8 and board.move_stack:
        board.pop()
        boards.insert(0, planes(board))
    return np.concatenate([boards[0]] * (8 - len(boards)) + boards, axis=1)


def maia3_word(board, move):
    start, end = move.from_square, move.to_square
    if board.turn == chess.BLACK:
        start, end = chess.square_mirror(start), chess.square_mirror(end)
    if move.promotion:
        role = [chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT].index(move.promotion)
        return 4096 + (start % 8 * 8 + end % 8) * 4 + role
    return 64 * start + end


def softmax(x):
    x = np.exp(x - np.max(x))
    return x / x.sum()


def session(path, threads):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def any_batch(path, folder):
    """A copy of the graph without the batch of 1 that stands in its shapes."""
    import onnx
    from onnx import numpy_helper

    model = onnx.load(path)
    shapes = {node.input[1] for node in model.graph.node if node.op_type == "Reshape"}
    expands = {node.input[1] for node in model.graph.node if node.op_type == "Expand"}
    for array in model.graph.initializer:
        values = numpy_helper.to_array(array)
        if array.name in shapes and values.ndim == 1 and values[0] == 1:
            # Smolgen's and attention's shapes begin with the batch.
            array.CopyFrom(numpy_helper.from_array(np.concatenate([[-1], values[1:]]).astype(np.int64), array.name))
        elif array.name in expands:
            array.CopyFrom(numpy_helper.from_array(np.ones_like(values) * [1, 64, 1], array.name))
    for node in model.graph.node:
        if node.op_type == "Reshape":
            for attribute in node.attribute:
                if attribute.name == "allowzero":
                    attribute.i = 0
    for value in list(model.graph.input) + list(model.graph.output):
        value.type.tensor_type.shape.dim[0].dim_param = "batch"
    del model.graph.value_info[:]
    out = Path(folder) / "any_batch.onnx"
    onnx.save(model, out)
    return out


def by_onnxruntime(path, samples, threads):
    run = session(path, threads)
    for board, own, other in samples:
        feed = {"tokens": tokens(board)[None], "self_elo": np.array([own]), "oppo_elo": np.array([other])}
        moves, value, _ = run.run(None, feed)
        legal = list(board.legal_moves)
        chances = softmax(np.array([moves[0, maia3_word(board, move)] for move in legal], np.float64))
        yield {move.uci(): float(chance) for move, chance in zip(legal, chances)}, softmax(value[0].astype(np.float64))


def cpu_rate(work, positions, seconds=2):
    """Positions/s of CPU time of this process."""
    work()
    start, rounds = time.process_time(), 0
    while time.process_time() - start < seconds:
        work()
        rounds += 1
    return positions * rounds / (time.process_time() - start)


def feeds(run, samples, batch):
    """What onnxruntime is asked, whichever network it is; Leela's planes may be anything."""
    names = [value.name for value in run.get_inputs()]
    if "tokens" not in names:
        return {names[0]: np.random.default_rng(1).integers(0, 2, (batch, 112, 8, 8)).astype(np.float32)}
    some = [samples[i % len(samples)] for i in range(batch)]
    ratings = np.full(batch, 1500)
    return {"tokens": np.stack([tokens(board) for board, _, _ in some]), "self_elo": ratings, "oppo_elo": ratings}


def onnxruntime_speed(graph, samples, quantized):
    with tempfile.TemporaryDirectory() as folder:
        if quantized:
            from onnxruntime.quantization import QuantType, quantize_dynamic

            small = Path(folder) / "int8.onnx"
            quantize_dynamic(graph, small, weight_type=QuantType.QUInt8)
            graph = small
        run = session(graph, 1)
        out = {}
        for batch in (1, 256):
            feed = feeds(run, samples, batch)
            out[batch] = cpu_rate(lambda: run.run(None, feed), batch)
    return out


# Leela's networks by lc0.


class Lc0:
    def __init__(self, command, weights, threads):
        folder = str(Path(command).resolve().parent)
        environment = {**os.environ, "LD_LIBRARY_PATH": folder, "OMP_NUM_THREADS": str(threads)}
        words = [command, f"--weights={weights}", "--verbose-move-stats", "--threads=1", "--minibatch-size=1"]
        words += ["--max-prefetch=0", "--policy-softmax-temp=1.0", "--show-wdl", "--smart-pruning-factor=0", "--nncache=0"]
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1, env=environment
        )
        self.say("uci")
        self.until("uciok")

    def say(self, text):
        self.process.stdin.write(text + "\n")

    def until(self, word):
        lines = []
        while True:
            line = self.process.stdout.readline()
            if not line:
                sys.exit("lc0 ended: " + " | ".join(lines[-3:]))
            lines.append(line.strip())
            if line.startswith(word):
                return lines

    def judge(self, board):
        self.say("ucinewgame")
        self.say("position startpos moves " + " ".join(move.uci() for move in board.move_stack))
        self.say("go nodes 1")
        chances, wdl = {}, None
        for line in self.until("bestmove"):
            words = line.split()
            if line.startswith("info string") and "(P:" in line:
                share = float(line.split("(P:")[1].split("%")[0]) / 100
                if words[2] == "node":
                    q = float(line.split("(WL:")[1].split(")")[0])
                    d = float(line.split("(D:")[1].split(")")[0])
                    wdl = [(1 - d - q) / 2, d, (1 - d + q) / 2]
                else:
                    chances[board.parse_uci(words[2]).uci()] = share
        return chances, np.array(wdl)


def lc0_words(command, mode, *words):
    folder = str(Path(command).resolve().parent)
    return [command, mode, *words], {**os.environ, "LD_LIBRARY_PATH": folder, "OMP_NUM_THREADS": "1"}


def lc0_speed(command, path):
    """Positions/s of CPU time: what more batches cost more, so that loading does not count."""
    out = {}
    for batch, count in ((1, 100), (256, 2)):
        used = []
        for batches in (count, 3 * count):
            sizes = [f"--start-batch-size={batch}", f"--max-batch-size={batch}", f"--batches={batches}"]
            words, environment = lc0_words(command, "backendbench", f"--weights={path}", "--threads=1", *sizes)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(words, env=environment, capture_output=True, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            used.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        out[batch] = 2 * count * batch / (used[1] - used[0])
    return out


def as_onnx(command, path, folder):
    """Leela's network as a graph, by lc0."""
    out = str(Path(folder) / "leela.onnx")
    words, environment = lc0_words(command, "leela2onnx", f"--input={path}", f"--output={out}")
    subprocess.run(words, env=environment, capture_output=True, check=True)
    return out


def by_lc0(command, path, samples, threads):
    lc0 = Lc0(command, path, threads)
    for board, _, _ in samples:
        yield lc0.judge(board)


# Tabiya.


def tabiya(example, path, samples, level, threads, speed=None):
    lines = "".join(
        f"{own} {other} {' '.join(move.uci() for move in board.move_stack)}\n" for board, own, other in samples
    )
    environment = {**os.environ, "TABIYA_CPU": level, "RAYON_NUM_THREADS": str(threads)}
    words = [example, path] + ([] if speed is None else ["--speed", str(speed)])
    run = subprocess.run(words, input=lines, capture_output=True, text=True, env=environment)
    if run.returncode:
        return None, run.stderr.strip()
    return ([json.loads(line) for line in run.stdout.splitlines()] if speed is None else float(run.stdout)), None


def compare(ours, theirs, tie):
    same = different = 0
    worst, variation, outcome, apart = 0.0, 0.0, 0.0, 0
    for own, (chances, wdl) in zip(ours, theirs):
        moves = own["moves"]
        assert set(moves) == set(chances), (set(moves) ^ set(chances))
        first = max(moves, key=moves.get)
        most = max(chances.values())
        if chances[first] >= most - tie:
            same += 1
        else:
            different += 1
        gaps = [abs(moves[move] - chances[move]) for move in moves]
        worst, variation = max(worst, *gaps), variation + sum(gaps) / 2
        apart += max(gaps) >= CLOSE
        outcome = max(outcome, float(np.max(np.abs(np.array(own["wdl"]) - wdl))))
    return same, different, worst, variation / len(theirs), outcome, apart


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network")
    parser.add_argument("--games", required=True)
    parser.add_argument("--positions", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lc0", help="the program; without it the network is an ONNX file for onnxruntime")
    parser.add_argument("--example", default="target/release/examples/others")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--levels", default=",".join(LEVELS))
    parser.add_argument("--speed", action="store_true", help="measure speed in place of agreement")
    args = parser.parse_args()
    samples = positions(args.games, args.positions, args.seed)
    levels = [level for level in args.levels.split(",")]
    if args.speed:
        show = lambda who, speeds: print(f"{who:<17} batch 1: {speeds[1]:.0f}/s, batch 256: {speeds[256]:.0f}/s", flush=True)
        for level in levels:
            speeds = {}
            for batch in (1, 256):
                speeds[batch], error = tabiya(args.example, args.network, samples[:256], level, 1, batch)
            if error:
                print(level, error)
            else:
                show(level, speeds)
        with tempfile.TemporaryDirectory() as folder:
            graph = as_onnx(args.lc0, args.network, folder) if args.lc0 else any_batch(args.network, folder)
            for quantized in (False, True):
                show("onnxruntime " + ("int8" if quantized else "fp32"), onnxruntime_speed(graph, samples, quantized))
        if args.lc0:
            show("lc0", lc0_speed(args.lc0, args.network))
        return
    start = time.perf_counter()
    if args.lc0:
        # lc0 rounds what it shows to hundredths of a percent.
        theirs, tie = list(by_lc0(args.lc0, args.network, samples, args.threads)), 1e-4
    else:
        theirs, tie = list(by_onnxruntime(args.network, samples, args.threads)), TIE
    print(f"{len(samples)} positions, judged in {time.perf_counter() - start:.0f} s by the other program", flush=True)
    agree = True
    for level in levels:
        ours, error = tabiya(args.example, args.network, samples, level, args.threads)
        if error:
            print(level, error)
            continue
        same, different, worst, variation, outcome, apart = compare(ours, theirs, tie)
        print(
            f"{level:<7} first moves: {same} the same, {different} not; chances differ by {worst:.6f} at most, in {apart} positions by {CLOSE} or more; "
            f"mean total variation {variation:.6f}; outcome by {outcome:.6f} at most",
            flush=True,
        )
        if level in ("portable", "avx2", "avx512"):
            agree &= different == 0 and worst < CLOSE
    sys.exit(0 if agree else 1)


if __name__ == "__main__":
    main()
