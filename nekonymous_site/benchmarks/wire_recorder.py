"""What passes between this process and Postgres, read off the wire.

A relay stands between libpq and the server and understands just enough of the protocol to tell which
statements with which values travel together, and how often somebody waits for an answer.
"""

import selectors
import socket
import struct
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from django.db import connection

from nekonymous_site.benchmarks.failures import BenchmarkFailed

_SOCKET_NAME: Final = ".s.PGSQL.5432"
_CHUNK_BYTES: Final = 65_536
_CONNECT_SECONDS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class WireStatement:
    """One statement as it was executed: types as the client named them (0: left to the server)."""

    sql: str
    type_oids: tuple[int, ...] = ()
    are_binary: tuple[bool, ...] = ()
    values: tuple[bytes | None, ...] = ()


Turn = tuple[WireStatement, ...]


class WireRecorder:
    """Collects the turns of one connection: whatever is sent before an answer comes is one turn."""

    def __init__(self) -> None:
        self._turns: list[list[WireStatement]] = []
        self._parsed: dict[bytes, tuple[str, tuple[int, ...]]] = {}
        self._bound: WireStatement | None = None
        self._unread = b""
        self._has_begun = False
        self._answered = True

    def take_turns(self) -> tuple[Turn, ...]:
        """Give the turns since the last call. A turn without statements only synchronises."""
        turns, self._turns = self._turns, []
        return tuple(tuple(turn) for turn in turns)

    def note_answer(self) -> None:
        self._answered = True

    def note_sent(self, data: bytes) -> None:
        """Read what the client has sent; messages may come in pieces."""
        if self._answered:
            self._turns.append([])
            self._answered = False
        self._unread += data
        while (message := self._next_message()) is not None:
            self._note_message(*message)

    def _next_message(self) -> tuple[bytes, bytes] | None:
        type_bytes = 1 if self._has_begun else 0  # the first message of a connection has no type
        if len(self._unread) < type_bytes + 4:
            return None
        (length,) = struct.unpack_from("!I", self._unread, type_bytes)
        end = type_bytes + length
        if len(self._unread) < end:
            return None
        message = self._unread[:type_bytes], self._unread[type_bytes + 4 : end]
        self._unread, self._has_begun = self._unread[end:], True
        return message

    def _note_message(self, kind: bytes, body: bytes) -> None:
        match kind:
            case b"Q":
                self._turns[-1].append(WireStatement(sql=body[:-1].decode()))
            case b"P":
                name, sql, rest = body.split(b"\0", 2)
                (count,) = struct.unpack_from("!H", rest)
                self._parsed[name] = sql.decode(), struct.unpack_from(f"!{count}I", rest, 2)
            case b"B":
                self._bound = self._read_bind(body)
            case b"E" if self._bound is not None:
                self._turns[-1].append(self._bound)

    def _read_bind(self, body: bytes) -> WireStatement:
        _portal, name, rest = body.split(b"\0", 2)
        (format_count,) = struct.unpack_from("!H", rest)
        formats = struct.unpack_from(f"!{format_count}H", rest, 2)
        position = 2 + 2 * format_count
        (count,) = struct.unpack_from("!H", rest, position)
        position += 2
        values: list[bytes | None] = []
        for _ in range(count):
            (length,) = struct.unpack_from("!i", rest, position)
            position += 4
            values.append(rest[position : position + length] if length >= 0 else None)
            position += max(length, 0)
        sql, type_oids = self._parsed[name]
        every = formats if format_count == count else (formats or (0,)) * count
        return WireStatement(
            sql=sql,
            type_oids=type_oids,
            are_binary=tuple(form == 1 for form in every[:count]),
            values=tuple(values),
        )


@contextmanager
def recorded_connection() -> Iterator[WireRecorder]:
    """Let Django's connection of this thread be a fresh one through the relay until the block ends.

    Statements are not prepared in it, so that each is seen with its text.
    """
    recorder = WireRecorder()
    place = connection.settings_dict
    options = place["OPTIONS"]
    before = {"HOST": place["HOST"], "PORT": place["PORT"], "OPTIONS": options}
    with ExitStack() as at_end:
        folder = Path(at_end.enter_context(tempfile.TemporaryDirectory(prefix="neko-wire-")))
        listener = at_end.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(str(folder / _SOCKET_NAME))
        listener.listen(1)
        listener.settimeout(_CONNECT_SECONDS)
        thread = threading.Thread(target=_relay, args=(listener, before, recorder), daemon=True)
        thread.start()
        connection.close()
        place.update(HOST=str(folder), PORT="", OPTIONS={**options, "prepare_threshold": None})
        try:
            yield recorder
        finally:
            connection.close()
            place.update(before)
            thread.join(_CONNECT_SECONDS)


def _relay(listener: socket.socket, place: Mapping[str, Any], recorder: WireRecorder) -> None:
    """Carry one connection's bytes both ways until either side ends."""
    client, _address = listener.accept()
    with client, _connect_to_server(place) as server, selectors.DefaultSelector() as selector:
        selector.register(client, selectors.EVENT_READ)
        selector.register(server, selectors.EVENT_READ)
        while True:
            for key, _events in selector.select():
                data = client.recv(_CHUNK_BYTES) if key.fileobj is client else server.recv(_CHUNK_BYTES)
                if not data:
                    return
                if key.fileobj is client:
                    recorder.note_sent(data)
                    server.sendall(data)
                else:
                    recorder.note_answer()
                    client.sendall(data)


def _connect_to_server(place: Mapping[str, Any]) -> socket.socket:
    host, port = str(place["HOST"]), int(place["PORT"] or 5432)
    if not host:
        raise BenchmarkFailed("DATABASE_URL must name a host or the folder of a socket")
    if not host.startswith("/"):
        return socket.create_connection((host, port), timeout=_CONNECT_SECONDS)
    server = socket.socket(socket.AF_UNIX)
    server.connect(f"{host}/.s.PGSQL.{port}")
    return server
