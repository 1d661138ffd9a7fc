"""Plays the published Maia-1 networks as a UCI engine, so that they can stand beside Tabiya's minds.

    python3 -m venv target/venv && target/venv/bin/pip install chess numpy
    tabiya eval human human "target/venv/bin/python runs/maia_uci.py maia-1500.pb.gz;name=maia-1500" --data DIR

Given a folder of networks it offers UCI_Elo and plays the one made from players of that rating. It answers at once with the likeliest
legal move, whatever `go` allows, and with the expected score as centipawns on the curve that `tabiya eval` reads them with.
The networks: https://github.com/CSSLab/maia-chess. Their format is Leela's: 112 planes in, residual blocks with squeeze and excitation,
80 planes of moves out.
"""

import gzip
import math
import os
import re
import struct
import sys

# One core an engine; has to be known before numpy starts its threads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import chess
import numpy as np

HISTORY = 8
EPSILON = 1e-5  # of batch normalisation
CENTIPAWN_SCALE = 0.00368208  # expected score = 1 / (1 + exp(-scale centipawns))


# The file: a protobuf without its schema. A message is a dict from field number to a list of values.


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def message(data):
    fields, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        else:
            size, at = varint(data, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
            value, at = data[at : at + size], at + size
        fields.setdefault(key >> 3, []).append(value)
    return fields


def layer(parent, number):
    """The numbers of a layer: 16-bit steps from its least to its greatest. None if there is no such layer."""
    if number not in parent:
        return None
    fields = message(parent[number][0])
    least, greatest = (struct.unpack("<f", fields[bound][0])[0] for bound in (1, 2))
    steps = np.frombuffer(fields[3][0], "<u2").astype(np.float32)
    return least + steps * np.float32((greatest - least) / 65535)


class Conv:
    """A convolution with the normalisation behind it folded in. Its weights are [out, in * side * side]."""

    def __init__(self, fields):
        weights, biases, means, variances, gammas, betas = (layer(fields, number) for number in range(1, 7))
        outputs = len(biases if means is None else means)
        self.weights = weights.reshape(outputs, -1)
        self.biases = np.zeros(outputs, np.float32) if biases is None else biases
        if means is not None:
            scales = (1 if gammas is None else gammas) / np.sqrt(variances + EPSILON)
            self.weights = self.weights * scales[:, None]
            self.biases = (self.biases - means) * scales + (0 if betas is None else betas)
        self.biases = self.biases[:, None]

    def __call__(self, x):  # [in, 64] -> [out, 64]
        if self.weights.shape[1] > len(x):
            beyond = np.zeros((len(x), 1), np.float32)
            x = np.concatenate((x, beyond), axis=1)[:, NEIGHBOURS].reshape(-1, 64)
        return self.weights @ x + self.biases


class Dense:
    def __init__(self, parent, weights, biases):
        self.biases = layer(parent, biases)
        self.weights = layer(parent, weights).reshape(len(self.biases), -1)

    def __call__(self, x):
        return self.weights @ x + self.biases


class Block:
    def __init__(self, fields):
        self.first, self.second = Conv(message(fields[1][0])), Conv(message(fields[2][0]))
        excite = message(fields[3][0])
        self.squeeze, self.excite = Dense(excite, 1, 2), Dense(excite, 3, 4)

    def __call__(self, x):  # [filters, 64]
        y = self.second(relu(self.first(x)))
        gates, shifts = np.split(self.excite(relu(self.squeeze(y.mean(axis=1)))), 2)
        return relu(y * sigmoid(gates)[:, None] + shifts[:, None] + x)


class Network:
    def __init__(self, path):
        with gzip.open(path) as file:
            weights = message(message(file.read())[10][0])
        conv = lambda number: Conv(message(weights[number][0]))
        self.stem = conv(1)
        self.blocks = [Block(message(block)) for block in weights[2]]
        self.policy = conv(11), conv(3)
        self.value = conv(6), Dense(weights, 7, 8), Dense(weights, 9, 10)

    def __call__(self, planes):
        """Logits of moves [80, 64] and the chances of winning, drawing, losing, all for the side to move."""
        x = relu(self.stem(planes))
        for block in self.blocks:
            x = block(x)
        narrow, wide = self.policy
        conv, hidden, last = self.value
        value = last(relu(hidden(relu(conv(x)).reshape(-1))))
        chances = np.exp(value - value.max())
        return wide(relu(narrow(x))), chances / chances.sum()


def relu(x):
    return np.maximum(x, 0)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def neighbours():
    """[9, 64]: the square that each of the nine weights of a kernel looks at from a square; 64 lies beyond the board."""
    table = np.full((3, 3, 8, 8), 64)
    for up, right, rank, file in np.ndindex(table.shape):
        rank_at, file_at = rank + up - 1, file + right - 1
        if 0 <= rank_at < 8 and 0 <= file_at < 8:
            table[up, right, rank, file] = 8 * rank_at + file_at
    return table.reshape(9, 64)


NEIGHBOURS = neighbours()


# Positions as planes, seen by the side to move: for Black the ranks are mirrored.


def bits(masks, turn):
    """[masks, 64] of bitboards."""
    ordered = [mask if turn else chess.flip_vertical(mask) for mask in masks]
    return np.unpackbits(np.array(ordered, "<u8").view(np.uint8), bitorder="little").reshape(-1, 64)


def piece_masks(board, turn):
    own, other = board.occupied_co[turn], board.occupied_co[not turn]
    pieces = board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings
    return [mask & own for mask in pieces] + [mask & other for mask in pieces]


class History:
    """The boards of a game so far, and how often each had been there before."""

    def __init__(self, board):
        self.board, self.last, self.seen = board, [], {}
        self.usual_start = board.board_fen() == chess.STARTING_BOARD_FEN
        # A pawn that has just made a double step stood two squares back in the boards that are not known.
        self.before = board.copy(stack=False)
        if board.ep_square is not None:
            step = -8 if board.turn else 8
            self.before.set_piece_at(board.ep_square - step, self.before.remove_piece_at(board.ep_square + step))
        self.remember()

    def push(self, move):
        self.board.push(move)
        if self.board.halfmove_clock == 0:
            self.seen.clear()
        self.remember()

    def remember(self):
        board = self.board
        key = (*piece_masks(board, True), board.turn, board.clean_castling_rights(), board.ep_square)
        self.last = [(board.copy(stack=False), key in self.seen)] + self.last[: HISTORY - 1]
        self.seen[key] = True

    def planes(self):  # [112, 64]
        board, turn = self.board, self.board.turn
        planes = np.zeros((13 * HISTORY + 8, 64), np.float32)
        for at, (past, repeated) in enumerate(self.last):
            planes[13 * at : 13 * at + 12] = bits(piece_masks(past, turn), turn)
            planes[13 * at + 12] = repeated
        # Before a position that was set up the same stands again; before the usual start there is nothing.
        for at in range(len(self.last), 0 if self.usual_start else HISTORY):
            planes[13 * at : 13 * at + 12] = bits(piece_masks(self.before, turn), turn)
        planes[104] = board.has_queenside_castling_rights(turn)
        planes[105] = board.has_kingside_castling_rights(turn)
        planes[106] = board.has_queenside_castling_rights(not turn)
        planes[107] = board.has_kingside_castling_rights(not turn)
        planes[108] = not turn
        planes[109] = board.halfmove_clock
        planes[111] = 1
        return planes


# Moves as places in the planes of the policy: 8 directions x 7 steps, 8 knight's jumps, 3 directions x promotions.

DIRECTIONS = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]  # (files, ranks)
JUMPS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
# Promotion to a knight has no planes of its own: it is the bare move.
PROMOTIONS = [chess.ROOK, chess.BISHOP, chess.QUEEN]


def place(board, move):
    """Plane and square of a legal move."""
    start, end = move.from_square, move.to_square
    if board.is_castling(move):
        # The king takes its own rook.
        end = chess.square(7 if end > start else 0, chess.square_rank(start))
    if not board.turn:
        start, end = chess.square_mirror(start), chess.square_mirror(end)
    files = chess.square_file(end) - chess.square_file(start)
    ranks = chess.square_rank(end) - chess.square_rank(start)
    if move.promotion in PROMOTIONS:
        return 64 + 3 * (files + 1) + PROMOTIONS.index(move.promotion), start
    if (files, ranks) in JUMPS:
        return 56 + JUMPS.index((files, ranks)), start
    steps = max(abs(files), abs(ranks))
    return 7 * DIRECTIONS.index((files // steps, ranks // steps)) + steps - 1, start


def likeliest(network, history):
    """The first legal move and the expected score of the side to move."""
    logits, (win, draw, _) = network(history.planes())
    best = max(history.board.legal_moves, key=lambda move: logits[place(history.board, move)], default=None)
    return best, win + draw / 2


def centipawns(expected):
    expected = min(max(float(expected), 1e-4), 1 - 1e-4)
    return round(math.log(expected / (1 - expected)) / CENTIPAWN_SCALE)


# The engine.


class Networks:
    """One network, or those of a folder by the rating of the players whose games they saw."""

    def __init__(self, path):
        self.path, self.loaded = path, {}
        found = re.compile(r"maia-(\d+)\.pb\.gz$")
        names = os.listdir(path) if os.path.isdir(path) else []
        self.ratings = sorted(int(match[1]) for match in map(found.match, names) if match)
        if names and not self.ratings:
            sys.exit(f"no maia-RATING.pb.gz in {path}")

    def get(self, rating):
        path = self.path
        if self.ratings:
            # maia-1100 saw players from 1100 to 1199.
            nearest = min(self.ratings, key=lambda start: abs(start + 49.5 - rating))
            path = os.path.join(path, f"maia-{nearest}.pb.gz")
        if path not in self.loaded:
            self.loaded[path] = Network(path)
        return self.loaded[path]


def read_position(words):
    moves = words.index("moves") if "moves" in words else len(words)
    board = chess.Board() if words[1] == "startpos" else chess.Board(" ".join(words[2:moves]))
    history = History(board)
    for word in words[moves + 1 :]:
        history.push(board.parse_uci(word))
    return history


def main(path):
    networks, rating, history = Networks(path), 1500, History(chess.Board())
    networks.get(rating)
    for line in sys.stdin:
        match line.split():
            case ["uci"]:
                print("id name Maia-1")
                if networks.ratings:
                    print(f"option name UCI_Elo type spin default {rating} min 1 max 4000")
                print("uciok")
            case ["isready"]:
                print("readyok")
            case ["setoption", "name", "UCI_Elo", "value", value]:
                rating = int(value)
            case ["position", *_] as words:
                history = read_position(words)
            case ["go", *_]:
                move, expected = likeliest(networks.get(rating), history)
                print(f"info depth 1 nodes 1 score cp {centipawns(expected)}")
                print(f"bestmove {move or '0000'}")
            case ["quit"]:
                break
        sys.stdout.flush()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: maia_uci.py NETWORK.pb.gz or a folder of them")
    main(sys.argv[1])
