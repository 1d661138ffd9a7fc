"""Plies a second (CPU time of one core) at which python-chess reads the main lines of a .pgn or .pgn.zst file.

Usage: python runs/bench_python_chess.py FILE [GAMES]. A .zst file is unpacked by the program `zstd`.
"""
import io
import subprocess
import sys
import time

import chess.pgn

path, most = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3000
command = ["zstd", "-dc", path] if path.endswith(".zst") else ["cat", path]
pipe = subprocess.Popen(command, stdout=subprocess.PIPE)
text = io.TextIOWrapper(pipe.stdout, encoding="utf-8", errors="replace")
games = plies = 0
started = time.process_time()
while games < most and (game := chess.pgn.read_game(text)):
    games += 1
    plies += sum(1 for _ in game.mainline_moves())
spent = time.process_time() - started
pipe.kill()
print(f"python-chess {chess.__version__}: {games} games, {plies} plies, {spent:.1f} s CPU, {plies / spent:.0f} plies/s")
