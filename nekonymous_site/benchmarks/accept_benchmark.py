"""The accept as Telegram meets it: a message posted to the webhook until its 200, on the real web process.

Only the update that becomes a ticket is measured. Its draft is opened before, through the webhook too, and
inboxes are emptied between rounds. No workers run; the web process rings the bell for them as always.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from django.conf import settings

from nekonymous_site.benchmarks.accept_recording import AcceptRecording
from nekonymous_site.benchmarks.durability import read_wal_position
from nekonymous_site.benchmarks.failures import BenchmarkFailed
from nekonymous_site.benchmarks.load_generator import Address, LoadFigures, deal_out, run_load
from nekonymous_site.benchmarks.made_up_people import empty_inboxes
from nekonymous_site.benchmarks.row_counters import check_added, count_rows
from nekonymous_site.benchmarks.webhook_requests import WebhookRequests

# Rounds are written by other people in turn, so that nobody is too fast: 20 updates in ten seconds are
# allowed, 30 first messages in an hour, and each round takes one of the latter and two of the former.
_SETS_OF_PEOPLE: Final = 4
MOST_ROUNDS: Final = 10 * _SETS_OF_PEOPLE
_OPENING_CLIENTS: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptRound:
    """What one round has shown; every message of it has become a ticket, and none was refused."""

    messages: int
    tickets: int
    per_second: float
    durations: tuple[float, ...] = field(repr=False)
    refused: int
    wal_bytes: int


class AcceptBenchmark:
    """Posts to the web process that runs beside this one."""

    def __init__(self, makes: WebhookRequests, recording: AcceptRecording) -> None:
        self._makes = makes
        self._row_changes = recording.row_changes
        self._address: Address = ("127.0.0.1", settings.NEKO.port)
        self._rounds = count()

    def measure(self, *, clients: int, messages: int) -> AcceptRound:
        """Run one round. Raises BenchmarkFailed when anything is refused or other rows are written."""
        people = self._next_people(messages)
        empty_inboxes()
        self._open_drafts(people)
        requests = [self._makes.post(self._makes.message(person)) for person in people]
        rows, position = count_rows(), read_wal_position()
        figures = self._load(requests, clients=clients, expected=200)
        wal_bytes = read_wal_position() - position
        if figures.refused:
            raise BenchmarkFailed(f"{figures.refused} messages were refused")
        check_added(rows, self._row_changes.times(messages))
        return AcceptRound(
            messages=messages,
            tickets=count_rows()["tickets.ticket"] - rows["tickets.ticket"],
            per_second=figures.per_second,
            durations=figures.durations,
            refused=figures.refused,
            wal_bytes=wal_bytes,
        )

    def measure_bare_answer(self, *, clients: int, requests: int) -> float:
        """How many answers a second the same generator gets where next to nothing is done for them.

        The same request without the webhook's secret: it passes the web server, Django and the routes, and is
        refused before its body is read.
        """
        strangers = [self._makes.strangers_post(self._makes.message(number)) for number in range(requests)]
        figures = self._load(strangers, clients=clients, expected=401)
        if figures.refused:
            raise BenchmarkFailed("a stranger's request was not answered with 401")
        return figures.per_second

    def _next_people(self, messages: int) -> range:
        first = (next(self._rounds) % _SETS_OF_PEOPLE) * messages
        return range(first, first + messages)

    def _open_drafts(self, people: range) -> None:
        requests = [self._makes.post(self._makes.opening(person, recipient=person)) for person in people]
        if self._load(requests, clients=_OPENING_CLIENTS, expected=200).refused:
            raise BenchmarkFailed("a link could not be opened")

    def _load(self, requests: Sequence[bytes], *, clients: int, expected: int) -> LoadFigures:
        return run_load(self._address, deal_out(requests, clients=clients), expected=expected)
