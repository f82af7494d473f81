"""The floor of `bench` is the accept that was recorded, and a run whose floor is something else fails."""

import re
from collections.abc import Iterator

import pytest
from django.db import connection
from pytest_django.fixtures import Settings
from stored_rows import read_value

from nekonymous_site.benchmarks.accept_recording import AcceptRecording, record_accepts
from nekonymous_site.benchmarks.failures import BenchmarkFailed
from nekonymous_site.benchmarks.floor_benchmark import FloorBenchmark
from nekonymous_site.benchmarks.floor_people import make_people
from nekonymous_site.benchmarks.floor_script import write_floor_script
from nekonymous_site.benchmarks.floor_values import FloorValue, Owner
from nekonymous_site.benchmarks.made_up_people import RECIPIENTS, empty_inboxes, make_recipients
from nekonymous_site.benchmarks.row_counters import RowChanges, count_rows
from nekonymous_site.benchmarks.webhook_requests import WebhookRequests
from nekonymous_site.rate_limits import Rates


@pytest.fixture
def recording(transactional_db: None, settings: Settings) -> Iterator[AcceptRecording]:
    settings.NEKO_RATES = Rates(updates=10**6, first_messages=10**6)  # the same people in each test
    try:
        yield record_accepts(WebhookRequests(secret="s", slugs=make_recipients()))
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP SCHEMA IF EXISTS floor_kept CASCADE")


def _without_values(sql: str) -> str:
    """The words of a statement up to its first value."""
    return " ".join(re.split(r"\$\d|substr\(|\(\d|:", sql, maxsplit=1)[0].split()).rstrip("(; ")


def test_the_floor_is_the_recorded_accept(recording: AcceptRecording) -> None:
    script = write_floor_script(recording, recipients=7).text
    turns = re.findall(r"\\startpipeline\n(.*?)\\endpipeline", script, flags=re.DOTALL)
    together = [turn for turn in recording.first if len(turn) > 1]
    assert len(turns) == len(together) == 3
    for lines, turn in zip(turns, together, strict=True):
        written = [_without_values(statement) for statement in lines.strip().removesuffix(";").split(";\n")]
        assert written == [_without_values(sent.sql) for sent in turn]
    assert script.index("BEGIN;") < script.index("\\startpipeline")
    assert script.endswith("\\endpipeline\nCOMMIT;\n")


def test_values_belong_to_whom_they_change_with(recording: AcceptRecording) -> None:
    [(_, actor_lock), (_, inbox_lock)] = [
        (sent.sql, sent.values[0])
        for turn in recording.first
        for sent in turn
        if "pg_advisory_xact_lock" in sent.sql
    ]
    values = write_floor_script(recording, recipients=7).values
    assert {value.owner for value in values if value.raw == actor_lock} == {Owner.SENDER}
    assert {value.owner for value in values if value.raw == inbox_lock} == {Owner.RECIPIENT}
    assert sum(value.owner is Owner.MESSAGE for value in values) >= 5


def test_the_rows_that_it_reads_are_there(recording: AcceptRecording) -> None:
    """Sender and recipient are copied whole: a link that is missing would make the gate cheaper, unseen."""
    values = write_floor_script(recording, recipients=RECIPIENTS).values
    empty_inboxes()
    before = count_rows()
    make_people(values, counts={Owner.SENDER: 8, Owner.RECIPIENT: RECIPIENTS})
    added = {table: count - before[table] for table, count in count_rows().items() if count != before[table]}
    intents = added.pop("outbox.intent")
    assert added == {
        "accounts.account": 8 + RECIPIENTS,
        "accounts.public_link": 8 + RECIPIENTS,
        "accounts.draft": 8,
        "outbox.lane": 8,
    }
    assert intents >= 8, "the answers to the links that they opened wait in their lanes"
    assert intents % 8 == 0
    assert _gates_open(values) == RECIPIENTS


def _gates_open(values: tuple[FloorValue, ...]) -> object:
    """How many recipients' links are found by the very terms that the script uses."""
    slug, account = (
        next(value for value in values if value.owner is Owner.RECIPIENT and len(value.raw) == length)
        for length in (22, 16)
    )
    return read_value(
        f"""
        SELECT count(*)::int FROM generate_series(0, {RECIPIENTS - 1}) AS number
        JOIN accounts.public_link ON slug = {slug.expression("number")}
            AND account_id = {account.expression("number")} AND active
        """  # noqa: S608 - numbers and made-up hashes
    )


def test_a_floor_that_writes_other_rows_is_told(recording: AcceptRecording) -> None:
    floor = FloorBenchmark(recording)
    floor.warm_up(clients=2, transactions=8)
    assert floor.measure(clients=2, transactions=8).transactions == 8
    floor._row_changes = RowChanges(frozenset({("tickets.ticket", 1, 0, 0)}))
    with pytest.raises(BenchmarkFailed, match=r"stats\.event: 8 rows instead of 0"):
        floor.measure(clients=2, transactions=8)
