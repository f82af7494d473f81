"""A place where Redis may be: a real server, one that hangs, one that only looks so, or nothing."""

import signal
import socket
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import redis

from nekonymous_site.embedded.server_binaries import find_server_binaries
from tests.sandbox.sandbox_process import await_that


class RedisPlace:
    """A unix socket, and whatever listens on it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "r.sock"
        self._server: subprocess.Popen[bytes] | None = None
        self._listener: socket.socket | None = None

    @property
    def url(self) -> str:
        return f"unix://{self.path}?db=0"

    def start(self, *options: str) -> None:
        """Run the real server, empty."""
        self.end()
        binary = find_server_binaries().valkey_server
        place = ("--port", "0", "--unixsocket", str(self.path), "--save", "", "--dir", str(self.path.parent))
        self._server = subprocess.Popen([binary, *place, *options], stdout=subprocess.DEVNULL)
        await_that(self._answers, what="the server")

    def start_and_hang(self) -> None:
        """Stop the real server where it is: connections are taken by the kernel, and nobody answers."""
        self.start()
        self.hang()

    def hang(self) -> None:
        assert self._server is not None
        self._server.send_signal(signal.SIGSTOP)

    def be_nothing_but_a_listener(self, *, answer: bytes | None) -> None:
        """Take connections and never answer, or answer what no server would."""
        self.end()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen(100)
        if answer is not None:
            threading.Thread(target=_answer_everybody, args=(self._listener, answer), daemon=True).start()

    def end(self) -> None:
        """Be nothing at all."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        if self._server is not None:
            self._server.kill()
            self._server.wait(timeout=5)
            self._server = None
        self.path.unlink(missing_ok=True)

    def _answers(self) -> bool:
        try:
            with redis.Redis(unix_socket_path=str(self.path)) as client:
                return bool(client.ping())
        except redis.ConnectionError:
            return False


TROUBLES: dict[str, Callable[[RedisPlace], None]] = {
    "not there": RedisPlace.end,
    "hanging": RedisPlace.start_and_hang,
    "silent": lambda place: place.be_nothing_but_a_listener(answer=None),
    "nonsense": lambda place: place.be_nothing_but_a_listener(answer=b"HTTP/1.1 400 Bad Request\r\n\r\n"),
    "refusing": lambda place: place.be_nothing_but_a_listener(answer=b"-NOAUTH Authentication required.\r\n"),
    "full": lambda place: place.start("--maxmemory", "1", "--maxmemory-policy", "noeviction"),
}


def _answer_everybody(listener: socket.socket, answer: bytes) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            connection.recv(1024)
            connection.sendall(answer)
