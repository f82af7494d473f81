"""Waiting rows are written anew in an order by lot, and nothing else about them changes."""

import secrets

import pytest
from plane_people import fill_inbox, new_account
from stored_rows import Row, change_rows, read_rows

import accounts.inbox
import accounts.services
from nekonymous_site import tasks
from nekonymous_site.pipeline import durable_transaction
from nekonymous_site.workflows import mix_inboxes as mixing
from nekonymous_site.workflows.mix_inboxes import mix_inboxes

pytestmark = pytest.mark.django_db


def _mix() -> int:
    with durable_transaction() as pipeline:
        return mix_inboxes(pipeline)


def _rows_as_they_lie() -> list[Row]:
    return read_rows("SELECT * FROM accounts.unread")


def test_rows_lie_in_another_order_and_are_the_same() -> None:
    for _ in range(3):
        fill_inbox(new_account(), count=20)
    before = _rows_as_they_lie()

    assert _mix() == 60

    after = _rows_as_they_lie()
    assert after != before
    assert sorted(after, key=str) == sorted(before, key=str)


def test_the_order_is_drawn_anew_each_time() -> None:
    fill_inbox(new_account(), count=30)
    orders = set()
    for _ in range(4):
        _mix()
        orders.add(tuple(row[0] for row in _rows_as_they_lie()))

    assert len(orders) == 4


def test_what_is_being_sent_is_left_alone() -> None:
    bob = new_account()
    fill_inbox(bob, count=3)
    with durable_transaction() as pipeline:
        accounts.services.queue_inbox_lock(pipeline, bob)
        accounts.inbox.queue_waiting_taken(pipeline, bob, attempt_id=secrets.token_bytes(16))
    places = read_rows("SELECT ctid::text FROM accounts.unread")

    assert _mix() == 0
    assert read_rows("SELECT ctid::text FROM accounts.unread") == places


def test_a_batch_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixing, "BATCH_ROWS", 5)
    fill_inbox(new_account(), count=12)

    assert _mix() == 5


def test_maintenance_mixes() -> None:
    fill_inbox(new_account(), count=40)
    change_rows("UPDATE accounts.unread SET unnoticed = false")
    before = _rows_as_they_lie()

    tasks.purge()

    assert _rows_as_they_lie() != before
    assert len(_rows_as_they_lie()) == 40
