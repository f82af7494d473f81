"""Several folders at the same events, and folders that die: each event counts once, and nobody is stuck."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import psycopg
import pytest
from django.db import OperationalError, connection
from encounters import Encounter
from stored_rows import read_rows, read_value

import stats.services
from nekonymous_site.pipeline import StatementPipeline, durable_transaction
from stats.events import StatEvent
from tests.sandbox.sandbox_process import await_that

pytestmark = pytest.mark.django_db(transaction=True)
NAMES = (StatEvent.ACCOUNT_CREATED, StatEvent.INBOX_OPENED)


def _note(*events: StatEvent) -> None:
    with durable_transaction() as pipeline:
        for event in events:
            stats.services.queue_event(pipeline, event)


def _fold(*, limit: int = 500) -> int:
    with durable_transaction() as pipeline:
        return stats.services.queue_events_folded(pipeline, limit=limit).value


def _fold_and_stay(encounter: Encounter, *, limit: int) -> int:
    """Fold, and be at the place before the commit."""
    with durable_transaction() as pipeline:
        folded = stats.services.queue_events_folded(pipeline, limit=limit).value
        encounter.here()
        return folded


def _then(encounter: Encounter, work: Callable[[], int]) -> int:
    """Begin once the other is at the place."""
    assert encounter.was_reached()
    return work()


def _counts() -> dict[object, object]:
    rows = read_rows("SELECT name, sum(count)::int FROM stats.daily_count GROUP BY name")
    return {name: count for name, count in rows}  # noqa: C416 - dict() of rows of any length has no type


def test_two_folders_at_the_same_events_count_each_once() -> None:
    _note(*[StatEvent.INBOX_OPENED] * 10)
    encounter = Encounter()
    folds = encounter.run(
        partial(_fold_and_stay, encounter, limit=6), lambda: _then(encounter, partial(_fold, limit=500))
    )
    assert folds == [6, 4], "the second takes what the first one has left"
    assert _counts() == {"inbox_opened": 10}
    assert _fold() == 0


def test_a_folder_that_finds_everything_taken_waits_for_nobody() -> None:
    _note(*[StatEvent.INBOX_OPENED] * 10)
    encounter = Encounter()

    def fold_while_the_other_stays() -> int:
        folded = _fold()
        assert read_value("SELECT count(*) FROM stats.event") == 10, "the other has not committed yet"
        return folded

    folds = encounter.run(
        partial(_fold_and_stay, encounter, limit=500), lambda: _then(encounter, fold_while_the_other_stays)
    )
    assert folds == [10, 0]
    assert _counts() == {"inbox_opened": 10}


def _count_first_and_delete_then(encounter: Encounter) -> int:
    """The control: the same in three statements, as it reads most simply."""
    with durable_transaction() as pipeline:
        rows = pipeline.queue("SELECT name, count(*) FROM stats.event GROUP BY name", read=list).value
        encounter.here()
        for name, events in rows:
            pipeline.queue_write(
                """
                INSERT INTO stats.daily_count AS total (day, name, count) VALUES (current_date, %s, %s)
                ON CONFLICT (day, name) DO UPDATE SET count = total.count + EXCLUDED.count
                """,
                [name, events],
            )
        pipeline.queue_write("DELETE FROM stats.event")
        return sum(events for _, events in rows)


def test_folders_that_count_first_and_delete_then_count_double() -> None:
    _note(*[StatEvent.INBOX_OPENED] * 10)
    encounter = Encounter()
    folds = encounter.run(*[partial(_count_first_and_delete_then, encounter)] * 2)
    assert encounter.met
    assert folds == [10, 10]
    assert _counts() == {"inbox_opened": 20}


def _add_one_by_one(encounter: Encounter, *names: StatEvent) -> int:
    """The control: the same two counts, in whichever order they happen to come."""
    with durable_transaction() as pipeline:
        for name in names:
            added = pipeline.queue(
                """
                INSERT INTO stats.daily_count AS total (day, name, count) VALUES (current_date, %s, 1)
                ON CONFLICT (day, name) DO UPDATE SET count = total.count + 1 RETURNING 1
                """,
                [name],
                read=len,
            )
            assert added.value == 1
            encounter.here()
        return len(names)


def test_counts_taken_in_any_order_are_waited_for_in_a_circle() -> None:
    _note(*NAMES)
    assert _fold() == 2
    encounter = Encounter()
    outcomes = encounter.run(
        partial(_add_one_by_one, encounter, *NAMES), partial(_add_one_by_one, encounter, *reversed(NAMES))
    )
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["OperationalError", "int"]
    [error] = [outcome for outcome in outcomes if isinstance(outcome, OperationalError)]
    assert isinstance(error.__cause__, psycopg.errors.DeadlockDetected)


def _connect() -> psycopg.Connection[tuple[object, ...]]:
    """A session beside Django's, for locks and for looking on."""
    place = connection.settings_dict
    return psycopg.connect(
        host=place["HOST"], port=place["PORT"], user=place["USER"], dbname=place["NAME"], autocommit=True
    )


def _await_waiting(observer: psycopg.Connection[tuple[object, ...]], *, folders: int) -> None:
    sql = """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'
    """
    await_that(lambda: observer.execute(sql).fetchone() == (folders,), what="the folders to wait")


def test_counts_are_taken_in_one_order_so_that_folders_wait_in_a_line() -> None:
    """One count in the middle is held: those before it are taken, those behind it not, and all goes on."""
    _note(*StatEvent)
    _fold()
    names = [name for (name,) in read_rows("SELECT name FROM stats.daily_count ORDER BY day, name")]
    held = len(names) // 2
    _note(*StatEvent)
    with _connect() as holder, _connect() as observer, ThreadPoolExecutor(2) as pool:
        with holder.transaction():
            holder.execute("SELECT FROM stats.daily_count WHERE name = %s FOR UPDATE", [names[held]])
            first = pool.submit(_fold_in_thread)
            _await_waiting(observer, folders=1)
            free = observer.execute(
                "SELECT name FROM stats.daily_count ORDER BY day, name FOR UPDATE SKIP LOCKED"
            ).fetchall()
            _note(*reversed(StatEvent))
            second = pool.submit(_fold_in_thread)
            _await_waiting(observer, folders=2)
        assert [name for (name,) in free] == names[held + 1 :]
        assert (first.result(), second.result()) == (len(names), len(names))
    assert _counts() == dict.fromkeys(names, 3)


def _fold_in_thread() -> int:
    try:
        return _fold()
    finally:
        connection.close()


def test_many_folders_at_many_events_lose_double_and_block_nothing() -> None:
    names = list(StatEvent)
    for number in range(40):
        turn = number % len(names)
        _note(*names[turn:], *names[:turn])

    def fold_until_nothing_is_left() -> int:
        folded = 0
        while read_value("SELECT EXISTS (SELECT FROM stats.event)"):
            folded += _fold(limit=7)
        return folded

    outcomes = Encounter().run(*[fold_until_nothing_is_left] * 6)
    assert all(isinstance(outcome, int) for outcome in outcomes), outcomes
    assert _counts() == {name.value: 40 for name in names}


def _end_backend_of(pipeline: StatementPipeline) -> None:
    """Let the server end the session of this transaction, as its crash or the machine's would."""
    pid = pipeline.queue("SELECT pg_backend_pid()", read=lambda rows: rows[0][0]).value
    with _connect() as other:
        assert other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid]).fetchone() == (True,)


def test_a_folder_that_dies_before_its_commit_has_counted_nothing() -> None:
    _note(*[StatEvent.MESSAGE_DELIVERED] * 5)

    def fold_and_die() -> None:
        with durable_transaction() as pipeline:
            assert stats.services.queue_events_folded(pipeline, limit=3).value == 3
            _end_backend_of(pipeline)

    with pytest.raises(OperationalError):
        fold_and_die()
    assert read_value("SELECT count(*) FROM stats.event") == 5
    assert _counts() == {}
    assert (_fold(), _fold()) == (5, 0)
    assert _counts() == {"message_delivered": 5}


def test_a_cause_that_dies_before_its_commit_leaves_no_event() -> None:
    def note_and_die() -> None:
        with durable_transaction() as pipeline:
            stats.services.queue_event(pipeline, StatEvent.MESSAGE_ACCEPTED)
            _end_backend_of(pipeline)

    with pytest.raises(OperationalError):
        note_and_die()
    assert _fold() == 0
