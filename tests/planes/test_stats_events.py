"""Statistics: events are written with what they count, folded once into a number a day, and name nobody."""

import pytest
from django.db import IntegrityError
from stored_rows import change_rows, read_rows, read_value

import stats.services
from nekonymous_site.pipeline import durable_transaction
from stats.events import StatEvent

pytestmark = pytest.mark.django_db


def _note(*events: StatEvent) -> None:
    with durable_transaction() as pipeline:
        for event in events:
            stats.services.queue_event(pipeline, event)


def _fold(*, limit: int = 500) -> int:
    with durable_transaction() as pipeline:
        return stats.services.queue_events_folded(pipeline, limit=limit).value


def _counts() -> list[tuple[object, ...]]:
    return read_rows("SELECT current_date - day, name, count FROM stats.daily_count ORDER BY day, name")


def test_events_become_one_number_for_each_name() -> None:
    _note(StatEvent.MESSAGE_ACCEPTED, StatEvent.MESSAGE_ACCEPTED, StatEvent.INBOX_OPENED)
    assert _counts() == [], "nothing is counted in the transaction that causes it"
    assert _fold() == 3
    assert _counts() == [(0, "inbox_opened", 1), (0, "message_accepted", 2)]
    assert read_value("SELECT count(*) FROM stats.event") == 0
    assert _fold() == 0
    _note(StatEvent.MESSAGE_ACCEPTED)
    assert _fold() == 1
    assert _counts() == [(0, "inbox_opened", 1), (0, "message_accepted", 3)]


def test_an_event_counts_for_its_own_day_however_late_it_is_folded() -> None:
    _note(StatEvent.ACCOUNT_CREATED)
    change_rows("UPDATE stats.event SET day = day - 2")
    _note(StatEvent.ACCOUNT_CREATED, StatEvent.ACCOUNT_CREATED)
    assert _fold() == 3
    assert _counts() == [(2, "account_created", 1), (0, "account_created", 2)]


@pytest.mark.parametrize("event", StatEvent)
def test_every_event_can_be_written_and_counted(event: StatEvent) -> None:
    _note(event)
    assert read_rows("SELECT name, day = current_date, length(event_id) FROM stats.event") == [
        (event.value, True, 16)
    ]
    assert _fold() == 1
    assert _counts() == [(0, event.value, 1)]


def test_an_event_goes_with_the_transaction_that_it_belongs_to() -> None:
    def fail() -> None:
        with durable_transaction() as pipeline:
            stats.services.queue_event(pipeline, StatEvent.MESSAGE_ACCEPTED)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert _fold() == 0


PLANS: dict[str, tuple[str, ...]] = {
    "as planned": (),
    "nested loops": ("hashjoin", "mergejoin"),
    "nothing kept": ("hashjoin", "mergejoin", "material", "hashagg", "sort"),
}


@pytest.mark.parametrize("plan", PLANS)
def test_a_fold_is_bounded_whatever_the_plan(plan: str) -> None:
    _note(*[StatEvent.MESSAGE_DELIVERED] * 5, StatEvent.NICKNAME_SET, StatEvent.SENDER_BLOCKED)
    for method in PLANS[plan]:
        change_rows("SELECT set_config(%s, 'off', true)", [f"enable_{method}"])
    assert [_fold(limit=3) for _ in range(4)] == [3, 3, 1, 0]
    assert _counts() == [(0, "message_delivered", 5), (0, "nickname_set", 1), (0, "sender_blocked", 1)]


def test_events_say_what_and_on_which_day_and_nothing_else() -> None:
    columns = read_rows(
        """
        SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'stats'
        ORDER BY table_name, column_name
        """
    )
    assert columns == [
        ("daily_count", "count"),
        ("daily_count", "day"),
        ("daily_count", "name"),
        ("event", "day"),
        ("event", "event_id"),
        ("event", "name"),
    ]


def test_a_count_of_nothing_is_no_row() -> None:
    with pytest.raises(IntegrityError, match="daily_count_is_positive"):
        change_rows(
            "INSERT INTO stats.daily_count (day, name, count) VALUES (current_date, 'inbox_opened', 0)"
        )
