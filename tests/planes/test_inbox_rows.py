"""Unread rows: in order, fifty at most, once each, and never lost by an attempt that does not own them."""

import secrets

import pytest
from django.db import IntegrityError
from plane_people import fill_inbox, new_account, new_withdraw_tag, read_gate
from stored_rows import change_rows, read_rows, read_value

import accounts.inbox
import accounts.services
from accounts.inbox import UnreadTicket
from nekonymous_site.crypto.errors import EnvelopeUnreadable
from nekonymous_site.crypto.identifiers import AccountId
from nekonymous_site.pipeline import durable_transaction

pytestmark = pytest.mark.django_db


def _take(account_id: AccountId) -> list[UnreadTicket]:
    with durable_transaction() as pipeline:
        accounts.services.queue_inbox_lock(pipeline, account_id)
        return accounts.inbox.queue_waiting_taken(
            pipeline, account_id, attempt_id=secrets.token_bytes(16)
        ).value


def _give_back(row: UnreadTicket, *, announce: bool = False, possible_repeat: bool = False) -> bool:
    with durable_transaction() as pipeline:
        return accounts.inbox.queue_unread_returned(
            pipeline,
            row.dedupe_tag,
            attempt_id=row.attempt_id,
            announce=announce,
            possible_repeat=possible_repeat,
        ).value


def _finish(row: UnreadTicket) -> bool:
    with durable_transaction() as pipeline:
        return accounts.inbox.queue_unread_finished(pipeline, row.dedupe_tag, attempt_id=row.attempt_id).value


def _has_room(account_id: AccountId) -> bool:
    return read_gate(account_id).has_room


def test_rows_are_handed_out_in_order_and_once() -> None:
    bob = new_account()
    put_in = fill_inbox(bob, count=4)
    taken = _take(bob)
    assert [row.capability() for row in taken] == put_in
    assert {row.attempt_id for row in taken} == {taken[0].attempt_id}
    assert _take(bob) == []


def test_each_inbox_is_handed_out_by_itself() -> None:
    bob, carol = new_account(), new_account()
    [for_bob], [for_carol] = fill_inbox(bob, count=1), fill_inbox(carol, count=1)
    assert [row.capability() for row in _take(bob)] == [for_bob]
    assert [row.capability() for row in _take(carol)] == [for_carol]


def test_a_drain_hands_out_fifty_at_most_and_the_oldest_first() -> None:
    bob = new_account()
    put_in = fill_inbox(bob, count=53)
    assert [row.capability() for row in _take(bob)] == put_in[:50]
    assert [row.capability() for row in _take(bob)] == put_in[50:]


def test_the_same_capability_lies_in_an_inbox_once() -> None:
    bob, carol = new_account(), new_account()
    [capability] = fill_inbox(bob, count=1)
    for owner in (bob, bob, carol):
        with durable_transaction() as pipeline:
            accounts.inbox.queue_unread(
                pipeline, owner, capability=capability, withdraw_tag=new_withdraw_tag()
            )
    rows = read_rows("SELECT account_id, position FROM accounts.unread")
    assert sorted(rows) == sorted([(bob, 1), (carol, 1)])


def test_a_retry_does_not_disturb_a_row_that_is_being_delivered() -> None:
    bob = new_account()
    [capability] = fill_inbox(bob, count=1)
    [row] = _take(bob)
    with durable_transaction() as pipeline:
        accounts.inbox.queue_unread(pipeline, bob, capability=capability, withdraw_tag=new_withdraw_tag())
    assert _take(bob) == []
    assert _finish(row)
    assert read_rows("SELECT 1 FROM accounts.unread") == []


def test_positions_go_on_behind_what_is_there_and_begin_anew_when_nothing_is() -> None:
    bob = new_account()
    fill_inbox(bob, count=2)
    rows = _take(bob)
    fill_inbox(bob, count=1)
    assert read_rows("SELECT position FROM accounts.unread ORDER BY 1") == [(1,), (2,), (3,)]
    assert all(_finish(row) for row in [*rows, *_take(bob)])
    fill_inbox(bob, count=1)
    assert read_value("SELECT position FROM accounts.unread") == 1


def test_an_inbox_has_room_for_fifty_and_what_is_on_its_way_counts() -> None:
    bob = new_account()
    fill_inbox(bob, count=49)
    assert _has_room(bob)
    [first, *_] = _take(bob)
    fill_inbox(bob, count=1)
    assert not _has_room(bob)
    assert _finish(first)
    assert _has_room(bob)


def test_a_returned_row_waits_under_a_new_generation_in_its_old_place() -> None:
    bob = new_account()
    put_in = fill_inbox(bob, count=3)
    first, second, third = _take(bob)
    assert [row.generation for row in (first, second, third)] == [0, 0, 0]
    assert _give_back(third)
    assert _give_back(second, possible_repeat=True)
    again = _take(bob)
    assert [row.capability() for row in again] == put_in[1:]
    assert [(row.generation, row.possible_repeat) for row in again] == [(1, True), (1, False)]
    assert first.attempt_id not in {row.attempt_id for row in again}


def test_once_perhaps_a_repeat_a_row_stays_one() -> None:
    bob = new_account()
    fill_inbox(bob, count=1)
    [row] = _take(bob)
    _give_back(row, possible_repeat=True)
    [row] = _take(bob)
    _give_back(row, possible_repeat=False)
    [row] = _take(bob)
    assert (row.generation, row.possible_repeat) == (2, True)


@pytest.mark.parametrize("announce", [True, False])
def test_a_returned_row_is_announced_only_when_asked_for(*, announce: bool) -> None:
    bob = new_account()
    fill_inbox(bob, count=1)
    [row] = _take(bob)
    assert read_value("SELECT unnoticed FROM accounts.unread") is False
    _give_back(row, announce=announce)
    assert read_value("SELECT unnoticed FROM accounts.unread") is announce


def test_an_attempt_that_lost_its_row_changes_nothing() -> None:
    bob = new_account()
    fill_inbox(bob, count=1)
    [stale] = _take(bob)
    assert _give_back(stale)
    [owner] = _take(bob)
    assert not _give_back(stale, possible_repeat=True)
    assert not _finish(stale)
    with durable_transaction() as pipeline:
        owned = accounts.inbox.queue_unread_owned
        assert not owned(pipeline, stale.dedupe_tag, attempt_id=stale.attempt_id).value
        assert owned(pipeline, owner.dedupe_tag, attempt_id=owner.attempt_id).value
    assert read_value("SELECT generation FROM accounts.unread") == 1
    assert _finish(owner)
    assert not _finish(owner)


def test_a_capability_moved_to_another_row_does_not_open() -> None:
    bob = new_account()
    fill_inbox(bob, count=2)
    change_rows(
        """
        UPDATE accounts.unread SET capability = other.capability FROM accounts.unread AS other
        WHERE other.position <> unread.position
        """
    )
    for row in _take(bob):
        with pytest.raises(EnvelopeUnreadable):
            row.capability()


def _hold_and_mark_noticed(*, limit: int) -> dict[AccountId, list[bytes]]:
    with durable_transaction() as pipeline:
        held = accounts.inbox.queue_unnoticed_held(pipeline, limit=limit).value
        for unread_ids in held.values():
            accounts.inbox.queue_noticed(pipeline, unread_ids)
    return held


def test_unnoticed_rows_are_held_in_bounded_batches_by_account_and_once() -> None:
    bob, carol = new_account(), new_account()
    fill_inbox(bob, count=3)
    fill_inbox(carol, count=2)
    batches = [_hold_and_mark_noticed(limit=4) for _ in range(3)]
    assert [sum(len(ids) for ids in batch.values()) for batch in batches] == [4, 1, 0]
    seen = [(owner, unread_id) for batch in batches for owner, ids in batch.items() for unread_id in ids]
    assert sorted(seen) == sorted(
        (AccountId(owner), unread_id)
        for owner, unread_id in read_rows("SELECT account_id, unread_id FROM accounts.unread")
        if isinstance(owner, bytes)
    )
    assert read_value("SELECT count(*) FROM accounts.unread WHERE unnoticed") == 0


def test_rows_that_were_held_and_not_noticed_are_held_again() -> None:
    bob = new_account()
    fill_inbox(bob, count=1)
    for _ in range(2):
        with durable_transaction() as pipeline:
            assert set(accounts.inbox.queue_unnoticed_held(pipeline, limit=4).value) == {bob}


def _serve_request() -> AccountId | None:
    with durable_transaction() as pipeline:
        account_id = accounts.inbox.queue_drain_taken(pipeline).value
        if account_id is not None:
            accounts.inbox.queue_drain_done(pipeline, account_id)
    return account_id


def test_a_drain_request_is_single_and_served_once() -> None:
    bob, carol = new_account(), new_account()
    is_new = []
    for owner in (bob, carol, bob):
        with durable_transaction() as pipeline:
            is_new.append(accounts.inbox.queue_drain_requested(pipeline, owner).value)
    assert is_new == [True, True, False]
    served = [_serve_request() for _ in range(3)]
    assert set(served[:2]) == {bob, carol}
    assert served[2] is None


def _take_request_and_fail() -> None:
    with durable_transaction() as pipeline:
        account_id = accounts.inbox.queue_drain_taken(pipeline).value
        assert account_id is not None
        accounts.inbox.queue_drain_done(pipeline, account_id)
        raise ZeroDivisionError


def test_a_drain_request_outlives_a_drain_that_fails() -> None:
    bob = new_account()
    with durable_transaction() as pipeline:
        accounts.inbox.queue_drain_requested(pipeline, bob)
    with pytest.raises(ZeroDivisionError):
        _take_request_and_fail()
    assert _serve_request() == bob


UNREAD = """
    INSERT INTO accounts.unread
        (unread_id, account_id, position, dedupe_tag, withdraw_tag, capability, state, attempt_id, expires_on)
    VALUES (%s, '\\x01', %s, %s, %s, '\\x01', %s, %s, current_date)
"""


@pytest.mark.parametrize(
    ("state", "attempt_id"),
    [("waiting", b"1"), ("sending", None), ("filtered", b"1"), ("", None)],
)
def test_a_row_has_an_owner_exactly_while_it_is_sent(state: str, attempt_id: bytes | None) -> None:
    with pytest.raises(IntegrityError, match="unread_owner_while_sending"):
        change_rows(UNREAD, [b"1", 1, b"1", None, state, attempt_id])


@pytest.mark.parametrize(
    ("unread_id", "position", "dedupe_tag", "withdraw_tag", "constraint"),
    [
        (b"1", 2, b"2", b"2", "unread_pkey"),
        (b"2", 1, b"2", b"2", "unread_position_once"),
        (b"2", 2, b"1", b"2", "unread_dedupe_tag_once"),
        (b"2", 2, b"2", b"1", "unread_withdraw_tag_once"),
    ],
)
def test_nothing_in_an_inbox_is_there_twice(
    unread_id: bytes, position: int, dedupe_tag: bytes, withdraw_tag: bytes, constraint: str
) -> None:
    change_rows(UNREAD, [b"1", 1, b"1", b"1", "waiting", None])
    with pytest.raises(IntegrityError, match=constraint):
        change_rows(UNREAD, [unread_id, position, dedupe_tag, withdraw_tag, "waiting", None])
