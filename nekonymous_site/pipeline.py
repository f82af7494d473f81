"""One durable transaction with one shared psycopg pipeline in it.

The planes offer their statements as small functions that queue into a `StatementPipeline`; nothing travels
until an answer is read or the transaction commits. A whole accept takes five turns on the wire that way:
BEGIN, two reads, the writes, COMMIT (docs/decisions/0003-pipelined-plane-statements.md), and a health check
before them where the connection has been idle (0020). The pipeline is opened inside the transaction, since
around it Django's own statements would add empty synchronisations.
"""

import select
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, Generic, LiteralString, TypeVar

import psycopg
from django.db import connection, transaction

from nekonymous_site import failpoints
from nekonymous_site.failpoints import Boundary, Entry

Row = tuple[Any, ...]
Parameters = Sequence[object] | Mapping[str, object]
T = TypeVar("T")

# A connection that has committed so lately need not be asked whether it is still there. Where the way to
# Postgres swallows connections without a word, one that was idle for longer must be.
PROVEN_SECONDS: Final = 5.0


class Answer(Generic[T]):
    """What a queued statement will have said; reading `value` waits for it."""

    __slots__ = ("_cursor", "_read", "_value")

    def __init__(self, cursor: psycopg.Cursor[Row], *, read: Callable[[list[Row]], T]) -> None:
        self._cursor: psycopg.Cursor[Row] | None = cursor
        self._read = read
        self._value: T

    @property
    def value(self) -> T:
        if self._cursor is not None:
            self._value = self._read(self._cursor.fetchall())
            self._cursor = None
        return self._value


class StatementPipeline:
    """Queues statements on the connection of the open durable transaction."""

    __slots__ = ("_connection", "entry")

    def __init__(self, raw_connection: psycopg.Connection[Row], *, entry: Entry | None = None) -> None:
        self._connection = raw_connection
        # Whose failpoints are passed at the end; whoever finds nothing to do takes it away.
        self.entry = entry

    def queue(
        self, sql: LiteralString, parameters: Parameters = (), *, read: Callable[[list[Row]], T]
    ) -> Answer[T]:
        """Queue one statement whose rows `read` turns into a value."""
        return Answer(self._execute(sql, parameters), read=read)

    def queue_write(self, sql: LiteralString, parameters: Parameters = ()) -> None:
        """Queue one statement whose outcome nobody reads.

        An error in it appears with the next answer or when the pipeline ends, and fails the transaction.
        """
        self._execute(sql, parameters)

    def _execute(self, sql: LiteralString, parameters: Parameters) -> psycopg.Cursor[Row]:
        cursor: psycopg.Cursor[Row] = psycopg.Cursor(self._connection)
        cursor.execute(sql, parameters)
        return cursor


@contextmanager
def durable_transaction(entry: Entry | None = None) -> Iterator[StatementPipeline]:
    """Open the one durable transaction of an entry (an update, a worker's step, a command).

    Commits when the block ends, rolls back when it raises. Raises RuntimeError when nested in another
    transaction, so that no workflow can commit behind its caller's back. No network call belongs inside.
    `entry` names the failpoints at its boundaries.
    """
    failpoints.reach_boundary(entry, Boundary.BEFORE_TRANSACTION)
    _ensure_healthy_connection()
    raw_connection = connection.connection
    with connection.wrap_database_errors, transaction.atomic(durable=True), raw_connection.pipeline() as wire:
        pipeline = StatementPipeline(raw_connection, entry=entry)
        yield pipeline
        if failpoints.are_on():
            wire.sync()  # so that Postgres has done everything but the commit
            failpoints.reach_boundary(pipeline.entry, Boundary.BEFORE_COMMIT)
    _last_commit.note(raw_connection)
    failpoints.reach_boundary(pipeline.entry, Boundary.AFTER_COMMIT)


class _LastCommit(threading.local):
    """The connection on which this thread has committed last, and when."""

    connection: psycopg.Connection[Row] | None = None
    at: float = 0.0

    def note(self, raw_connection: psycopg.Connection[Row]) -> None:
        self.connection = raw_connection
        self.at = time.monotonic()

    def proves(self, raw_connection: psycopg.Connection[Row] | None) -> bool:
        """Whether this connection has committed lately and nothing has come from the server since.

        What ends a connection, a restart or a command, says so on it before anybody is told.
        """
        if raw_connection is None or raw_connection is not self.connection or raw_connection.closed:
            return False
        return time.monotonic() - self.at <= PROVEN_SECONDS and not has_something_to_read(raw_connection)


_last_commit = _LastCommit()


def has_something_to_read(raw_connection: psycopg.Connection[Row]) -> bool:
    """Whether the server has sent something that nobody has asked for. Does not wait."""
    watch = select.poll()
    watch.register(raw_connection.fileno(), select.POLLIN)
    return bool(watch.poll(0))


def _ensure_healthy_connection() -> None:
    # Outside of requests nobody else lets go of a connection that a restart of Postgres has broken.
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()
        if _last_commit.proves(connection.connection):
            # The stubs do not know it.
            connection.health_check_done = True  # type: ignore[attr-defined]
        else:
            connection.close_if_health_check_failed()
    connection.ensure_connection()


def first_row(rows: list[Row]) -> Row | None:
    """Read at most one row."""
    return rows[0] if rows else None


def any_row(rows: list[Row]) -> bool:
    """Read whether the statement gave or touched a row (with RETURNING)."""
    return bool(rows)
