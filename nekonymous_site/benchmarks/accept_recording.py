"""Accepts that are taken in this process and recorded: what one costs, and what the floor is made of.

Nothing of an accept is written down here: change its code, and the next run records something else.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import connection

from nekonymous_site.benchmarks.failures import BenchmarkFailed
from nekonymous_site.benchmarks.plane_tables import keep_rows
from nekonymous_site.benchmarks.row_counters import RowChanges, read_row_counters
from nekonymous_site.benchmarks.webhook_requests import WebhookRequests
from nekonymous_site.benchmarks.wire_recorder import Turn, WireRecorder, recorded_connection
from nekonymous_site.bot.update_intake import take_update


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptRecording:
    """Four accepts: one, another just like it, one by another sender, one for another recipient.

    `row_changes` are those of one accept.
    """

    first: tuple[Turn, ...]
    again: tuple[Turn, ...]
    other_sender: tuple[Turn, ...]
    other_recipient: tuple[Turn, ...]
    row_changes: RowChanges

    @property
    def statements(self) -> int:
        return sum(map(len, self.first))

    @property
    def turns(self) -> int:
        return len(self.first)

    @property
    def commits(self) -> int:
        return sum(statement.sql == "COMMIT" for turn in self.first for statement in turn)


def record_accepts(makes: WebhookRequests) -> AcceptRecording:
    """Take messages of two people and record what travels; keeps the rows that were there before.

    Raises BenchmarkFailed when they are not all accepted in the same way.
    """
    one, other = makes.newcomer(), makes.newcomer()
    with _quiet_intake(), recorded_connection() as recorder:
        for person in (one, other):
            _take(makes.opening(person, recipient=0))
        keep_rows()
        takes = [
            _record(makes, recorder, sender=sender, recipient=recipient)
            for sender, recipient in ((one, 0), (one, 0), (other, 0), (one, 1))
        ]
    shapes = {tuple(tuple(sent.sql for sent in turn) for turn in turns) for turns, _changes in takes}
    changes = {changes for _turns, changes in takes}
    if len(shapes) != 1 or len(changes) != 1:
        raise BenchmarkFailed("accepts differ among each other in statements or rows")
    first, again, other_sender, other_recipient = (turns for turns, _changes in takes)
    return AcceptRecording(
        first=first,
        again=again,
        other_sender=other_sender,
        other_recipient=other_recipient,
        row_changes=changes.pop(),
    )


@contextmanager
def _quiet_intake() -> Iterator[None]:
    """Keep the lines about updates that were taken out of the figures."""
    logger = logging.getLogger("intake")
    before = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(before)


def _record(
    makes: WebhookRequests, recorder: WireRecorder, *, sender: int, recipient: int
) -> tuple[tuple[Turn, ...], RowChanges]:
    _take(makes.opening(sender, recipient=recipient))
    tickets, before = _count_tickets(), read_row_counters()
    recorder.take_turns()
    _take(makes.message(sender))
    turns = recorder.take_turns()
    if _count_tickets() != tickets + 1:
        raise BenchmarkFailed("a message did not become a ticket")
    return turns, read_row_counters().since(before)


def _take(update: bytes) -> None:
    answer = take_update(update)
    if answer.status != 200 or answer.body is not None:
        raise BenchmarkFailed(f"an update was answered with {answer.status}")


def _count_tickets() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM tickets.ticket")
        [(count,)] = cursor.fetchall()
    return int(count)
