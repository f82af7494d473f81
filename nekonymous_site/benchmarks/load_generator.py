"""A bounded HTTP load from one thread: ready-made requests over kept connections, and nothing but that.

Every request is built before the clock starts, and of an answer only its status and length are read, since
generator and servers share the processors.
"""

import selectors
import socket
import statistics
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final

from nekonymous_site.benchmarks.failures import BenchmarkFailed

ANSWER_SECONDS: Final = 30
_CHUNK_BYTES: Final = 65_536
_LENGTH: Final = b"content-length:"

Address = tuple[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadFigures:
    """What a load has shown: how long it took, how long each answer took, and which ones were refused."""

    seconds: float
    durations: tuple[float, ...] = field(repr=False)
    refused: int

    @property
    def per_second(self) -> float:
        return len(self.durations) / self.seconds


def quantiles_ms(durations: Sequence[float]) -> tuple[float, float, float]:
    """Give p50, p95 and p99 in milliseconds."""
    cuts = statistics.quantiles(durations, n=100, method="inclusive")
    return cuts[49] * 1000, cuts[94] * 1000, cuts[98] * 1000


class _Client:
    """One kept connection, with what it still has to send."""

    def __init__(self, address: Address, requests: Sequence[bytes]) -> None:
        self.socket = socket.create_connection(address, timeout=ANSWER_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.durations: list[float] = []
        self.refused = 0
        self._requests = iter(requests)
        self._received = b""
        self._sent_at = 0.0

    def send_next(self) -> bool:
        """Send the next request; False when none is left."""
        request = next(self._requests, None)
        if request is None:
            return False
        self._sent_at = time.perf_counter()
        self.socket.sendall(request)
        return True

    def receive(self, *, expected: bytes) -> bool:
        """Read what has come; True when that was the rest of an answer."""
        data = self.socket.recv(_CHUNK_BYTES)
        if not data:
            raise BenchmarkFailed("the web server has closed a connection")
        self._received += data
        if not _is_whole(self._received):
            return False
        self.durations.append(time.perf_counter() - self._sent_at)
        self.refused += self._received[9:12] != expected
        self._received = b""
        return True


def run_load(
    address: Address, requests_of_clients: Sequence[Sequence[bytes]], *, expected: int
) -> LoadFigures:
    """Send each client's requests, one after another over a connection of its own, all clients at once.

    `expected` is the status that is no refusal. Raises BenchmarkFailed when an answer stays away.
    """
    try:
        return _run_load(address, requests_of_clients, expected=str(expected).encode())
    except OSError as error:
        raise BenchmarkFailed(f"the web process at port {address[1]} cannot be used: {error}") from error


def _run_load(
    address: Address, requests_of_clients: Sequence[Sequence[bytes]], *, expected: bytes
) -> LoadFigures:
    with ExitStack() as at_end:
        selector = at_end.enter_context(selectors.DefaultSelector())
        clients = [_Client(address, requests) for requests in requests_of_clients if requests]
        for client in clients:
            at_end.callback(client.socket.close)
            selector.register(client.socket, selectors.EVENT_READ, client)
        started = time.perf_counter()
        for client in clients:
            client.send_next()
        busy = len(clients)
        while busy:
            ready = selector.select(ANSWER_SECONDS)
            if not ready:
                raise BenchmarkFailed(f"no answer within {ANSWER_SECONDS} s")
            for key, _events in ready:
                if key.data.receive(expected=expected) and not key.data.send_next():
                    selector.unregister(key.fileobj)
                    busy -= 1
        seconds = time.perf_counter() - started
    return LoadFigures(
        seconds=seconds,
        durations=tuple(duration for client in clients for duration in client.durations),
        refused=sum(client.refused for client in clients),
    )


def deal_out(requests: Sequence[bytes], *, clients: int) -> list[Sequence[bytes]]:
    """Deal requests to so many clients in turn."""
    return [requests[number::clients] for number in range(clients)]


def _is_whole(received: bytes) -> bool:
    head, blank_line, body = received.partition(b"\r\n\r\n")
    if not blank_line:
        return False
    start = head.lower().find(_LENGTH)
    if start < 0:
        raise BenchmarkFailed("an answer does not tell its length")
    return len(body) >= int(head[start + len(_LENGTH) :].split(b"\r\n", 1)[0])
