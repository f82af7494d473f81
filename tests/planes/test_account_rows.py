"""Accounts and links: one for each person, found only while they are there and active."""

import secrets

import pytest
from django.db import IntegrityError
from plane_people import fill_inbox, new_account, queue_gate
from stored_rows import change_rows, read_rows, read_value

import accounts.inbox
import accounts.selectors
import accounts.services
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.crypto.identifiers import AccountId
from nekonymous_site.pipeline import durable_transaction

pytestmark = pytest.mark.django_db


def test_who_returns_is_told_anew_of_what_waits_and_only_of_that() -> None:
    bob = new_account()
    fill_inbox(bob, count=2)
    change_rows("UPDATE accounts.unread SET state = 'sending', attempt_id = '\\x01' WHERE position = 1")
    change_rows("UPDATE accounts.unread SET unnoticed = false")
    with durable_transaction() as pipeline:
        accounts.services.queue_reachable_again(pipeline, bob)
    assert read_value("SELECT count(*) FROM accounts.unread WHERE unnoticed") == 0, "was never away"
    for queue in (accounts.services.queue_unreachable, accounts.services.queue_reachable_again):
        with durable_transaction() as pipeline:
            queue(pipeline, bob)
    assert read_rows("SELECT state FROM accounts.unread WHERE unnoticed") == [("waiting",)]
    assert read_value("SELECT reachable FROM accounts.account") is True


def test_a_person_has_one_account() -> None:
    new_account(user_id=4711)
    with pytest.raises(IntegrityError, match="account_actor_hash_once"):
        new_account(user_id=4711)


def test_an_account_without_its_person_is_gone_for_everybody() -> None:
    nobody = AccountId(secrets.token_bytes(16))
    with durable_transaction() as pipeline:
        assert queue_gate(pipeline, nobody) is None
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
            gate = queue_gate(pipeline, owner, slug=slug)
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
