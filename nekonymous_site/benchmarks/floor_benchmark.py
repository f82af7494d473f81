"""The floor under an accept: its own statements, in its own turns, without any of our code around them."""

import time
from dataclasses import dataclass
from typing import Final

from nekonymous_site.benchmarks.accept_recording import AcceptRecording
from nekonymous_site.benchmarks.durability import read_wal_position
from nekonymous_site.benchmarks.failures import BenchmarkFailed
from nekonymous_site.benchmarks.floor_people import make_people
from nekonymous_site.benchmarks.floor_script import write_floor_script
from nekonymous_site.benchmarks.floor_values import Owner
from nekonymous_site.benchmarks.made_up_people import RECIPIENTS, empty_inboxes
from nekonymous_site.benchmarks.pgbench import run_pgbench
from nekonymous_site.benchmarks.row_counters import check_added, count_rows, read_row_counters

_COUNTERS_SECONDS: Final = 5  # until ended connections have handed in what they have counted


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorRound:
    """What one round of the floor has shown."""

    transactions: int
    per_second: float
    average_ms: float
    wal_bytes: int


class FloorBenchmark:
    """Runs the floor on people of its own, and checks that it writes what the accept writes."""

    def __init__(self, recording: AcceptRecording) -> None:
        self._row_changes = recording.row_changes
        self._script = write_floor_script(recording, recipients=RECIPIENTS)

    def warm_up(self, *, clients: int, transactions: int) -> None:
        """Run it once, and compare every counter of rows. Nothing else may have written meanwhile."""
        self._prepare(transactions)
        before = read_row_counters()
        figures = run_pgbench(self._script, clients=clients, transactions=transactions)
        expected = self._row_changes.times(figures.transactions)
        deadline = time.monotonic() + _COUNTERS_SECONDS
        while (written := read_row_counters().since(before)) != expected:
            if time.monotonic() > deadline:
                raise BenchmarkFailed(
                    f"the floor writes other rows than the accept: {written} instead of {expected}"
                )
            time.sleep(0.05)

    def measure(self, *, clients: int, transactions: int) -> FloorRound:
        """Run one round. Raises BenchmarkFailed when it leaves other rows than so many accepts."""
        self._prepare(transactions)
        rows, position = count_rows(), read_wal_position()
        figures = run_pgbench(self._script, clients=clients, transactions=transactions)
        wal_bytes = read_wal_position() - position
        check_added(rows, self._row_changes.times(figures.transactions))
        return FloorRound(
            transactions=figures.transactions,
            per_second=figures.per_second,
            average_ms=figures.average_ms,
            wal_bytes=wal_bytes,
        )

    def _prepare(self, transactions: int) -> None:
        empty_inboxes()
        make_people(self._script.values, counts={Owner.SENDER: transactions, Owner.RECIPIENT: RECIPIENTS})
