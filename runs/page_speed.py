#!/usr/bin/env python3
"""How fast the page's server answers what one asks every evening, from this machine.

    python runs/page_speed.py target/release/tabiya explorer games.pgn [--positions 200]
    python runs/page_speed.py target/release/tabiya import games.pgn --player NAME [--games 1000]

`explorer` asks what people play in positions of the games, one after the other, without the engine's word and with it.
`import` brings games along and waits until they are looked over, while a game goes on beside them: its moves are timed.
Besides the time on the clock both print the time that the server took on processors, which other programs on the
machine change little. Needs chess and websockets from PyPI.
"""

import argparse
import asyncio
import itertools
import json
import statistics
import sys
import tempfile
import time
import urllib.request

import chess.pgn
from page_load import ADDRESS, CHOSEN_S, Player, cpu_s, start


def positions(path, count):
    """From ply 4 on, every fifth position of the games."""
    with open(path, encoding="utf-8", errors="replace") as file:
        found = []
        while len(found) < count and (game := chess.pgn.read_game(file)):
            moves = [move.uci() for move in game.mainline_moves()]
            found += [moves[:ply] for ply in range(4, len(moves), 5)]
    return found[:count]


def explore(moves, engine):
    """Seconds to the first line, which says what people play, and to the last."""
    body = json.dumps({"moves": moves, "rating": 1500, "engine": engine}).encode()
    request = urllib.request.Request(f"http://{ADDRESS}/api/explorer", body, {"Content-Type": "application/json"})
    sent = time.monotonic()
    with urllib.request.urlopen(request, timeout=60) as answer:
        answer.readline()
        first = time.monotonic() - sent
        answer.read()
    return first, time.monotonic() - sent


def explorer(options, server):
    asked = positions(options.games_file, options.positions)
    for moves in asked[:5]:
        explore(moves, False)
    for engine in (False, True):
        before = cpu_s(server)
        times = [explore(moves, engine) for moves in asked]
        cpu = 1000 * (cpu_s(server) - before) / len(times)
        name = "with the engine's word" if engine else "what people play"
        for what, which in (("first line", 0), ("whole answer", 1)):
            each = sorted(1000 * found[which] for found in times)
            print(f"{name}, {what}: median {statistics.median(each):.0f} ms, 95 % {each[int(0.95 * len(each))]:.0f} ms")
        print(f"{name}: {cpu:.1f} ms of processor each, {len(times)} positions")


def some_games(path, player, count):
    """The text of the first games of a player."""
    with open(path, encoding="utf-8", errors="replace") as file:
        games = ("[Event " + part for part in ("\n" + file.read()).split("\n[Event ")[1:])
        own = (game for game in games if f'White "{player}"' in game or f'Black "{player}"' in game)
        return "\n".join(itertools.islice(own, count))


async def bring(options, server):
    pgn = await asyncio.to_thread(some_games, options.games_file, options.player, options.games)
    player = Player("human:instant")
    await player.begin()
    request = urllib.request.Request(
        f"http://{ADDRESS}/api/imports?player={options.player}&title=games&rating=1500",
        pgn.encode(),
        {"Content-Type": "application/x-chess-pgn", "Cookie": player.cookie},
    )
    began, before = time.monotonic(), cpu_s(server)
    with urllib.request.urlopen(request, timeout=120) as answer:
        about = json.load(answer)
    print(f"{about['games']} games kept after {time.monotonic() - began:.1f} s", flush=True)
    playing = asyncio.create_task(player.play(began + 36_000))
    while not (status := (await asyncio.to_thread(player.ask, "/imports"))[0])["done"]:
        await asyncio.sleep(1)
    took, cpu = time.monotonic() - began, cpu_s(server) - before
    playing.cancel()
    print(f"looked over after {took:.0f} s, {cpu:.0f} s of processor; {status['cards']} mistakes")
    late = sorted(1000 * each for each in player.answers)
    if late:
        print(f"the game beside it: {len(late)} answers, median {statistics.median(late):.0f} ms beyond the chosen "
              f"{CHOSEN_S:.0f} s, worst {late[-1]:.0f} ms, {len(player.errors)} errors")
    return 1 if player.errors else 0


def main(options):
    server = start(options.binary, tempfile.mkdtemp(prefix="tabiya-speed-"))
    try:
        return asyncio.run(bring(options, server)) if options.what == "import" else explorer(options, server)
    finally:
        server.terminate()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("what", choices=["explorer", "import"])
    parser.add_argument("games_file")
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--player")
    parser.add_argument("--games", type=int, default=1000)
    sys.exit(main(parser.parse_args()))
