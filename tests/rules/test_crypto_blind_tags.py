"""Blind tags: the documented HMAC, one domain per tag, nothing ambiguous."""

import hashlib
import hmac
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nekonymous_site.crypto import base64url, blind_tags, process_keys
from nekonymous_site.crypto.identifiers import (
    AccountId,
    ActorHash,
    ChatId,
    ContactSalt,
    KeySeed,
    LookupNonce,
    TelegramUserId,
    TicketHash,
    WithdrawSecret,
)

PEPPER = bytes(range(100, 132))
OTHER_PEPPER = bytes(range(150, 182))
MASTER_KEYS = f"1:{base64url.encode(bytes(range(32)))}"


@pytest.fixture(autouse=True, scope="module")
def configured_keys() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process_keys, "_configured", process_keys._Configured())
        process_keys.configure(master_keys=MASTER_KEYS, pepper=base64url.encode(PEPPER))
        yield


def expected_tag(*fields: bytes, pepper: bytes = PEPPER) -> bytes:
    """HMAC-SHA256 as RFC 2104 writes it, over every field behind its length in 4 bytes."""
    message = b"".join(len(field).to_bytes(4, "big") + field for field in fields)
    key = pepper.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key) + message).digest()
    return hashlib.sha256(bytes(byte ^ 0x5C for byte in key) + inner).digest()


def test_the_expected_hmac_is_an_hmac() -> None:
    message = b"\0\0\0\1a\0\0\0\2bc"
    assert expected_tag(b"a", b"bc") == hmac.new(PEPPER, message, hashlib.sha256).digest()


@settings(deadline=None)
@given(domain=st.text(st.characters(codec="utf-8")), fields=st.lists(st.binary()))
def test_a_tag_is_the_documented_hmac(domain: str, fields: list[bytes]) -> None:
    assert blind_tags.tag(domain, *fields) == expected_tag(domain.encode(), *fields)


ONE, TWO, THREE, FOUR = (bytes([number]) * 32 for number in (1, 2, 3, 4))

# Stored rows are found by these values: a changed domain or field order orphans them.
NAMED_TAGS: dict[str, tuple[Callable[[], bytes], tuple[bytes, ...]]] = {
    "actor": (lambda: blind_tags.actor_hash(TelegramUserId(77)), (b"actor", b"77")),
    "lane": (lambda: blind_tags.lane_tag(ChatId(-77)), (b"lane", b"-77")),
    "ticket": (lambda: blind_tags.ticket_hash(LookupNonce(ONE)), (b"ticket:lookup", ONE)),
    "owner": (
        lambda: blind_tags.owner_proof(
            actor_hash=ActorHash(ONE),
            account_id=AccountId(TWO),
            ticket_hash=TicketHash(THREE),
            key_seed=KeySeed(FOUR),
        ),
        (b"ticket:owner", ONE, TWO, THREE, FOUR),
    ),
    "withdraw": (
        lambda: blind_tags.withdraw_tag(
            withdraw_secret=WithdrawSecret(ONE), actor_hash=ActorHash(TWO), ticket_hash=TicketHash(THREE)
        ),
        (b"ticket:withdraw", ONE, TWO, THREE),
    ),
    "unread withdraw": (
        lambda: blind_tags.unread_withdraw_tag(WithdrawSecret(ONE)),
        (b"unread:withdraw", ONE),
    ),
    "unread dedupe": (
        lambda: blind_tags.unread_dedupe_tag(
            account_id=AccountId(ONE), ticket_hash=TicketHash(TWO), key_seed=KeySeed(THREE)
        ),
        (b"unread:dedupe", ONE, TWO, THREE),
    ),
    "contact": (
        lambda: blind_tags.contact_tag(
            recipient_salt=ContactSalt(ONE),
            recipient_account_id=AccountId(TWO),
            sender_account_id=AccountId(THREE),
        ),
        (b"contact", ONE, TWO, THREE),
    ),
    "block": (
        lambda: blind_tags.block_tag(
            recipient_salt=ContactSalt(ONE),
            recipient_account_id=AccountId(TWO),
            sender_actor_hash=ActorHash(THREE),
        ),
        (b"block", ONE, TWO, THREE),
    ),
    "abuse subject": (lambda: blind_tags.abuse_subject_tag(ActorHash(ONE)), (b"abuse:subject", ONE)),
    "intent": (
        lambda: blind_tags.intent_tag("ticket-delivery", ONE, TWO),
        (b"intent", b"ticket-delivery", ONE, TWO),
    ),
}


@pytest.mark.parametrize("name", NAMED_TAGS)
def test_a_named_tag_has_its_own_domain_and_field_order(name: str) -> None:
    make, fields = NAMED_TAGS[name]
    assert make() == expected_tag(*fields)


def test_equal_inputs_give_different_tags_in_every_domain() -> None:
    same = ONE
    number = 49  # its decimal text is as good a field as any
    tags = [
        blind_tags.actor_hash(TelegramUserId(number)),
        blind_tags.lane_tag(ChatId(number)),
        blind_tags.ticket_hash(LookupNonce(same)),
        blind_tags.unread_withdraw_tag(WithdrawSecret(same)),
        blind_tags.abuse_subject_tag(ActorHash(same)),
        blind_tags.contact_tag(
            recipient_salt=ContactSalt(same),
            recipient_account_id=AccountId(same),
            sender_account_id=AccountId(same),
        ),
        blind_tags.block_tag(
            recipient_salt=ContactSalt(same),
            recipient_account_id=AccountId(same),
            sender_actor_hash=ActorHash(same),
        ),
        blind_tags.withdraw_tag(
            withdraw_secret=WithdrawSecret(same), actor_hash=ActorHash(same), ticket_hash=TicketHash(same)
        ),
        blind_tags.unread_dedupe_tag(
            account_id=AccountId(same), ticket_hash=TicketHash(same), key_seed=KeySeed(same)
        ),
        blind_tags.owner_proof(
            actor_hash=ActorHash(same),
            account_id=AccountId(same),
            ticket_hash=TicketHash(same),
            key_seed=KeySeed(same),
        ),
        blind_tags.intent_tag("intent", same),
    ]
    assert len(set(tags)) == len(tags) == len(NAMED_TAGS)


def test_domains_of_equal_length_are_told_apart() -> None:
    assert blind_tags.tag("block", ONE) != blind_tags.tag("clock", ONE)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((b"ab", b"c"), (b"a", b"bc")),
        ((b"abc",), (b"abc", b"")),
        ((b"",), ()),
        ((b"a\0\0\0\1b",), (b"a", b"b")),
    ],
)
def test_fields_never_run_into_each_other(first: tuple[bytes, ...], second: tuple[bytes, ...]) -> None:
    assert blind_tags.tag("domain", *first) != blind_tags.tag("domain", *second)
    assert blind_tags.intent_tag("kind", *first) != blind_tags.intent_tag("kind", *second)


def test_the_domain_never_runs_into_the_first_field() -> None:
    assert blind_tags.tag("ab", b"c") != blind_tags.tag("a", b"bc")
    assert blind_tags.intent_tag("ab", b"c") != blind_tags.intent_tag("a", b"bc")


def test_a_value_from_the_database_gives_the_same_tag() -> None:
    assert blind_tags.tag("domain", memoryview(ONE)) == blind_tags.tag("domain", ONE)


def test_a_number_is_no_field() -> None:
    with pytest.raises(TypeError):
        blind_tags.tag("domain", 5)  # type: ignore[arg-type]


def test_tags_depend_on_the_pepper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_keys, "_configured", process_keys._Configured())
    process_keys.configure(master_keys=MASTER_KEYS, pepper=base64url.encode(OTHER_PEPPER))
    assert blind_tags.tag("domain", ONE) == expected_tag(b"domain", ONE, pepper=OTHER_PEPPER)


def test_matching_compares_whole_values() -> None:
    assert blind_tags.tags_match(ONE, memoryview(bytes(ONE)))
    assert not blind_tags.tags_match(ONE, ONE[:-1])
    for position in range(len(ONE)):
        other = bytearray(ONE)
        other[position] ^= 1
        assert not blind_tags.tags_match(ONE, bytes(other))
