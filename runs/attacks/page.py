"""Against the page: hostile positions, slow clients, other sites, many at once."""

import concurrent.futures
import contextlib
import resource
import socket
import threading
import time

from .server import Player, server

QUEENS = "qqqqkqqq/qqqqqqqq/qqqqqqqq/8/8/QQQQQQQQ/QQQQQQQQ/QQQQKQQQ w - - 0 1"
KNIGHTS = "nnnnknnn/nnnnnnnn/nnnnnnnn/8/8/NNNNNNNN/NNNNNNNN/NNNNKNNN w - - 0 1"
# Legal, and with more forcing moves than most: nine queens a side.
LEGAL = "qqqqk3/qqqqq3/8/8/8/8/QQQQQ3/QQQQK3 w - - 0 1"


def hostile_positions(args):
    with server(args.binary) as running:
        player = Player(running)
        for fen in [QUEENS, KNIGHTS] * 3:
            for path, value in [("/api/opinions", {"fen": fen}), ("/api/games", None)]:
                status, answer = player.ask("POST", path, value) if value else player.begin(start={"fen": fen})
                assert 400 <= status < 500 and "cannot come from a game" in str(answer), f"{path}: {status} {answer}"
        # Clients that ask for long thoughts and leave.
        for _ in range(20):
            with contextlib.suppress(OSError):
                player.ask("POST", "/api/opinions", {"fen": LEGAL}, timeout=0.05)
        begun = time.monotonic()
        status, answer = player.ask("POST", "/api/opinions", {})
        assert status == 200 and answer["minds"][-1]["lines"], f"no engine answers any more: {status}"
        return f"refused in a sentence; a question after them answered in {time.monotonic() - begun:.1f} s"


def positions_at_once(args):
    with server(args.binary) as running:
        player = Player(running)
        player.ask("GET", "/api/minds")
        save = lambda n: player.ask("POST", "/api/tabiyas", {"title": str(n), "start": {}})[0]
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            statuses = list(pool.map(save, range(200)))
        kept = {int(tabiya["title"]) for tabiya in player.ask("GET", "/api/tabiyas")[1]}
        lost = [n for n, status in enumerate(statuses) if status == 201 and n not in kept]
        assert not lost and set(statuses) == {201}, f"{len(lost)} lost, statuses {set(statuses)}"
        return "200 saved at once, 200 there"


def slow_clients(args):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    with server(args.binary, descriptors=1024) as running, contextlib.ExitStack() as stack:
        address = ("127.0.0.1", running.port)
        body = stack.enter_context(socket.create_connection(address))
        body.sendall(b"POST /api/games HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{")
        for _ in range(1100):
            half_open = stack.enter_context(socket.create_connection(address, timeout=10))
            half_open.sendall(b"GET / HTTP/1.1\r\nhost:")
        begun = time.monotonic()
        status, _ = Player(running).ask("GET", "/api/minds", timeout=20)
        waited = time.monotonic() - begun
        assert status == 200
        half_open.settimeout(40)
        with contextlib.suppress(ConnectionError):
            assert half_open.recv(1000).startswith((b"", b"HTTP/1.1 408"))
        body.settimeout(40)
        with contextlib.suppress(ConnectionError):
            answer = body.recv(10_000)
            assert answer == b"" or b" 408 " in answer, answer
        slow = time.monotonic() - begun
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return f"1,100 half-open connections: answered in {waited:.2f} s; the slow were hung up on within {slow:.0f} s"


def raw(running, request):
    with socket.create_connection(("127.0.0.1", running.port), timeout=20) as line:
        line.sendall(request.encode())
        return int(line.recv(1000).split()[1])


def other_sites(args):
    with server(args.binary) as running:
        end = "connection: close\r\n\r\n"
        table = [
            ("GET /api/minds HTTP/1.1\r\nhost: localhost\r\n", {200}),
            ("GET /api/minds HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\n", {400}),
            ("GET /api/minds HTTP/1.1\r\nhost: localhost\r\norigin: http://localhost\r\norigin: http://x\r\n", {400, 403}),
            ("GET http://evil.example/api/minds HTTP/1.1\r\nhost: localhost\r\n", {400, 421}),
            ("GET /api/minds HTTP/1.1\r\nhost: [[[127.0.0.1]]]\r\n", {400, 421}),
            ("GET /api/openings?q=a HTTP/1.1\r\nhost: localhost\r\nsec-fetch-site: cross-site\r\n", {403}),
            ("GET /api/minds HTTP/1.1\r\nhost: evil.example\r\n", {421}),
        ]
        for request, expected in table:
            status = raw(running, request + end)
            assert status in expected, f"{status} to {request!r}"
        status = raw(running, f"GET /api/openings?q={'a+' * 30000} HTTP/1.1\r\nhost: localhost\r\n{end}")
        assert 400 <= status < 500, f"{status} to a search of 30,000 words"
        return f"{len(table)} requests answered or refused as they should be; a search of 30,000 words gets {status}"


def many_questions(args):
    with server(args.binary) as running:
        answers, lock = [], threading.Lock()

        def ask(_):
            status, answer = Player(running).ask("POST", "/api/opinions", {"fen": LEGAL})
            with lock:
                answers.append((status, str(answer)))

        with concurrent.futures.ThreadPoolExecutor(60) as pool:
            list(pool.map(ask, range(60)))
        statuses = [status for status, _ in answers]
        assert set(statuses) <= {200, 503} and 200 in statuses, set(statuses)
        assert all("error" in text for status, text in answers if status == 503)
        return f"of 60 at once {statuses.count(200)} were answered and {statuses.count(503)} refused with 503 and a sentence"


ATTACKS = [hostile_positions, positions_at_once, slow_clients, other_sites, many_questions]
