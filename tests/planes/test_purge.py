"""Purging: only what its time is over for, at most a batch at once, and everything in the end."""

from typing import LiteralString

import pytest
from stored_rows import change_rows

import accounts.services
import outbox.services
import tickets.services
from nekonymous_site import tasks
from nekonymous_site.pipeline import durable_transaction

pytestmark = pytest.mark.django_db

# One row of each kind by its number; the second parameter is its age in days, a negative one lies ahead.
DRAFT: LiteralString = """
    INSERT INTO accounts.draft (account_id, body, expires_at)
    VALUES (int4send(%s), '\\x01', now() - make_interval(days => %s))
"""
COMPOSITION: LiteralString = """
    INSERT INTO accounts.composition (composition_id, account_id, body, expires_at)
    SELECT int4send(n), int4send(n), '\\x01', now() - make_interval(days => days)
    FROM (SELECT %s::int AS n, %s::int AS days) AS given
"""
UNREAD: LiteralString = """
    INSERT INTO accounts.unread (unread_id, account_id, position, dedupe_tag, capability, state, expires_on)
    SELECT int4send(n), int4send(n), 1, int4send(n), '\\x01', 'waiting', current_date - days
    FROM (SELECT %s::int AS n, %s::int AS days) AS given
"""
TICKET: LiteralString = """
    INSERT INTO tickets.ticket (ticket_hash, owner_proof, route, payload, meta, status, expires_on)
    VALUES (int4send(%s), '\\x01', '\\x01', '\\x01', '\\x01', 'sealed', current_date - %s::int)
"""
RECEIPT: LiteralString = """
    INSERT INTO outbox.update_receipt (bot_id, update_id, received_on) VALUES (1, %s, current_date - %s::int)
"""
FAILURE: LiteralString = """
    INSERT INTO outbox.update_failure (bot_id, update_id, failures, failed_on)
    VALUES (1, %s, 1, current_date - %s::int)
"""
PARKED: LiteralString = """
    INSERT INTO outbox.parked_update (parked_id, body, parked_on)
    VALUES (int4send(%s), '\\x01', current_date - %s::int)
"""
SENT: LiteralString = """
    INSERT INTO outbox.intent (intent_id, intent_tag, kind, lane_class, state, created_on)
    SELECT int4send(n), int4send(n), 'screen', 0, 'sent', current_date - days
    FROM (SELECT %s::int AS n, %s::int AS days) AS given
"""
DEAD: LiteralString = """
    INSERT INTO outbox.intent (intent_id, intent_tag, kind, lane_class, state, body, created_on)
    SELECT int4send(n), int4send(n), 'acknowledgement', 0, 'dead', '\\x01', current_date - days
    FROM (SELECT %s::int AS n, %s::int AS days) AS given
"""
PENDING: LiteralString = """
    INSERT INTO outbox.intent
        (intent_id, intent_tag, kind, lane_class, lane_tag, position, state, body, created_on)
    SELECT int4send(n), int4send(n), 'screen', 0, '\\x01', n, 'pending', '\\x01', current_date - days
    FROM (SELECT %s::int AS n, %s::int AS days) AS given
"""
# A lane's age counts in minutes.
IDLE_LANE: LiteralString = """
    INSERT INTO outbox.lane (lane_tag, next_position, touched_at)
    VALUES (int4send(%s), 1, now() - make_interval(mins => %s))
"""

PLANES = (
    accounts.services.queue_expired_purged,
    tickets.services.queue_expired_purged,
    outbox.services.queue_expired_purged,
)


def _purge(*, limit: int = 500) -> int:
    with durable_transaction() as pipeline:
        return sum(answer.value for answer in [purge(pipeline, limit=limit) for purge in PLANES])


@pytest.mark.parametrize(
    ("row", "kept", "gone"),
    [
        (DRAFT, -1, 0),
        (COMPOSITION, -1, 0),
        (UNREAD, -1, 0),
        (TICKET, -1, 0),
        (RECEIPT, 7, 8),
        (FAILURE, 7, 8),
        (PARKED, 7, 8),
        (SENT, 7, 8),
        (DEAD, 30, 31),
        (IDLE_LANE, 2, 4),
    ],
    ids=["draft", "composition", "unread", "ticket", "receipt", "failure", "parked", "sent", "dead", "lane"],
)
def test_a_row_goes_when_its_time_is_over_and_not_before(row: LiteralString, kept: int, gone: int) -> None:
    change_rows(row, [1, kept])
    assert _purge() == 0
    change_rows(row, [2, gone])
    assert _purge() == 1
    assert _purge() == 0


def test_what_is_still_to_be_sent_stays_as_long_as_its_ticket_does() -> None:
    change_rows(PENDING, [1, 30])
    change_rows(IDLE_LANE, [1, 60])
    change_rows("UPDATE outbox.lane SET due_at = now()")
    assert _purge() == 0
    change_rows("UPDATE outbox.intent SET created_on = created_on - 1")
    assert _purge() == 1


@pytest.mark.parametrize("column", ["due_at", "parked_until"])
def test_a_lane_that_has_something_before_it_stays(column: str) -> None:
    change_rows(IDLE_LANE, [1, 60])
    statements: dict[str, LiteralString] = {
        "due_at": "UPDATE outbox.lane SET due_at = now() + interval '1 hour'",
        "parked_until": "UPDATE outbox.lane SET parked_until = now() + interval '1 hour'",
    }
    change_rows(statements[column])
    assert _purge() == 0


BATCHED: dict[str, LiteralString] = {
    "draft": DRAFT,
    "composition": COMPOSITION,
    "unread": UNREAD,
    "ticket": TICKET,
    "receipt": RECEIPT,
    "failure": FAILURE,
    "parked": PARKED,
    "sent": SENT,
    "lane": IDLE_LANE,
}
# A subquery that locks and limits may be run once for each row by another plan: then there is no limit.
PLANS: dict[str, tuple[str, ...]] = {
    "as planned": (),
    "nested loops": ("hashjoin", "mergejoin"),
    "nothing kept": ("hashjoin", "mergejoin", "material", "hashagg", "sort"),
}


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("kind", BATCHED)
def test_a_purge_is_bounded_whatever_the_plan(kind: str, plan: str) -> None:
    for number in range(1, 8):
        change_rows(BATCHED[kind], [number, 100])
    for method in PLANS[plan]:
        change_rows("SELECT set_config(%s, 'off', true)", [f"enable_{method}"])
    assert [_purge(limit=3) for _ in range(4)] == [3, 3, 1, 0]


def test_the_scheduled_purge_goes_on_until_all_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nekonymous_site.workflows.purge_expired.BATCH_ROWS", 2)
    for kind in BATCHED.values():
        for number in range(1, 6):
            change_rows(kind, [number, 100])
    tasks.purge()
    assert _purge() == 0


def test_the_scheduled_purge_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nekonymous_site.workflows.purge_expired.BATCH_ROWS", 1)
    monkeypatch.setattr(tasks, "MOST_PURGE_BATCHES", 2)
    for number in range(1, 6):
        change_rows(TICKET, [number, 100])
    tasks.purge()
    assert _purge() == 3
