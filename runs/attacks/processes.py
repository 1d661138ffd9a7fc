"""Against the parts that start engines, and as an engine: floods, silence, full boards."""

import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time

from .page import KNIGHTS, QUEENS
from .server import until

ROOT = pathlib.Path(__file__).parent.parent.parent
GREETING = "read -r uci; echo id name bad; echo uciok;"
ANSWERS = 'while read -r line; do case "$line" in isready) echo readyok;; go*) %s;; quit) exit;; esac; done'
ENGINES = {
    "a line without an end": "tr '\\0' x < /dev/zero",
    "a flood of `id`": "yes id author me",
    "a flood of options": "yes option name A type button",
    "a flood of `info` instead of an answer": GREETING + ANSWERS % "yes info depth 1 score cp 1 nodes 1",
    "an answer without an end": GREETING + ANSWERS % "tr '\\0' x < /dev/zero",
    "no answer": GREETING + ANSWERS % "sleep 1000",
    "an end in mid-game": GREETING + ANSWERS % "exit 3",
}


def gone(pid):
    try:
        return ") Z " in pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True


def megabytes(pid):
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) // 1024 for line in status if line.startswith("VmRSS")), 0)


def bad_engines(args):
    most = 0
    for what, script in ENGINES.items():
        with tempfile.TemporaryDirectory() as folder:
            pid = pathlib.Path(folder, "pid")
            pathlib.Path(folder, "engine.sh").write_text(f"echo $$ >> {pid}\n{script}\n")
            engine = f"sh {folder}/engine.sh"
            command = [args.binary, "arena", "heuristic", engine, "--games", "2", "--movetime", "20", "--grace", "2"]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            deadline = time.monotonic() + 60
            while process.poll() is None:
                most = max(most, megabytes(process.pid))
                assert time.monotonic() < deadline, f"{what}: the match does not end"
                time.sleep(0.02)
            words = process.stdout.read()
            assert process.returncode in (0, 1, 2), f"{what}: exit {process.returncode}: {words[-300:]}"
            told = ("without end", "uciok", "crash", "hang", "hung", "no answer", "does not answer")
            assert any(word in words.lower() for word in told), f"{what}: no reason in {words[-300:]!r}"
            until(lambda: all(gone(each) for each in pid.read_text().split()), 5, f"{what}: the engine ends")
    assert most < 200, f"the arena took {most} MB"
    return f"{len(ENGINES)} of them: each match ended with a reason, the arena took at most {most} MB, no engine was left"


def dataset(args, folder):
    games = ROOT / "testdata/games.pgn"
    out = os.path.join(folder, "games")
    subprocess.run([args.binary, "data", "import", str(games), "--out", out], check=True, capture_output=True)
    return out


def label_ends(args):
    waits = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
        with tempfile.TemporaryDirectory() as folder:
            out = dataset(args, folder)
            pid, script = pathlib.Path(folder, "pid"), pathlib.Path(folder, "engine.sh")
            script.write_text(f"echo $$ >> {pid}\n{GREETING}\n" + ANSWERS % "sleep 1000")
            command = [args.binary, "data", "label", out, "--engine", f"sh {script}", "--depth", "3", "--engines", "2"]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            until(lambda: pid.exists() and len(pid.read_text().split()) >= 3, 30, "two engines work")
            time.sleep(0.2)
            begun = time.monotonic()
            process.send_signal(number)
            process.wait(timeout=30)
            until(lambda: all(gone(each) for each in pid.read_text().split()), 10, f"the engines end after {number}")
            waits.append(time.monotonic() - begun)
    return f"after SIGTERM, SIGINT and SIGKILL all had ended within {max(waits):.1f} s"


class Engine:
    def __init__(self, binary):
        self.process = subprocess.Popen([binary, "uci"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def say(self, *lines):
        for line in lines:
            self.process.stdin.write(line + "\n")

    def until(self, word):
        """What was said up to the line that begins with the word."""
        lines = []
        for line in self.process.stdout:
            lines.append(line.split())
            if lines[-1][:1] == [word]:
                return lines
        raise AssertionError("the engine ended")

    def nodes_of(self, go):
        """Nodes and seconds until the answer."""
        begun, nodes = time.monotonic(), 0
        self.say(go)
        for words in self.until("bestmove"):
            if words[:1] == ["info"] and words[1:2] != ["string"] and "nodes" in words:
                nodes = int(words[words.index("nodes") + 1])
        return nodes, time.monotonic() - begun

    def takes(self, fen):
        self.say(f"position fen {fen}", "isready")
        return not any(words[2:4] == ["no", "position:"] for words in self.until("readyok"))

    def end(self):
        self.say("quit")
        assert self.process.wait(timeout=10) == 0


def pairs(binary):
    """Every mind that is in the program under every search that goes with it."""
    engine = Engine(binary)
    engine.say("uci")
    names = {"Brain": [], "Search": []}
    for words in engine.until("uciok"):
        if words[:2] == ["option", "name"] and words[2] in names:
            names[words[2]] = [words[at + 1] for at, word in enumerate(words) if word == "var"]
    engine.end()
    found = []
    for brain in names["Brain"]:
        engine = Engine(binary)
        for search in names["Search"]:
            engine.say(f"setoption name Brain value {brain}", f"setoption name Search value {search}", "isready")
            complaints = [words for words in engine.until("readyok") if words[:2] == ["info", "string"]]
            if search != "auto" and not complaints:
                found.append((brain, search))
        engine.end()
    return found


def board(random):
    """A position with any number of any pieces, up to a full board."""
    squares = ["1"] * 64
    places = random.sample(range(64), random.randrange(2, 65))
    for at in places:
        pieces = "qrbnQRBN" if at < 8 or at >= 56 else "qrbnpQRBNP"
        squares[at] = random.choice(pieces)
    squares[places[0]], squares[places[1]] = "K", "k"
    ranks = ["".join(squares[at : at + 8]) for at in range(0, 64, 8)]
    return "/".join(ranks) + random.choice([" w", " b"]) + " - - 0 1"


def boards(args):
    """As many as wanted that can be searched: where the king can be taken there is no position, and no search of it."""
    chance, engine = random.Random(args.seed), Engine(args.binary)
    found, refused = [QUEENS, KNIGHTS], 0
    while len(found) < 2 + args.positions:
        fen = board(chance)
        if engine.takes(fen):
            found.append(fen)
        else:
            refused += 1
            engine.say("go movetime 100")
            assert engine.until("bestmove")[-1] == ["bestmove", "(none)"], f"an answer to {fen}, which was refused"
    engine.end()
    return found, refused


def full_boards(args):
    fens, refused = boards(args)
    slowest, asked, in_time, minds = (0.0, ""), 0, 0, pairs(args.binary)
    for brain, search in minds:
        engine = Engine(args.binary)
        engine.say(f"setoption name Brain value {brain}", f"setoption name Search value {search}")
        for fen in fens:
            assert engine.takes(fen), f"{brain}:{search} refuses {fen}"
            for go in ("go movetime 100", "go nodes 50"):
                nodes, waited = engine.nodes_of(go)
                assert waited < 60, f"{brain}:{search} took {waited:.0f} s for `{go}` in {fen}"
                if "nodes" in go:
                    assert nodes <= 50 + 256, f"{brain}:{search} searched {nodes} nodes for `{go}` in {fen}"
                    continue
                slowest = max(slowest, (waited, f"{brain}:{search}"))
                asked, in_time = asked + 1, in_time + (waited <= 0.2)
        engine.end()
    return (
        f"{len(fens)} positions ({refused} refused) under {len(minds)} minds: {100 * in_time / asked:.2f} % of {asked} "
        f"`go movetime 100` within 200 ms, longest {1000 * slowest[0]:.0f} ms ({slowest[1]})"
    )


ATTACKS = [bad_engines, label_ends, full_boards]
