"""The embedded Valkey: a broker and a cache behind a socket, of which nothing is kept."""

import signal
import socket
from dataclasses import dataclass
from pathlib import Path

from nekonymous_site.embedded.child_process import ChildPlan, PassedFolder
from nekonymous_site.embedded.postgres_server import SERVER_ENVIRON
from nekonymous_site.embedded.server_user import ServerUser

SOCKET_NAME = "valkey.sock"
ANSWER_SECONDS = 1.0
LONGEST_ANSWER_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ValkeyServer:
    """One server and the folder of its socket."""

    run: Path
    program: Path
    user: ServerUser | None

    def plan(self) -> ChildPlan:
        """How to run it. Rate buckets must not survive, and a crash report would quote what it held."""
        return ChildPlan(
            name="valkey",
            argv=(
                str(self.program),
                *("--port", "0", "--unixsocketperm", "700", "--daemonize", "no", "--loglevel", "notice"),
                "--unixsocket",
                PassedFolder(path=self.run, after=f"/{SOCKET_NAME}"),
                "--dir",
                PassedFolder(path=self.run),
                *("--save", "", "--appendonly", "no", "--maxmemory-policy", "noeviction"),
                # Rings that nobody takes must not fill the machine: past this they are refused.
                *("--maxmemory", "64mb"),
                *("--crash-log-enabled", "no", "--set-proc-title", "no"),
            ),
            environ=SERVER_ENVIRON,
            stop_signals=(signal.SIGTERM,),
            user=self.user,
        )

    def is_ready(self, pid: int) -> bool:
        """Whether this very process answers on the socket."""
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
                connection.settimeout(ANSWER_SECONDS)
                connection.connect(str(self.run / SOCKET_NAME))
                if _ask(connection, b"PING") != b"+PONG\r\n":
                    return False
                return b"\r\nprocess_id:%d\r\n" % pid in _ask(connection, b"INFO", b"server")
        except OSError:
            return False


def _ask(connection: socket.socket, *words: bytes) -> bytes:
    """Send one command in the wire format and read its answer: one line, or one bulk string."""
    request = b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)
    connection.sendall(request)
    with connection.makefile("rb", buffering=0) as answer:
        first_line = answer.readline(LONGEST_ANSWER_BYTES)
        if not first_line.startswith(b"$"):
            return first_line
        return _read_exactly(connection, min(int(first_line[1:]), LONGEST_ANSWER_BYTES))


def _read_exactly(connection: socket.socket, count: int) -> bytes:
    received = b""
    while len(received) < count and (chunk := connection.recv(count - len(received))):
        received += chunk
    return received
