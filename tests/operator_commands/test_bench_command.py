"""`bench` refuses what would give figures without meaning, and the floor is what it says it is."""

from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from nekonymous_site.benchmarks.accept_recording import record_accepts
from nekonymous_site.benchmarks.durability import read_durability
from nekonymous_site.benchmarks.failures import BenchmarkFailed
from nekonymous_site.benchmarks.floor_benchmark import FloorBenchmark
from nekonymous_site.benchmarks.made_up_people import make_recipients
from nekonymous_site.benchmarks.row_counters import RowChanges
from nekonymous_site.benchmarks.webhook_requests import WebhookRequests


@pytest.fixture
def without_kept_rows(transactional_db: None) -> Iterator[None]:
    """What a recording keeps would otherwise stay beside the planes."""
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP SCHEMA IF EXISTS floor_kept CASCADE")


@pytest.mark.usefixtures("without_kept_rows")
def test_a_floor_that_writes_other_rows_is_told() -> None:
    recording = record_accepts(WebhookRequests(secret="s", slugs=make_recipients()))
    floor = FloorBenchmark(recording)
    floor.warm_up(clients=2, transactions=8)
    assert floor.measure(clients=2, transactions=8).transactions == 8
    floor._row_changes = RowChanges(frozenset({("tickets.ticket", 1, 0, 0)}))
    with pytest.raises(BenchmarkFailed, match=r"stats\.event: 8 rows instead of 0"):
        floor.measure(clients=2, transactions=8)


@pytest.mark.django_db
def test_commits_that_are_not_durable_are_refused() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")
    with pytest.raises(BenchmarkFailed, match="synchronous_commit is off"):
        read_durability()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["accept", "--clients", "0"], "numbers from 1 to 64"),
        (["accept", "--clients", "8,many"], "numbers from 1 to 64"),
        (["floor", "--updates", "9000"], "from 64 to 8000"),
        (["floor", "--rounds", "-1"], "from 1 to 9"),
        (["web", "--rounds", "2"], "no rounds"),
        (["accept", "--clients", "1,2,3,4,5", "--rounds", "9"], "more than 39 rounds"),
    ],
)
def test_what_is_out_of_bounds_is_refused(arguments: list[str], told: str) -> None:
    with pytest.raises(CommandError, match=told):
        call_command("bench", *arguments)
