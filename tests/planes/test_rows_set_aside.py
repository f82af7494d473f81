"""Unread rows that are filtered, taken back by their sender, or begun to be delivered."""

import secrets

import pytest
from plane_people import fill_inbox, new_account, new_withdraw_tag, read_gate
from stored_rows import change_rows, read_rows, read_value

import accounts.inbox
import accounts.selectors
import accounts.services
from accounts.inbox import UnreadTicket
from accounts.selectors import InboxCounts
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.crypto.identifiers import AccountId, UnreadWithdrawTag
from nekonymous_site.pipeline import durable_transaction

pytestmark = pytest.mark.django_db


def _put_in(account_id: AccountId) -> tuple[Capability, UnreadWithdrawTag]:
    capability, tag = Capability.new(), new_withdraw_tag()
    with durable_transaction() as pipeline:
        accounts.inbox.queue_unread(pipeline, account_id, capability=capability, withdraw_tag=tag)
    return capability, tag


def _take(account_id: AccountId) -> list[UnreadTicket]:
    with durable_transaction() as pipeline:
        attempt_id = secrets.token_bytes(16)
        return accounts.inbox.queue_waiting_taken(pipeline, account_id, attempt_id=attempt_id).value


def _counts(account_id: AccountId) -> tuple[int, InboxCounts]:
    with durable_transaction() as pipeline:
        unread = accounts.selectors.queue_unread_count(pipeline, account_id)
        return unread.value, accounts.selectors.queue_inbox_counts(pipeline, account_id).value


def test_what_is_set_aside_is_neither_counted_nor_handed_out() -> None:
    bob = new_account()
    fill_inbox(bob, count=3)
    change_rows("UPDATE accounts.unread SET state = 'filtered' WHERE position IN (1, 3)")
    assert _counts(bob) == (1, InboxCounts(waiting=1, on_the_way=0))
    assert len(_take(bob)) == 1
    assert _counts(bob) == (0, InboxCounts(waiting=0, on_the_way=1))
    assert _take(bob) == []
    assert read_rows("SELECT position FROM accounts.unread WHERE state = 'filtered' ORDER BY 1") == [
        (1,),
        (3,),
    ]


def test_what_is_set_aside_takes_up_a_place() -> None:
    bob = new_account()
    fill_inbox(bob, count=50)
    change_rows("UPDATE accounts.unread SET state = 'filtered'")
    assert not read_gate(bob).has_room
    change_rows("DELETE FROM accounts.unread WHERE position = 50")
    assert read_gate(bob).has_room


def test_whoever_returns_is_not_told_of_what_is_set_aside() -> None:
    bob = new_account()
    fill_inbox(bob, count=2)
    change_rows("UPDATE accounts.unread SET unnoticed = false")
    change_rows("UPDATE accounts.unread SET state = 'filtered' WHERE position = 1")
    change_rows("UPDATE accounts.account SET reachable = false")
    with durable_transaction() as pipeline:
        accounts.services.queue_reachable_again(pipeline, bob)
    assert read_rows("SELECT position FROM accounts.unread WHERE unnoticed") == [(2,)]


def _withdraw(tag: UnreadWithdrawTag) -> None:
    with durable_transaction() as pipeline:
        accounts.inbox.queue_unread_withdrawn(pipeline, tag)


def test_a_sender_takes_back_one_row_and_no_other() -> None:
    bob, carol = new_account(), new_account()
    _, tag = _put_in(bob)
    kept, _ = _put_in(bob)
    _put_in(carol)
    for _ in range(2):
        _withdraw(tag)
        assert read_value("SELECT count(*) FROM accounts.unread") == 2
    assert [row.capability() for row in _take(bob)] == [kept]


def test_a_tag_that_stands_for_nothing_takes_nothing_back() -> None:
    fill_inbox(new_account(), count=1)
    _withdraw(new_withdraw_tag())
    change_rows("UPDATE accounts.unread SET withdraw_tag = NULL")
    _withdraw(new_withdraw_tag())
    assert read_value("SELECT count(*) FROM accounts.unread") == 1


@pytest.mark.parametrize("state", ["waiting", "filtered"])
def test_what_is_taken_back_goes_in_whatever_state_it_waits(state: str) -> None:
    _, tag = _put_in(new_account())
    change_rows("UPDATE accounts.unread SET state = %s", [state])
    _withdraw(tag)
    assert read_rows("SELECT 1 FROM accounts.unread") == []


def test_an_attempt_whose_row_was_taken_back_finds_it_gone() -> None:
    bob = new_account()
    _, tag = _put_in(bob)
    [row] = _take(bob)
    _withdraw(tag)
    with durable_transaction() as pipeline:
        inbox = accounts.inbox
        assert not inbox.queue_unread_owned(pipeline, row.dedupe_tag, attempt_id=row.attempt_id).value
        assert not inbox.queue_unread_finished(pipeline, row.dedupe_tag, attempt_id=row.attempt_id).value
        assert not inbox.queue_unread_returned(
            pipeline, row.dedupe_tag, attempt_id=row.attempt_id, announce=True, possible_repeat=False
        ).value
    assert read_rows("SELECT 1 FROM accounts.unread") == []


def test_a_row_that_goes_back_can_be_taken_back_as_before() -> None:
    bob = new_account()
    _, tag = _put_in(bob)
    [row] = _take(bob)
    with durable_transaction() as pipeline:
        accounts.inbox.queue_unread_returned(
            pipeline, row.dedupe_tag, attempt_id=row.attempt_id, announce=False, possible_repeat=False
        )
    _withdraw(tag)
    assert read_rows("SELECT 1 FROM accounts.unread") == []
