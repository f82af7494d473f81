"""Capabilities and withdraw tokens have one text each, and derived ones are the same on every try."""

import base64
import hashlib
import hmac
import string
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nekonymous_site.crypto import base64url, process_keys
from nekonymous_site.crypto.capabilities import Capability, WithdrawToken
from nekonymous_site.crypto.errors import MalformedCapability, UnknownKeyId
from nekonymous_site.crypto.identifiers import KeyId, KeySeed, LookupNonce, WithdrawSecret

OLD_SECRET, NEW_SECRET, PEPPER = (bytes(range(start, start + 32)) for start in (0, 50, 100))
OLD_KEY = f"1:{base64url.encode(OLD_SECRET)}"
NEW_KEY = f"2:{base64url.encode(NEW_SECRET)}"
ALPHABET = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"

Parse = Callable[[str], Capability | WithdrawToken]
PARSERS: list[Parse] = [Capability.parse, WithdrawToken.parse]
halves = st.binary(min_size=16, max_size=16).filter(any)
both_kinds = pytest.mark.parametrize("parse", PARSERS, ids=["capability", "withdraw token"])


@pytest.fixture(autouse=True, scope="module")
def configured_keys() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process_keys, "_configured", process_keys._Configured())
        process_keys.configure(master_keys=f"{OLD_KEY},{NEW_KEY}", pepper=base64url.encode(PEPPER))
        yield


@settings(deadline=None)
@given(first=halves, second=halves)
def test_the_text_of_a_capability_comes_back(first: bytes, second: bytes) -> None:
    capability = Capability(lookup_nonce=LookupNonce(first), key_seed=KeySeed(second))
    text = capability.to_text()

    assert text == base64.urlsafe_b64encode(first + second).decode().rstrip("=")
    assert len(text) == 43
    assert Capability.parse(text) == capability


@settings(deadline=None)
@given(first=halves, second=halves)
def test_the_text_of_a_withdraw_token_comes_back(first: bytes, second: bytes) -> None:
    token = WithdrawToken(lookup_nonce=LookupNonce(first), withdraw_secret=WithdrawSecret(second))
    assert len(token.to_text()) == 43
    assert WithdrawToken.parse(token.to_text()) == token


def test_new_ones_are_random() -> None:
    capabilities = [Capability.new() for _ in range(50)]
    assert len({capability.lookup_nonce for capability in capabilities}) == 50
    assert len({capability.key_seed for capability in capabilities}) == 50

    nonce = capabilities[0].lookup_nonce
    tokens = [WithdrawToken.new(nonce) for _ in range(50)]
    assert {token.lookup_nonce for token in tokens} == {nonce}
    assert len({token.withdraw_secret for token in tokens}) == 50


@both_kinds
def test_trailing_bits_are_refused(parse: Parse) -> None:
    text = Capability.new().to_text()
    canonical = ALPHABET.index(text[-1])
    assert canonical % 4 == 0
    for trailing_bits in (1, 2, 3):
        with pytest.raises(MalformedCapability):
            parse(text[:-1] + ALPHABET[canonical + trailing_bits])


def test_every_last_character_is_canonical_or_refused() -> None:
    start = Capability.new().to_text()[:-1]
    accepted = []
    for character in ALPHABET:
        try:
            Capability.parse(start + character)
        except MalformedCapability:
            continue
        accepted.append(character)
    assert accepted == list(ALPHABET[::4])


GOOD = base64url.encode(bytes(range(1, 33)))
REFUSED = {
    "nothing": "",
    "41 characters": GOOD[:-2],
    "42 characters": GOOD[:-1],
    "44 characters": GOOD + "A",
    "45 characters": GOOD + "AA",
    "closing padding": GOOD + "=",
    "padding in place": GOOD[:-1] + "=",
    "33 bytes": base64url.encode(bytes(range(1, 34))),
    "31 bytes": base64url.encode(bytes(range(1, 32))),
    "plus": "+" + GOOD[1:],
    "slash": "/" + GOOD[1:],
    "space before": " " + GOOD,
    "space after": GOOD + " ",
    "space within": GOOD[:20] + " " + GOOD[21:],
    "new line after": GOOD + "\n",
    "new line within": GOOD[:20] + "\n" + GOOD[20:],
    "dot within": GOOD[:20] + "." + GOOD[20:],
    "Persian digit": "۱" + GOOD[1:],
    "Arabic digit": "١" + GOOD[1:],
    "full-width letter": "Ａ" + GOOD[1:],
    "zero byte": "\0" + GOOD[1:],
    "lone surrogate": "\ud800" + GOOD[1:],
    "zero lookup nonce": base64url.encode(bytes(16) + b"k" * 16),
    "zero second half": base64url.encode(b"n" * 16 + bytes(16)),
    "all zero": base64url.encode(bytes(32)),
}


@both_kinds
@pytest.mark.parametrize("name", REFUSED)
def test_other_texts_are_refused(parse: Parse, name: str) -> None:
    parse(GOOD)
    with pytest.raises(MalformedCapability):
        parse(REFUSED[name])


@settings(deadline=None)
@given(
    text=st.text(alphabet=ALPHABET, min_size=43, max_size=43)
    | st.text(alphabet=ALPHABET + "+/= \n۱", min_size=42, max_size=44)
)
def test_whatever_is_accepted_is_its_own_canonical_text(text: str) -> None:
    try:
        capability = Capability.parse(text)
    except MalformedCapability:
        return
    assert capability.to_text() == text


@pytest.mark.parametrize("half", [b"", b"h" * 15, b"h" * 17, bytes(16)])
def test_halves_of_a_wrong_kind_are_refused(half: bytes) -> None:
    good = b"g" * 16
    with pytest.raises(MalformedCapability):
        Capability(lookup_nonce=LookupNonce(half), key_seed=KeySeed(good))
    with pytest.raises(MalformedCapability):
        Capability(lookup_nonce=LookupNonce(good), key_seed=KeySeed(half))
    with pytest.raises(MalformedCapability):
        WithdrawToken(lookup_nonce=LookupNonce(good), withdraw_secret=WithdrawSecret(half))


def expected_derivation(master_secret: bytes, operation_id: bytes) -> bytes:
    """HKDF-SHA256 of one block without salt, written out with HMAC."""
    fields = (b"derived capability", operation_id)
    info = b"".join(len(field).to_bytes(4, "big") + field for field in fields)
    root = hmac.digest(bytes(32), master_secret, "sha256")
    return hmac.new(root, info + b"\1", hashlib.sha256).digest()


def test_a_derived_capability_is_the_documented_one() -> None:
    capability = Capability.derive("conversation-request:abc", kid=KeyId(2))
    raw = expected_derivation(NEW_SECRET, b"conversation-request:abc")
    assert (capability.lookup_nonce, capability.key_seed) == (raw[:16], raw[16:])


def test_a_derived_capability_differs_by_operation_and_key() -> None:
    operations = ["conversation-request:abc", "conversation-request:abd", ""]
    made = {Capability.derive(name, kid=KeyId(kid)).to_text() for name in operations for kid in (1, 2)}
    assert len(made) == 6


def test_a_rotation_between_two_tries_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    first_try = Capability.derive("operation", kid=KeyId(1))
    monkeypatch.setattr(process_keys, "_configured", process_keys._Configured())
    process_keys.configure(master_keys=f"{NEW_KEY},{OLD_KEY}", pepper=base64url.encode(PEPPER))
    assert Capability.derive("operation", kid=KeyId(1)) == first_try


def test_a_derivation_under_an_unknown_key_is_a_temporary_failure() -> None:
    with pytest.raises(UnknownKeyId):
        Capability.derive("operation", kid=KeyId(9))
