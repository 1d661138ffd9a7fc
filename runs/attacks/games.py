"""Against games: full disks, kills, thousands that wait, minds that are gone."""

import concurrent.futures
import contextlib
import glob
import pathlib
import random
import tempfile
import time

import http.client

from .server import Disk, Player, Server, server, until


class Table:
    """A game, and the plies that were acknowledged to its player."""

    def __init__(self, running, mind="human:instant"):
        self.player = Player(running)
        status, game = self.player.begin(mind=mind)
        assert status == 201, game
        self.id, self.known, self.refused = game["id"], [], 0

    def play(self, uci):
        status, game = self.player.act(self.id, type="move", uci=uci)
        if status == 200:
            self.known = [move["uci"] for move in game["moves"]]
        elif status != 409:
            self.refused += 1
            assert status in (500, 507) and "not saved" in str(game), f"{status} {game}"

    def turn(self):
        """One move of a knight there and back, if it is the player's turn; whatever happens to it."""
        status, game = self.player.game(self.id)
        assert status == 200, f"the game cannot be read: {status} {game}"
        if game["verdict"] or game["turn"] != "white":
            return
        self.play(random.choice(["g1f3", "f3g1", "b1c3", "c3b1"]))

    def wait(self):
        """Until it is the player's turn or the game is over: on a busy machine opponents take their time."""
        until(lambda: (game := self.player.game(self.id)[1])["verdict"] or game["turn"] == "white", 60, "the opponent's move")

    def check(self):
        status, game = self.player.game(self.id)
        assert status == 200, f"the game cannot be read: {status} {game}"
        now = [move["uci"] for move in game["moves"]]
        assert now[: len(self.known)] == self.known, f"acknowledged {self.known}, there is {now}"
        status, games = self.player.ask("GET", "/api/games")
        assert status == 200 and any(each["id"] == self.id for each in games), "the game is missing from the list"


def full_disk(args, moments=20):
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        running, disk = None, Disk(folder)
        try:
            running = Server(args.binary, folder)
            tables = [Table(running) for _ in range(10)]
            with concurrent.futures.ThreadPoolExecutor(10) as pool:
                for moment in range(moments):
                    list(pool.map(Table.wait, tables))
                    disk.fill(running)
                    for _ in range(random.randrange(1, 4)):
                        list(pool.map(Table.turn, tables))
                    status, answer = Player(running).begin()
                    assert status in (500, 507), f"a game began on a full disk: {status} {answer}"
                    # Some of the kills come while the disk is full.
                    if moment % 5 == 4:
                        running.kill()
                        disk.free(running) if disk.mounted else None
                        running.start()
                    disk.free(running)
                    for _ in range(random.randrange(1, 3)):
                        list(pool.map(Table.turn, tables))
                    list(pool.map(Table.check, tables))
            running.kill()
            running.start()
            for table in tables:
                table.check()
            empty = [path for path in glob.glob(f"{folder}/players/*/games/*") if not pathlib.Path(path).stat().st_size]
            assert not empty, f"empty files: {empty}"
            moves, refused = sum(len(table.known) for table in tables), sum(table.refused for table in tables)
            assert refused, "the disk was never full"
            return f"{moments} times full ({disk.name}): {refused} moves refused, {moves} acknowledged plies all there, after a restart too"
        finally:
            if running:
                running.kill()
            disk.close()


def kills(args):
    random.seed(2)
    with server(args.binary) as running:
        minds = [mind["name"] for mind in Player(running).ask("GET", "/api/minds")[1]]
        # At least one game under every mind.
        tables = [Table(running, minds[number % len(minds)]) for number in range(max(10, len(minds)))]
        for _ in range(args.kills):
            deadline = time.monotonic() + random.uniform(0.2, 1.0)
            with concurrent.futures.ThreadPoolExecutor(len(tables)) as pool:

                def play(table):
                    while time.monotonic() < deadline:
                        with contextlib.suppress(OSError, http.client.HTTPException):
                            table.turn()

                playing = [pool.submit(play, table) for table in tables]
                time.sleep(max(0.0, deadline - time.monotonic() - 0.1))
                running.kill()
                concurrent.futures.wait(playing)
                for done in playing:
                    done.result()
            running.start()
            for table in tables:
                table.check()
        plies = sum(len(table.known) for table in tables)
        return f"{args.kills} kills of {len(tables)} games under {len(minds)} minds: {plies} acknowledged plies all there"


def waiting_games(args):
    with server(args.binary) as running:
        minds = [mind["name"] for mind in Player(running).ask("GET", "/api/minds")[1]]
        trees = [mind for mind in minds if not mind.startswith("heuristic") and not mind.endswith(":instant")]
        players = [Player(running) for _ in range((args.games + 59) // 60)]
        for player in players:
            player.ask("GET", "/api/minds")
        most = {"megabytes": 0, "threads": 0}

        def look():
            most["megabytes"] = max(most["megabytes"], running.megabytes())
            most["threads"] = max(most["threads"], running.threads())

        def begin(number):
            mind = trees[number % len(trees)] if number % 2 else minds[number // 2 % len(minds)]
            status, game = players[number // 60].begin(mind=mind, color="black")
            assert status == 201, f"game {number}: {status} {game}"

        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            for begun in concurrent.futures.as_completed([pool.submit(begin, n) for n in range(args.games)]):
                begun.result()
                look()
        for _ in range(50):
            time.sleep(0.1)
            look()
        begun = time.monotonic()
        status, answer = Player(running).ask("POST", "/api/opinions", {}, timeout=60)
        waited = time.monotonic() - begun
        look()
        assert status == 200, f"{status} {answer}"
        words = f"{args.games} games: at most {most['megabytes']} MB and {most['threads']} threads; a question answered in {waited:.1f} s"
        assert most["megabytes"] < args.megabytes and most["threads"] < args.threads, words
        return words


def mind_gone(args):
    with server(args.binary) as running:
        player = Player(running)
        _, game = player.begin(color="white")
        player.act(game["id"], type="move", uci="e2e4")
        until(lambda: len(player.game(game["id"])[1]["moves"]) >= 2, 30, "an answer")
        running.kill()
        (path,) = glob.glob(f"{running.data}/players/*/games/{game['id']}.jsonl")
        text = pathlib.Path(path).read_text().replace("heuristic:alpha-beta", "oracle:deep")
        text += '{"event":"move","uci":"d2d4","spent_ms":1,"left_ms":null}\n'
        pathlib.Path(path).write_text(text)
        running.start()
        status, shown = player.game(game["id"])
        time.sleep(0.3)
        assert status == 200 and shown["verdict"] is None and "oracle:deep" in (shown["remark"] or ""), shown
        assert pathlib.Path(path).read_text() == text, "the file was changed"
        # A file that is damaged in the middle.
        lines = text.splitlines(keepends=True)
        pathlib.Path(path).write_text(lines[0] + lines[1] + lines[2][:9] + "".join(lines[2:]))
        running.kill()
        running.start()
        listed = player.ask("GET", "/api/games")[1]
        assert listed[0]["remark"] and len(player.game(game["id"])[1]["moves"]) == 1, listed
        return "shown with a remark and left as it was; a damaged file is shown up to its last good line"


ATTACKS = [full_disk, kills, waiting_games, mind_gone]
