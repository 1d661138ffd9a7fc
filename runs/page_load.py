#!/usr/bin/env python3
"""Many games at once on the page's server, from this machine.

    python runs/page_load.py target/release/tabiya [--games 100] [--seconds 120] [--mind NAME] [--beside 4] [--no-kill]

Every player moves one second after the answer; the opponent is set to answer after one second. In the middle the server
is killed without warning and started again: every game must come back as it was. Memory is read every ten seconds, and the
processor's time that the server took is divided among the answers. With --beside as many further people walk
through openings, each with the explorer and a second of analysis in every position. Needs chess and websockets from PyPI. Exit 0 if no
error happened and every game came back.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import chess
import websockets

PORT = 17979
ADDRESS = f"127.0.0.1:{PORT}"
CHOSEN_S = 1.0
READ_EVERY_S = 10


def start(binary, data):
    server = subprocess.Popen([binary, "play", "--port", str(PORT), "--data", data], stdout=subprocess.DEVNULL)
    for _ in range(200):
        try:
            urllib.request.urlopen(f"http://{ADDRESS}/api/minds", timeout=1).read()
            return server
        except OSError:
            time.sleep(0.1)
    sys.exit("the server did not start")


def memory_mb(server):
    with open(f"/proc/{server.pid}/status") as status:
        return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmRSS"))


def cpu_s(server):
    """Seconds that all threads of the server have been on a processor."""
    with open(f"/proc/{server.pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Player:
    """One client with a cookie and a game of its own."""

    def __init__(self, mind):
        self.mind, self.moves, self.answers, self.errors, self.returns, self.over = mind, [], [], [], 0, 0
        self.cookie = None

    def ask(self, path, body=None):
        request = urllib.request.Request(f"http://{ADDRESS}/api{path}", method="POST" if body else "GET")
        if self.cookie:
            request.add_header("Cookie", self.cookie)
        if body:
            request.add_header("Content-Type", "application/json")
        data = json.dumps(body).encode() if body else None
        with urllib.request.urlopen(request, data, timeout=20) as answer:
            self.cookie = self.cookie or answer.headers["Set-Cookie"].split(";")[0]
            return json.load(answer)

    async def begin(self):
        setup = {"mind": self.mind, "rating": 1500, "own_rating": 1500, "color": "white", "pace": "second",
                 "time": {"base_s": 3600, "increment_s": 0}}
        game = await asyncio.to_thread(self.ask, "/games", setup)
        self.id, self.moves = game["id"], []

    async def play(self, until):
        await asyncio.sleep(random.random())
        await self.begin()
        while time.monotonic() < until:
            try:
                address = f"ws://{ADDRESS}/api/games/{self.id}/socket"
                async with websockets.connect(address, additional_headers={"Cookie": self.cookie}) as line:
                    await self.converse(line, until)
            except (OSError, websockets.ConnectionClosed, websockets.InvalidHandshake):
                self.returns += 1
                await asyncio.sleep(0.5)

    async def converse(self, line, until):
        game = await self.hear(line)
        seen = [move["uci"] for move in game["moves"]]
        if seen[: len(self.moves)] != self.moves:
            self.errors.append(f"{self.id} came back as {seen} and was {self.moves}")
        while time.monotonic() < until:
            self.moves = [move["uci"] for move in game["moves"]]
            if game["verdict"]:
                self.over += 1
                await self.begin()
                return
            if game["turn"] == "black":
                game = await self.hear(line)
                continue
            await asyncio.sleep(CHOSEN_S)
            board = chess.Board(game["fen"])
            move = random.choice(list(board.legal_moves)).uci()
            sent = time.monotonic()
            await line.send(json.dumps({"type": "move", "uci": move, "ply": len(self.moves)}))
            game = await self.hear(line)
            self.moves = [move["uci"] for move in game["moves"]]
            if not game["verdict"]:
                game = await self.hear(line)
                self.answers.append(time.monotonic() - sent - CHOSEN_S)

    async def hear(self, line):
        message = json.loads(await line.recv())
        if "error" in message:
            self.errors.append(message["error"])
            return await self.hear(line)
        return message["game"]


class Walker:
    """Somebody who looks at openings: the explorer, then a second of analysis, then a move on."""

    def __init__(self):
        self.asked, self.errors, self.player = 0, [], Player(None)

    async def walk(self, until):
        await asyncio.to_thread(self.player.ask, "/games")
        board = chess.Board()
        while time.monotonic() < until:
            if board.ply() > 20 or board.is_game_over():
                board = chess.Board()
            start = {"moves": [move.uci() for move in board.move_stack]}
            try:
                await asyncio.to_thread(self.read, "/explorer", {**start, "rating": 1500})
                await asyncio.to_thread(self.read, "/analysis", {**start, "mind": "heuristic:alpha-beta", "seconds": 1})
                self.asked += 1
            except urllib.error.HTTPError as error:
                # Too much at once is refused in a sentence, and asked again.
                if error.code not in (429, 503):
                    self.errors.append(f"{error.code}: {error.read().decode()}")
                await asyncio.sleep(0.5)
            except OSError:
                await asyncio.sleep(0.5)
            board.push(random.choice(list(board.legal_moves)))

    def read(self, path, body):
        headers = {"Content-Type": "application/json", "Cookie": self.player.cookie or ""}
        request = urllib.request.Request(f"http://{ADDRESS}/api{path}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            answer.read()


async def main(options):
    data = tempfile.mkdtemp(prefix="tabiya-load-")
    server = start(options.binary, data)
    first = json.load(urllib.request.urlopen(f"http://{ADDRESS}/api/minds"))[0]["name"]
    players = [Player(options.mind or first) for _ in range(options.games)]
    until = time.monotonic() + options.seconds
    walkers = [Walker() for _ in range(options.beside)]
    playing = asyncio.gather(*(each.play(until) for each in players), *(each.walk(until) for each in walkers))
    used_s, lives = 0, [[]]
    parts = max(2, round(options.seconds / READ_EVERY_S))
    for part in range(parts):
        await asyncio.sleep(options.seconds / parts - 0.02)
        lives[-1].append(memory_mb(server))
        if part == parts // 2 - 1 and not options.no_kill:
            used_s += cpu_s(server)
            server.send_signal(signal.SIGKILL)
            server.wait()
            print("killed the server in the middle", file=sys.stderr)
            server = await asyncio.to_thread(start, options.binary, data)
            lives.append([])
    used_s += cpu_s(server)
    await playing
    server.terminate()
    answers = sorted(1000 * each for player in players for each in player.answers)
    errors = [each for some in (players, walkers) for one in some for each in one.errors]
    back = sum(player.returns > 0 for player in players)
    print(f"{len(players)} games at once for {options.seconds} s against {players[0].mind}: {len(answers)} answers")
    print(f"beyond the chosen second: median {statistics.median(answers):.0f} ms, "
          f"95 % {answers[int(0.95 * len(answers))]:.0f} ms, worst {answers[-1]:.0f} ms")
    if walkers:
        print(f"beside them {len(walkers)} people looked at {sum(each.asked for each in walkers)} positions")
    print(f"processor: {1000 * used_s / len(answers):.0f} ms an answer, all threads of the server")
    curves = " | ".join(" ".join(map(str, life)) for life in lives)
    print(f"memory in MB, every {options.seconds / parts:.0f} s, a bar for the kill: {curves}")
    print(f"errors: {len(errors)}; games that came back after the kill: {back} of {len(players)}; "
          f"games that ended and were followed by another: {sum(player.over for player in players)}")
    for error in errors[:5]:
        print(f"  {error}")
    lost = 0 if options.no_kill else len(players) - back
    return 1 if errors or lost else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--mind")
    parser.add_argument("--beside", type=int, default=0)
    parser.add_argument("--no-kill", action="store_true")
    sys.exit(asyncio.run(main(parser.parse_args())))
