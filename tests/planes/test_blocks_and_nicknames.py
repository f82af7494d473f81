"""Blocks and nicknames: bounded lists, writes that may be repeated, and each person's to themselves."""

import secrets
from datetime import date

import pytest
from django.db import IntegrityError
from plane_people import new_account, queue_gate
from stored_rows import change_rows, read_value

from accounts import contacts
from accounts.contacts import MOST_BLOCKS, MOST_NICKNAMES, Block, BlockNote
from nekonymous_site.crypto.errors import EnvelopeUnreadable
from nekonymous_site.crypto.identifiers import AccountId, BlockTag, ContactTag
from nekonymous_site.pipeline import durable_transaction

pytestmark = pytest.mark.django_db

NOTE = BlockNote(number="A1B2C3", on=date(2026, 3, 21), contact_tag=ContactTag(b"c" * 32))


def _tag() -> BlockTag:
    return BlockTag(secrets.token_bytes(32))


def _block(owner: AccountId, tag: BlockTag, *, note: BlockNote = NOTE) -> bool:
    with durable_transaction() as pipeline:
        return contacts.queue_blocked(pipeline, owner, block_tag=tag, note=note).value


def _is_blocked(tag: BlockTag) -> bool:
    with durable_transaction() as pipeline:
        return contacts.queue_is_blocked(pipeline, tag).value


def _unblock(tag: BlockTag) -> None:
    with durable_transaction() as pipeline:
        contacts.queue_unblocked(pipeline, block_tag=tag)


def _list(owner: AccountId, *, offset: int = 0, limit: int = 100) -> list[Block]:
    with durable_transaction() as pipeline:
        return contacts.queue_blocks(pipeline, owner, offset=offset, limit=limit).value


def _count(owner: AccountId) -> int:
    with durable_transaction() as pipeline:
        return contacts.queue_block_count(pipeline, owner).value


def _fill_with_blocks(owner: AccountId, *, number: int) -> None:
    change_rows(
        """
        INSERT INTO accounts.block (block_id, account_id, block_tag, note)
        SELECT int4send(n), %s, int4send(n), '\\x01' FROM generate_series(1, %s) AS n
        """,
        [owner, number],
    )


def test_a_block_is_there_until_it_is_lifted_however_often_either_is_asked_for() -> None:
    bob, tag = new_account(), _tag()
    assert not _is_blocked(tag)
    assert [_block(bob, tag), _block(bob, tag)] == [True, True]
    assert (_is_blocked(tag), _count(bob)) == (True, 1)
    for _ in range(2):
        _unblock(tag)
        assert (_is_blocked(tag), _count(bob)) == (False, 0)


def test_the_note_says_by_which_message_its_owner_knows_them_and_stays_the_first() -> None:
    bob, tag = new_account(), _tag()
    _block(bob, tag)
    _block(bob, tag, note=BlockNote(number="FFFFFF", on=date(2027, 1, 1), contact_tag=ContactTag(b"d" * 32)))
    [block] = _list(bob)
    note = block.note()
    assert (note.number, note.on, note.contact_tag) == (NOTE.number, NOTE.on, NOTE.contact_tag)
    assert not any("A1B2C3" in repr(shown) for shown in (block, note))


def test_a_note_moved_to_another_block_does_not_open() -> None:
    bob = new_account()
    _block(bob, _tag())
    _block(bob, _tag())
    change_rows(
        """
        UPDATE accounts.block SET note = other.note FROM accounts.block AS other
        WHERE other.block_id <> block.block_id
        """
    )
    for block in _list(bob):
        with pytest.raises(EnvelopeUnreadable):
            block.note()


def test_what_somebody_notes_lies_in_the_same_size_whatever_it_says() -> None:
    bob = new_account()
    _block(bob, _tag(), note=BlockNote(number="1", on=date(1, 1, 1), contact_tag=ContactTag(b"")))
    _block(bob, _tag())
    assert read_value("SELECT count(DISTINCT length(note)) FROM accounts.block") == 1


def test_a_list_holds_five_hundred_and_a_full_one_still_knows_its_own() -> None:
    bob, carol, known, late = new_account(), new_account(), _tag(), _tag()
    _fill_with_blocks(bob, number=MOST_BLOCKS - 1)
    assert MOST_BLOCKS == 500
    assert _block(bob, known)
    assert not _block(bob, late)
    assert not _is_blocked(late)
    assert _block(bob, known), "asked for again it succeeds as the first time"
    assert _block(carol, _tag()), "another's list is another's"
    _unblock(known)
    assert _block(bob, late)
    assert _count(bob) == MOST_BLOCKS


def test_the_same_tag_is_blocked_once() -> None:
    _fill_with_blocks(new_account(), number=1)
    with pytest.raises(IntegrityError, match="block_tag_once"):
        change_rows(
            "INSERT INTO accounts.block (block_id, account_id, block_tag, note)"
            " VALUES ('\\x07', '\\x01', int4send(1), '')"
        )


def test_one_block_is_lifted_by_its_owner_and_by_nobody_else() -> None:
    bob, mallory = new_account(), new_account()
    first, second = _tag(), _tag()
    _block(bob, first)
    block_id = _list(bob)[0].block_id
    _block(bob, second)

    def lift(owner: AccountId) -> bool:
        with durable_transaction() as pipeline:
            return contacts.queue_block_lifted(pipeline, owner, block_id=block_id).value

    assert [lift(mallory), lift(bob), lift(bob)] == [False, True, False]
    assert (_is_blocked(first), _is_blocked(second)) == (False, True)


def test_all_blocks_of_one_person_are_lifted_and_nobody_elses() -> None:
    bob, carol = new_account(), new_account()
    for owner in (bob, bob, carol):
        _block(owner, _tag())
    for _ in range(2):
        with durable_transaction() as pipeline:
            contacts.queue_all_blocks_lifted(pipeline, bob)
        assert (_count(bob), _count(carol)) == (0, 1)


def test_a_list_is_shown_in_stretches_that_hold_everything_once() -> None:
    bob = new_account()
    for _ in range(7):
        _block(bob, _tag())
    _block(new_account(), _tag())
    stretches = [_list(bob, offset=offset, limit=3) for offset in (0, 3, 6, 9)]
    assert [len(stretch) for stretch in stretches] == [3, 3, 1, 0]
    shown = [block.block_id for stretch in stretches for block in stretch]
    assert len(set(shown)) == 7
    assert shown == sorted(shown), "the order is that of random ids, not of days"


def test_a_gate_knows_the_block_of_this_sender_only() -> None:
    bob, tag = new_account(), _tag()
    _block(bob, tag)
    with durable_transaction() as pipeline:
        theirs, anothers = (queue_gate(pipeline, bob, block_tag=one) for one in (tag, _tag()))
    assert theirs is not None
    assert anothers is not None
    assert (theirs.blocked, anothers.blocked) == (True, False)


def _contact() -> ContactTag:
    return ContactTag(secrets.token_bytes(32))


def _name(owner: AccountId, contact: ContactTag, name: str) -> bool:
    with durable_transaction() as pipeline:
        return contacts.queue_nickname_set(pipeline, owner, contact_tag=contact, name=name).value


def _name_of(contact: ContactTag) -> str | None:
    with durable_transaction() as pipeline:
        return contacts.queue_nickname(pipeline, contact).value


def test_a_contact_is_called_what_was_said_last_and_nothing_once_it_is_removed() -> None:
    bob, contact = new_account(), _contact()
    assert _name_of(contact) is None
    for name in ("ابر", "☁️ Cloud", "☁️ Cloud"):
        assert _name(bob, contact, name)
        assert _name_of(contact) == name
    for _ in range(2):
        with durable_transaction() as pipeline:
            contacts.queue_nickname_removed(pipeline, contact_tag=contact)
        assert _name_of(contact) is None


def test_there_are_two_hundred_nicknames_and_each_may_still_be_changed() -> None:
    bob, known, late = new_account(), _contact(), _contact()
    change_rows(
        """
        INSERT INTO accounts.nickname (contact_tag, account_id, name)
        SELECT int4send(n), %s, '\\x01' FROM generate_series(1, %s) AS n
        """,
        [bob, MOST_NICKNAMES - 1],
    )
    assert MOST_NICKNAMES == 200
    assert _name(bob, known, "the last that fits")
    assert not _name(bob, late, "one too many")
    assert _name_of(late) is None
    assert _name(bob, known, "renamed")
    assert _name_of(known) == "renamed"
    assert _name(new_account(), late, "another's list is another's")


def test_nicknames_lie_sealed_in_one_size_and_one_that_does_not_open_is_none() -> None:
    bob, first, second = new_account(), _contact(), _contact()
    _name(bob, first, "x")
    _name(bob, second, "👨‍👩‍👧‍👦" * 11)
    assert read_value("SELECT count(DISTINCT length(name)) FROM accounts.nickname") == 1
    change_rows(
        """
        UPDATE accounts.nickname SET name = other.name FROM accounts.nickname AS other
        WHERE other.contact_tag <> nickname.contact_tag
        """
    )
    assert [_name_of(contact) for contact in (first, second)] == [None, None]
    assert _name(bob, first, "another")
    assert _name_of(first) == "another"
