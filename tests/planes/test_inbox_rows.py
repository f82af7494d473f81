"""Unread rows: in order, fifty at most, once each, and never lost by an attempt that does not own them."""

import secrets

import pytest
from django.db import IntegrityError
from plane_people import fill_inbox, new_account
from stored_rows import change_rows, read_rows, read_value

import accounts.inbox
import accounts.selectors
import accounts.services
from accounts.inbox import UnreadTicket
from nekonymous_site.crypto.capabilities import Capability
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
    with durable_transaction() as pipeline:
        gate = accounts.selectors.queue_recipient_gate(pipeline, account_id, slug=None).value
    assert gate is not None
    return gate.has_room


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
            accounts.inbox.queue_unread(pipeline, owner, capability=capability)
    rows = read_rows("SELECT account_id, position FROM accounts.unread")
    assert sorted(rows) == sorted([(bob, 1), (carol, 1)])


def test_a_retry_does_not_disturb_a_row_that_is_being_delivered() -> None:
    bob = new_account()
    [capability] = fill_inbox(bob, count=1)
    [row] = _take(bob)
    with durable_transaction() as pipeline:
        accounts.inbox.queue_unread(pipeline, bob, capability=capability)
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


def test_notices_are_made_once_for_each_recipient_and_in_bounded_batches() -> None:
    bob, carol = new_account(), new_account()
    fill_inbox(bob, count=3)
    fill_inbox(carol, count=2)
    told: list[AccountId] = []
    for _ in range(5):
        with durable_transaction() as pipeline:
            told += accounts.inbox.queue_unnoticed_taken(pipeline, limit=4).value
    assert set(told) == {bob, carol}
    assert read_value("SELECT count(*) FROM accounts.unread WHERE unnoticed") == 0
    # The first batch of four knows at least two rows of one of them, and names nobody twice.
    assert len(told) <= 3


def test_a_drain_request_is_single_and_taken_once() -> None:
    bob, carol = new_account(), new_account()
    for owner in (bob, carol, bob):
        with durable_transaction() as pipeline:
            accounts.inbox.queue_drain_requested(pipeline, owner)
    taken = []
    for _ in range(3):
        with durable_transaction() as pipeline:
            taken.append(accounts.inbox.queue_drain_taken(pipeline).value)
    assert {taken[0], taken[1]} == {bob, carol}
    assert taken[2] is None


def _take_request_and_fail() -> None:
    with durable_transaction() as pipeline:
        assert accounts.inbox.queue_drain_taken(pipeline).value is not None
        raise ZeroDivisionError


def test_a_drain_request_outlives_a_drain_that_fails() -> None:
    bob = new_account()
    with durable_transaction() as pipeline:
        accounts.inbox.queue_drain_requested(pipeline, bob)
    with pytest.raises(ZeroDivisionError):
        _take_request_and_fail()
    with durable_transaction() as pipeline:
        assert accounts.inbox.queue_drain_taken(pipeline).value == bob


def test_who_returns_is_told_anew_of_what_waits_and_only_of_that() -> None:
    bob = new_account()
    fill_inbox(bob, count=1)
    _take(bob)
    fill_inbox(bob, count=1)
    change_rows("UPDATE accounts.unread SET unnoticed = false")
    with durable_transaction() as pipeline:
        accounts.services.queue_reachable_again(pipeline, bob)
    assert read_value("SELECT count(*) FROM accounts.unread WHERE unnoticed") == 0, "was never away"
    for queue in (accounts.services.queue_unreachable, accounts.services.queue_reachable_again):
        with durable_transaction() as pipeline:
            queue(pipeline, bob)
    assert read_rows("SELECT state FROM accounts.unread WHERE unnoticed") == [("waiting",)]
    assert read_value("SELECT reachable FROM accounts.account") is True


UNREAD = """
    INSERT INTO accounts.unread
        (unread_id, account_id, position, dedupe_tag, capability, state, attempt_id, expires_on)
    VALUES (%s, '\\x01', %s, %s, '\\x01', %s, %s, current_date)
"""


@pytest.mark.parametrize(
    ("state", "attempt_id"),
    [("waiting", b"1"), ("sending", None), ("filtered", None), ("filtered", b"1"), ("", None)],
)
def test_a_row_has_an_owner_exactly_while_it_is_sent(state: str, attempt_id: bytes | None) -> None:
    with pytest.raises(IntegrityError, match="unread_owner_while_sending"):
        change_rows(UNREAD, [b"1", 1, b"1", state, attempt_id])


@pytest.mark.parametrize(
    ("unread_id", "position", "dedupe_tag", "constraint"),
    [
        (b"1", 2, b"2", "unread_pkey"),
        (b"2", 1, b"2", "unread_position_once"),
        (b"2", 2, b"1", "unread_dedupe_tag_once"),
    ],
)
def test_nothing_in_an_inbox_is_there_twice(
    unread_id: bytes, position: int, dedupe_tag: bytes, constraint: str
) -> None:
    change_rows(UNREAD, [b"1", 1, b"1", "waiting", None])
    with pytest.raises(IntegrityError, match=constraint):
        change_rows(UNREAD, [unread_id, position, dedupe_tag, "waiting", None])


def test_a_person_has_one_account() -> None:
    new_account(user_id=4711)
    with pytest.raises(IntegrityError, match="account_actor_hash_once"):
        new_account(user_id=4711)


def test_an_account_without_its_person_is_gone_for_everybody() -> None:
    nobody = AccountId(secrets.token_bytes(16))
    with durable_transaction() as pipeline:
        assert accounts.selectors.queue_recipient_gate(pipeline, nobody, slug=None).value is None
        assert accounts.selectors.queue_reachable(pipeline, nobody).value is None
        assert accounts.selectors.queue_own_slug(pipeline, nobody).value is None
        assert accounts.selectors.queue_unread_count(pipeline, nobody).value == 0


def test_a_link_counts_for_its_owner_and_only_while_it_is_active() -> None:
    bob, carol = new_account(), new_account()
    with durable_transaction() as pipeline:
        slug = accounts.selectors.queue_own_slug(pipeline, bob).value
    assert slug is not None

    def is_open(owner: AccountId, *, slug: str | None) -> bool:
        with durable_transaction() as pipeline:
            gate = accounts.selectors.queue_recipient_gate(pipeline, owner, slug=slug).value
        assert gate is not None
        return gate.link_active

    assert is_open(bob, slug=slug)
    assert is_open(bob, slug=None)
    assert not is_open(carol, slug=slug)
    assert not is_open(bob, slug=slug.swapcase() + "x")
    change_rows("UPDATE accounts.public_link SET active = false WHERE slug = %s", [slug])
    assert not is_open(bob, slug=slug)
    with durable_transaction() as pipeline:
        assert accounts.selectors.queue_link_owner(pipeline, slug).value is None


def test_a_capability_that_nobody_put_in_is_nobodys() -> None:
    bob = new_account()
    tag = accounts.inbox.dedupe_tag(bob, capability=Capability.new())
    with durable_transaction() as pipeline:
        assert not accounts.inbox.queue_unread_owned(pipeline, tag, attempt_id=b"x" * 16).value
