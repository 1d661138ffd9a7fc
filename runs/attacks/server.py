"""A server on a free port, and players who talk to it."""

import contextlib
import http.client
import json
import os
import resource
import signal
import socket
import subprocess
import tempfile
import time

ROOM = 1 << 20


def until(holds, seconds, what):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.02)


class Server:
    def __init__(self, binary, data, descriptors=None):
        self.binary, self.data, self.descriptors = binary, data, descriptors
        self.process = None
        self.start()

    def start(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

        def prepare():
            # A file that may not grow is an error for the server and not its end.
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            if self.descriptors:
                resource.setrlimit(resource.RLIMIT_NOFILE, (self.descriptors, self.descriptors))

        command = [self.binary, "play", "--port", str(self.port), "--data", self.data]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, preexec_fn=prepare, **quiet)
        until(self.answers, 60, "the server starts")

    def answers(self):
        try:
            return Player(self).ask("GET", "/api/minds")[0] == 200
        except OSError:
            return False

    def kill(self):
        self.process.kill()
        self.process.wait()

    def status(self, field):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith(field))

    def megabytes(self):
        return self.status("VmRSS:") // 1024

    def threads(self):
        return self.status("Threads:")


class Player:
    """One client with a cookie."""

    def __init__(self, server):
        self.server, self.cookie = server, None

    def ask(self, method, path, value=None, headers=None, timeout=60):
        """The status and the answer; JSON where it is JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=timeout)
        with contextlib.closing(connection):
            sent = dict(headers or {})
            if self.cookie:
                sent["cookie"] = self.cookie
            body = None
            if value is not None:
                body, sent["content-type"] = json.dumps(value), "application/json"
            connection.request(method, path, body, sent)
            response = connection.getresponse()
            text = response.read()
            given = response.getheader("set-cookie")
            if given:
                self.cookie = given.split(";")[0]
            try:
                return response.status, json.loads(text)
            except ValueError:
                return response.status, text.decode(errors="replace")

    def begin(self, **changes):
        setup = {"mind": "heuristic:alpha-beta", "rating": 1500, "own_rating": 1500, "color": "white", "time": None, "pace": "at_once"}
        return self.ask("POST", "/api/games", setup | changes)

    def act(self, game, **action):
        return self.ask("POST", f"/api/games/{game}/actions", action)

    def game(self, game):
        return self.ask("GET", f"/api/games/{game}")


@contextlib.contextmanager
def server(binary, descriptors=None):
    with tempfile.TemporaryDirectory() as data:
        running = Server(binary, data, descriptors)
        try:
            yield running
        finally:
            running.kill()


class Disk:
    """A folder on a disk that can be filled and freed: a tmpfs, and every other time, or where none can be mounted, a limit on the
    size of the server's files. A full tmpfs still takes what fits into the last page of a file, the limit takes nothing."""

    def __init__(self, folder):
        self.folder = folder
        options = ["-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", folder]
        self.mounted = subprocess.run(["mount", *options], capture_output=True).returncode == 0
        self.name = "tmpfs and size limit" if self.mounted else "size limit"
        self.times = 0

    def fill(self, server):
        self.times += 1
        if not self.mounted or self.times % 2:
            return resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        with open(os.path.join(self.folder, "filler"), "wb", buffering=0) as filler, contextlib.suppress(OSError):
            while True:
                filler.write(bytes(512))

    def free(self, server):
        # The server may have been killed in the meantime.
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        with contextlib.suppress(FileNotFoundError):
            os.remove(os.path.join(self.folder, "filler"))

    def close(self):
        if self.mounted:
            subprocess.run(["umount", "-l", self.folder], check=True)
