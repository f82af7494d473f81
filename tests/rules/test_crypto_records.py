"""Sealed records open only as the record they were sealed for, and only untouched."""

import hashlib
import hmac
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nekonymous_site.crypto import aead, base64url, process_keys
from nekonymous_site.crypto.errors import EnvelopeUnreadable, PlaintextTooLong, UnknownKeyId
from nekonymous_site.crypto.sealed_envelope import RecordKind, open_record, seal_record

MASTER_SECRET, NEW_SECRET, PEPPER = (bytes(range(start, start + 32)) for start in (0, 50, 100))
MASTER_KEY = f"1:{base64url.encode(MASTER_SECRET)}"
NEW_KEY = f"255:{base64url.encode(NEW_SECRET)}"
PEPPER_TEXT = base64url.encode(PEPPER)

DRAFT = RecordKind(domain="account:draft", padded_bytes=128)
NICKNAME = RecordKind(domain="account:nickname", padded_bytes=128)
ROW, OTHER_ROW = b"row-one-16-bytes", b"row-two-16-bytes"
# version, kid, nonce and authenticator
OVERHEAD_BYTES = 1 + 1 + 24 + 16


@pytest.fixture(autouse=True, scope="module")
def configured_keys() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process_keys, "_configured", process_keys._Configured())
        process_keys.configure(master_keys=MASTER_KEY, pepper=PEPPER_TEXT)
        yield


def reconfigure(monkeypatch: pytest.MonkeyPatch, master_keys: str) -> None:
    monkeypatch.setattr(process_keys, "_configured", process_keys._Configured())
    process_keys.configure(master_keys=master_keys, pepper=PEPPER_TEXT)


def framed(*fields: bytes) -> bytes:
    return b"".join(len(field).to_bytes(4, "big") + field for field in fields)


def seal_by_hand(padded: bytes, *, version: int = 1, kid: int = 1) -> bytes:
    """The documented format put together from HMAC and the AEAD alone."""
    root = hmac.digest(bytes(32), MASTER_SECRET, "sha256")
    info = framed(b"sealed record", DRAFT.domain.encode(), ROW)
    key = hmac.new(root, info + b"\1", hashlib.sha256).digest()
    header = bytes([version, kid])
    associated_data = header + framed(DRAFT.domain.encode(), ROW)
    nonce = bytes(range(24))
    return header + nonce + aead.encrypt(padded, associated_data=associated_data, nonce=nonce, key=key)


def open_draft(envelope: bytes | memoryview) -> bytes:
    return open_record(DRAFT, record_id=ROW, envelope=envelope)


@settings(deadline=None)
@given(plaintext=st.binary(max_size=124), record_id=st.binary())
def test_a_record_comes_back_and_has_one_size(plaintext: bytes, record_id: bytes) -> None:
    envelope = seal_record(DRAFT, record_id=record_id, plaintext=plaintext)
    assert len(envelope) == 128 + OVERHEAD_BYTES
    assert open_record(DRAFT, record_id=record_id, envelope=envelope) == plaintext


def test_values_from_the_database_are_accepted() -> None:
    envelope = seal_record(DRAFT, record_id=memoryview(ROW), plaintext=b"text")
    assert open_record(DRAFT, record_id=memoryview(ROW), envelope=memoryview(envelope)) == b"text"
    assert open_draft(envelope) == b"text"


def test_the_stored_format_is_the_documented_one() -> None:
    assert open_draft(seal_by_hand(framed(b"text").ljust(128, b"\0"))) == b"text"


def test_two_envelopes_of_one_text_share_only_the_header() -> None:
    first, second = (seal_record(DRAFT, record_id=ROW, plaintext=b"text") for _ in range(2))
    assert first[:2] == second[:2] == b"\1\1"
    assert first[2:26] != second[2:26]
    assert first[26:] != second[26:]


def test_a_text_too_long_for_its_kind_is_refused() -> None:
    with pytest.raises(PlaintextTooLong) as refusal:
        seal_record(DRAFT, record_id=ROW, plaintext=bytes(125))
    assert refusal.value.capacity_bytes == 124


@pytest.mark.parametrize("mask", [0x01, 0x80, 0xFF])
def test_one_changed_byte_anywhere_is_refused(mask: int) -> None:
    envelope = seal_record(DRAFT, record_id=ROW, plaintext=b"text")
    kid_position = 1
    for position in range(len(envelope)):
        changed = bytearray(envelope)
        changed[position] ^= mask
        # Another key id names a key this process does not have, except zero, which names none.
        is_other_key = position == kid_position and changed[position] != 0
        with pytest.raises(UnknownKeyId if is_other_key else EnvelopeUnreadable):
            open_draft(bytes(changed))


def test_every_truncation_is_refused() -> None:
    envelope = seal_record(DRAFT, record_id=ROW, plaintext=b"text")
    for length in range(len(envelope)):
        with pytest.raises(EnvelopeUnreadable):
            open_draft(envelope[:length])


@pytest.mark.parametrize("extra", [b"\0", b"x", bytes(16)])
def test_every_extension_is_refused(extra: bytes) -> None:
    envelope = seal_record(DRAFT, record_id=ROW, plaintext=b"text")
    for longer in (envelope + extra, extra + envelope, envelope[:26] + extra + envelope[26:]):
        with pytest.raises(EnvelopeUnreadable):
            open_draft(longer)


@settings(deadline=None)
@given(
    garbage=st.binary(max_size=256).map(lambda rest: b"\1\1" + rest)
    | st.binary().filter(lambda b: b[:1] != b"\1")
)
def test_garbage_is_refused(garbage: bytes) -> None:
    with pytest.raises(EnvelopeUnreadable):
        open_draft(garbage)


@pytest.mark.parametrize("value", [None, "text", 5, [1, 2], object()], ids=type)
def test_what_is_not_bytes_is_refused(value: object) -> None:
    with pytest.raises(EnvelopeUnreadable):
        open_draft(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("version", [0, 2, 255])
def test_another_version_is_refused_though_it_is_authentic(version: int) -> None:
    with pytest.raises(EnvelopeUnreadable):
        open_draft(seal_by_hand(framed(b"text").ljust(128, b"\0"), version=version))


@pytest.mark.parametrize(
    "padded",
    [
        framed(b"text").ljust(127, b"\0") + b"\1",
        b"\0\0\0\3text".ljust(128, b"\0"),
        b"\0\0\0\x7dtext".ljust(128, b"\0"),
        framed(b"text").ljust(127, b"\0"),
        framed(b"text").ljust(129, b"\0"),
        b"text",
        b"",
    ],
    ids=["last byte", "length short", "length long", "size short", "size long", "no padding", "nothing"],
)
def test_wrong_padding_is_refused_though_it_is_authentic(padded: bytes) -> None:
    with pytest.raises(EnvelopeUnreadable):
        open_draft(seal_by_hand(padded))


def test_an_envelope_moved_to_another_row_or_domain_is_refused() -> None:
    envelope = seal_record(DRAFT, record_id=ROW, plaintext=b"text")
    for kind, record_id in ((DRAFT, OTHER_ROW), (NICKNAME, ROW), (DRAFT, b""), (DRAFT, ROW + b"\0")):
        with pytest.raises(EnvelopeUnreadable):
            open_record(kind, record_id=record_id, envelope=envelope)


def test_domain_and_row_never_run_into_each_other() -> None:
    first, second = (RecordKind(domain=domain, padded_bytes=64) for domain in ("ab", "a"))
    envelope = seal_record(first, record_id=b"c", plaintext=b"text")
    with pytest.raises(EnvelopeUnreadable):
        open_record(second, record_id=b"bc", envelope=envelope)


def test_a_rotated_keyring_opens_old_and_seals_new(monkeypatch: pytest.MonkeyPatch) -> None:
    old = seal_record(DRAFT, record_id=ROW, plaintext=b"old")
    reconfigure(monkeypatch, f"{NEW_KEY},{MASTER_KEY}")
    new = seal_record(DRAFT, record_id=ROW, plaintext=b"new")

    assert (old[1], new[1]) == (1, 255)
    assert (open_draft(old), open_draft(new)) == (b"old", b"new")

    relabelled = new[:1] + b"\1" + new[2:]
    with pytest.raises(EnvelopeUnreadable):
        open_draft(relabelled)


def test_a_newer_key_of_another_process_is_a_temporary_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as other_process:
        reconfigure(other_process, f"{NEW_KEY},{MASTER_KEY}")
        envelope = seal_record(DRAFT, record_id=ROW, plaintext=b"text")
    with pytest.raises(UnknownKeyId) as refusal:
        open_draft(envelope)
    assert refusal.value.kid == 255


def test_another_key_under_the_same_id_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    envelope = seal_record(DRAFT, record_id=ROW, plaintext=b"text")
    reconfigure(monkeypatch, f"1:{base64url.encode(NEW_SECRET)}")
    with pytest.raises(EnvelopeUnreadable):
        open_draft(envelope)
