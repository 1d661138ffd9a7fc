#!/usr/bin/env python3
"""Drives the engine as a public UCI client does, through python-chess (PyPI: chess).

    runs/uci_client.py [COMMAND...]      the engine; target/release/tabiya if not given

Prints one line per check and `N passed, M failed`; exits 1 if any failed. Nothing here depends on how fast the
machine is: limits are depths and nodes, or clocks that nobody looks at afterwards.
"""

import contextlib
import logging
import pathlib
import sys
import traceback

import chess
import chess.engine
from chess.engine import Limit

COMMAND = sys.argv[1:] or [str(pathlib.Path(__file__).parent.parent / "target/release/tabiya")]
MATE_IN_TWO = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


class Complaints(logging.Handler):
    """What python-chess finds wrong with the engine's words, though it goes on."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


@contextlib.contextmanager
def fresh_engine():
    engine = chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=120)
    try:
        yield engine
    finally:
        engine.quit()
    code = engine.returncode.result(60)
    assert code == 0, f"ended with exit code {code}"


@check
def introduces_itself(engine):
    assert engine.id["name"].startswith("Tabiya"), engine.id
    for name in ["Brain", "Search", "Hash", "Threads", "MultiPV", "Ponder", "Move Overhead", "SyzygyPath",
                 "UCI_Chess960", "UCI_ShowWDL", "Clear Hash"]:
        assert name in engine.options, f"no option {name}"


@check
def plays_a_short_game_on_the_clock(engine):
    board = chess.Board()
    while board.ply() < 40 and not board.is_game_over():
        limit = Limit(white_clock=2, black_clock=2, white_inc=0.02, black_inc=0.02)
        move = engine.play(board, limit, game="clock").move
        assert move in board.legal_moves, move
        board.push(move)


@check
def keeps_every_kind_of_limit(engine):
    board = chess.Board("r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 6 8")
    for limit in [Limit(depth=3), Limit(nodes=500), Limit(time=0.05), Limit(depth=3, nodes=400, time=5),
                  Limit(white_clock=0.01, black_clock=0.01), Limit(white_clock=60, remaining_moves=1)]:
        result = engine.play(board, limit, info=chess.engine.INFO_ALL)
        assert result.move in board.legal_moves, (limit, result)
        for word in ["depth", "seldepth", "score", "nodes", "nps", "hashfull", "tbhits", "time", "pv"]:
            assert word in result.info, f"{limit}: no {word} in {result.info}"
        assert result.info["pv"][0] == result.move, (limit, result)


@check
def shows_the_best_lines_in_order(engine):
    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3")
    lines = engine.analyse(board, Limit(depth=5), multipv=4)
    assert [line["multipv"] for line in lines] == [1, 2, 3, 4], lines
    assert len({line["pv"][0] for line in lines}) == 4, lines
    scores = [line["score"].relative for line in lines]
    assert scores == sorted(scores, reverse=True), scores
    only_two = chess.Board("7k/8/8/8/8/8/6q1/K7 w - - 0 1")
    assert len(engine.analyse(only_two, Limit(depth=3), multipv=4)) == only_two.legal_moves.count()


@check
def looks_at_the_moves_it_is_told_to(engine):
    board = chess.Board()
    moves = [chess.Move.from_uci("a2a4"), chess.Move.from_uci("h2h4")]
    assert engine.play(board, Limit(depth=4), root_moves=moves).move in moves


@check
def analyses_until_it_is_stopped(engine):
    with engine.analysis(chess.Board()) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 4:
                break
        engine.ping()
        analysis.stop()
        best = analysis.wait()
    assert best.move in chess.Board().legal_moves, best


@check
def stops_when_there_is_nothing_to_think_about(engine):
    board = chess.Board("7k/8/8/8/8/8/1r6/K7 w - - 0 1")
    with engine.analysis(board) as analysis:
        engine.ping()
        analysis.stop()
        assert analysis.wait().move == chess.Move.from_uci("a1b2")


@check
def ponders_on_the_right_move_and_on_the_wrong_one(engine):
    limit = Limit(white_clock=3, black_clock=3, white_inc=0.05, black_inc=0.05)
    board = chess.Board()
    expected = 0
    for turn in range(8):
        result = engine.play(board, limit, game="ponder", ponder=True)
        board.push(result.move)
        engine.ping()
        if result.ponder is None or turn % 2:
            replies = [move for move in board.legal_moves if move != result.ponder]
            board.push(replies[0])
        else:
            expected += 1
            board.push(result.ponder)
        if board.is_game_over():
            break
    assert expected > 0, "never said what it expects"


@check
def finds_mates(engine):
    one = chess.Board("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1")
    info = engine.analyse(one, Limit(depth=3))
    assert info["score"].relative == chess.engine.Mate(1), info
    for limit in [Limit(depth=30), Limit(mate=2, nodes=1_000_000)]:
        info = engine.analyse(chess.Board(MATE_IN_TWO), limit, game=object())
        assert info["score"].relative == chess.engine.Mate(2), info
    lost = chess.Board(MATE_IN_TWO)
    lost.push_uci("a2a7")
    assert engine.analyse(lost, Limit(depth=30))["score"].relative == chess.engine.Mate(-1)


@check
def has_no_move_where_there_is_none(engine):
    for fen in ["7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"]:
        board = chess.Board(fen)
        assert engine.play(board, Limit(depth=2)).move is None, fen
    with engine.analysis(board) as analysis:
        engine.ping()
        analysis.stop()
        assert analysis.wait().move is None


@check
def plays_chess960(engine):
    for number in [0, 317, 518, 959]:
        board = chess.Board.from_chess960_pos(number)
        while board.ply() < 16 and not board.is_game_over():
            board.push(engine.play(board, Limit(nodes=300), game=number).move)
    board = chess.Board("4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1", chess960=True)
    for castling in ["f1h1", "f1b1"]:
        move = board.parse_uci(castling)
        assert engine.play(board, Limit(depth=2), root_moves=[move]).move == move
    usual = chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    castles = chess.Move.from_uci("e1g1")
    assert engine.play(usual, Limit(depth=2), root_moves=[castles]).move == castles


@check
def takes_options(engine):
    engine.configure({"Hash": 8, "Threads": 2, "Move Overhead": 50, "UCI_ShowWDL": True, "Clear Hash": None,
                      "Brain": engine.options["Brain"].default, "Search": engine.options["Search"].default})
    info = engine.analyse(chess.Board(), Limit(depth=5))
    assert info["wdl"].relative.total() == 1000, info
    engine.configure({"UCI_ShowWDL": False, "Threads": 1})
    assert "wdl" not in engine.analyse(chess.Board(), Limit(depth=3))


@check
def a_long_game_is_taken_whole(engine):
    board = chess.Board()
    for _ in range(40):
        for move in ["g1f3", "g8f6", "f3g1", "f6g8"]:
            board.push_uci(move)
    assert engine.play(board, Limit(depth=3)).move in board.legal_moves


def main():
    complaints = Complaints()
    logging.getLogger("chess.engine").addHandler(complaints)
    failed = 0
    for function in CHECKS:
        name = function.__name__.replace("_", " ")
        complaints.lines.clear()
        try:
            with fresh_engine() as engine:
                function(engine)
            assert not complaints.lines, f"python-chess says: {complaints.lines[0]}"
            print(f"ok      {name}", flush=True)
        except Exception:
            failed += 1
            print(f"FAILED  {name}\n{traceback.format_exc(limit=-2)}", flush=True)
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
