"""Compares the graph family with the same idea in PyTorch Geometric, written from the description of the seed: graphs built by
python-chess, weighted heterogeneous graph attention, a pointer over legal moves.

    python3 -m venv target/venv && target/venv/bin/pip install torch torch_geometric chess
    target/venv/bin/python runs/bench_pyg.py target/release/tabiya DATASET [BATCH..]

DATASET has a set of labels called futures. Both sides run on one thread; SECONDS says how long each measurement takes (default 10). Three
things are measured: graphs built, positions trained, positions judged, each a second.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

import chess
import torch
from torch import nn
from torch_geometric.data import Batch, HeteroData
from torch_geometric.utils import scatter, softmax

VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 0}
RELATIONS = [
    ("piece", "interacts", "piece"),
    ("piece", "ray", "piece"),
    ("square", "adjacent", "square"),
    ("piece", "on", "square"),
    ("square", "under", "piece"),
]
SECONDS = float(os.environ.get("SECONDS", "10"))
WIDTH, HEADS, LAYERS = 64, 4, 4


def near(square):
    file, rank = chess.square_file(square), chess.square_rank(square)
    around = [(file + x, rank + y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
    return [chess.square(x, y) for x, y in around if 0 <= x < 8 and 0 <= y < 8]


ADJACENT = torch.tensor([[a, b] for a in chess.SQUARES for b in near(a)]).t()


def build(board):
    """A position as PyG sees it."""
    pieces = sorted(board.piece_map().items())
    place = {square: at for at, (square, _) in enumerate(pieces)}
    graph = HeteroData()
    rows = []
    for square, piece in pieces:
        role = [float(piece.piece_type == role) for role in chess.PIECE_TYPES]
        side = 1.0 if piece.color == board.turn else -1.0
        spot = [chess.square_file(square) / 7, chess.square_rank(square) / 7]
        rows.append(role + [side, VALUES[piece.piece_type] / 10] + spot)
    graph["piece"].x = torch.tensor(rows)
    graph["square"].x = torch.tensor(
        [[chess.square_file(s) / 7, chess.square_rank(s) / 7, float(s in place)] for s in chess.SQUARES]
    )
    edges, weights, lines, blocked = [], [], [], []
    for square, piece in pieces:
        for target in board.attacks(square):
            if target in place:
                other = board.piece_at(target)
                gain = VALUES[other.piece_type] - VALUES[piece.piece_type]
                edges.append((place[square], place[target]))
                hostile = other.color != piece.color
                weights.append(float(torch.sigmoid(torch.tensor(float(gain)))) if hostile else 1.0)
        for target, _ in pieces:
            files = abs(chess.square_file(square) - chess.square_file(target))
            ranks = abs(chess.square_rank(square) - chess.square_rank(target))
            if target != square and (files == 0 or ranks == 0 or files == ranks):
                lines.append((place[square], place[target]))
                between = chess.SquareSet.between(square, target) & board.occupied
                blocked.append([max(files, ranks) / 7, float(len(between))])
    pairs = lambda found: torch.tensor(found, dtype=torch.long).reshape(-1, 2).t()
    graph["piece", "interacts", "piece"].edge_index = pairs(edges)
    graph["piece", "interacts", "piece"].weight = torch.tensor(weights)
    graph["piece", "ray", "piece"].edge_index = pairs(lines)
    graph["piece", "ray", "piece"].line = torch.tensor(blocked).reshape(-1, 2)
    graph["square", "adjacent", "square"].edge_index = ADJACENT
    on = torch.tensor([[at, square] for at, (square, _) in enumerate(pieces)]).t()
    graph["piece", "on", "square"].edge_index = on
    graph["square", "under", "piece"].edge_index = on.flip(0)
    legal = list(board.legal_moves)
    graph.source = torch.tensor([place[m.from_square] for m in legal])
    graph.target = torch.tensor([m.to_square for m in legal])
    graph.moves = len(legal)
    return graph


class Layer(nn.Module):
    """K, Q, V for each type of node, matrices for each relation, softmax over the edges of a relation."""

    def __init__(self):
        super().__init__()
        each = lambda: nn.ModuleDict({node: nn.Linear(WIDTH, WIDTH) for node in ("piece", "square")})
        self.key, self.query, self.value, self.out = each(), each(), each(), each()
        self.norm = nn.ModuleDict({node: nn.LayerNorm(WIDTH) for node in ("piece", "square")})
        size = WIDTH // HEADS
        matrix = lambda: nn.ParameterDict(
            {name: nn.Parameter(torch.randn(HEADS, size, size) / size**0.5) for _, name, _ in RELATIONS}
        )
        self.attend, self.message = matrix(), matrix()
        self.gate = nn.Linear(WIDTH, 1)

    def forward(self, x, graph):
        heads = lambda rows: rows.view(len(rows), HEADS, WIDTH // HEADS)
        normed = {node: self.norm[node](rows) for node, rows in x.items()}
        heard = {node: torch.zeros_like(rows) for node, rows in x.items()}
        for from_, name, to in RELATIONS:
            store = graph[from_, name, to]
            source, target = store.edge_index
            value = torch.einsum("nhd,hde->nhe", heads(self.value[from_](normed[from_])), self.message[name])
            if name == "ray":
                open_ = torch.sigmoid(self.gate(normed[from_]))[source]
                distance, blockers = store.line.t()
                share = (open_.squeeze(1) / (1 + blockers + 0.1 * distance)).unsqueeze(1).expand(-1, HEADS)
            else:
                key = torch.einsum("nhd,hde->nhe", heads(self.key[from_](normed[from_])), self.attend[name])
                query = heads(self.query[to](normed[to]))
                score = (key[source] * query[target]).sum(-1) / (WIDTH // HEADS) ** 0.5
                if name == "interacts":
                    score = score * (1 + store.weight).unsqueeze(1)
                share = softmax(score, target, num_nodes=len(x[to]))
            sent = (value[source] * share.unsqueeze(2)).flatten(1)
            heard[to] = heard[to] + scatter(sent, target, dim=0, dim_size=len(x[to]))
        return {node: rows + nn.functional.gelu(self.out[node](heard[node])) for node, rows in x.items()}


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter = nn.ModuleDict({"piece": nn.Linear(10, WIDTH), "square": nn.Linear(3, WIDTH)})
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.pointer = nn.Sequential(nn.Linear(2 * WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 1))

    def forward(self, graph, source, target):
        x = {node: self.enter[node](graph[node].x) for node in ("piece", "square")}
        for layer in self.layers:
            x = layer(x, graph)
        return self.pointer(torch.cat([x["piece"][source], x["square"][target]], 1)).squeeze(1)


def collate(graphs):
    """Disjoint union, with the places of the moves' ends in it."""
    pieces = torch.tensor([0] + [len(g["piece"].x) for g in graphs]).cumsum(0)
    source = torch.cat([g.source + pieces[at] for at, g in enumerate(graphs)])
    target = torch.cat([g.target + 64 * at for at, g in enumerate(graphs)])
    owner = torch.cat([torch.full((g.moves,), at) for at, g in enumerate(graphs)])
    return Batch.from_data_list(graphs), source, target, owner


def rate(work, count):
    """Positions a second."""
    work()
    done, began = 0, time.perf_counter()
    while time.perf_counter() - began < SECONDS:
        work()
        done += count
    return done / (time.perf_counter() - began)


def boards():
    """Middle-game positions by a fixed walk."""
    found, seed = [], 1
    for _ in range(64):
        board = chess.Board()
        for _ in range(24):
            legal = list(board.legal_moves)
            if not legal:
                break
            seed = seed * 6364136223846793005 % 2**64 + 1
            board.push(legal[(seed >> 33) % len(legal)])
        if list(board.legal_moves):
            found.append(board)
    return found


def theirs(sizes):
    torch.set_num_threads(1)
    all_ = boards()
    print(f"graphs built by python-chess: {rate(lambda: [build(b) for b in all_], len(all_)):.0f}/s")
    graphs = [build(board) for board in all_]
    network = Network()
    optimiser = torch.optim.Adam(network.parameters(), 1e-3)
    for size in sizes:
        some = (graphs * (size // len(graphs) + 1))[:size]
        batch, source, target, owner = collate(some)
        first = torch.cat([torch.tensor([0]), torch.tensor([g.moves for g in some]).cumsum(0)[:-1]])

        def train():
            scores = network(batch, source, target)
            loss = -torch.log(softmax(scores, owner)[first] + 1e-9).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()

        def judge():
            with torch.no_grad():
                network(batch, source, target)

        print(f"PyG, batch {size}: training {rate(train, size):.0f}, inference {rate(judge, size):.0f} positions/s")


def ours(tabiya, data):
    """Training by its own log, the building of graphs included."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "run")
        sets = ["train.steps=40", "train.validate-every=1000", "train.validation-samples=256"]
        command = [tabiya, "train", "configs/graph.toml", "--data", data, "--out", out]
        command += [word for set_ in sets for word in ("--set", set_)]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL, env={**os.environ, "RAYON_NUM_THREADS": "1"})
        with open(os.path.join(out, "metrics.jsonl")) as lines:
            steps = [event for event in map(json.loads, lines) if event["event"] == "step"]
    samples, seconds = (steps[-1][key] - steps[4][key] for key in ("samples", "seconds"))
    print(f"tabiya: training {samples / seconds:.0f} positions/s")


if __name__ == "__main__":
    ours(sys.argv[1], sys.argv[2])
    theirs([int(size) for size in sys.argv[3:]] or [1, 256])
