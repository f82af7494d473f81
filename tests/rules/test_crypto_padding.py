"""Padding hides sizes, and each plaintext has exactly one padded form."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nekonymous_site.crypto.errors import EnvelopeUnreadable, PlaintextTooLong
from nekonymous_site.crypto.plaintext_padding import FixedSize, PaddingRule, PadmeFrom, pad, padme, unpad

RULES: list[PaddingRule] = [FixedSize(512), PadmeFrom(256)]
plaintexts = st.binary(max_size=508)


@settings(deadline=None)
@given(plaintext=plaintexts, rule=st.sampled_from(RULES))
def test_what_is_padded_comes_back(plaintext: bytes, rule: PaddingRule) -> None:
    assert unpad(pad(plaintext, rule), rule) == plaintext


@settings(deadline=None)
@given(plaintext=plaintexts)
def test_a_fixed_size_is_one_size(plaintext: bytes) -> None:
    assert len(pad(plaintext, FixedSize(512))) == 512


def test_a_fixed_size_counts_its_length_prefix() -> None:
    rule = FixedSize(64)
    assert len(pad(bytes(60), rule)) == 64
    with pytest.raises(PlaintextTooLong) as refusal:
        pad(bytes(61), rule)
    assert refusal.value.capacity_bytes == 60


# By hand: 1025 = 2^10 + 1 keeps 4 bits below the leading one, so it is rounded up to a multiple of 2^6.
@pytest.mark.parametrize(
    ("length_bytes", "padded_bytes"),
    [(2, 2), (8, 8), (9, 10), (256, 256), (257, 272), (1000, 1024), (1024, 1024), (1025, 1088), (4100, 4352)],
)
def test_padme_of_known_lengths(length_bytes: int, padded_bytes: int) -> None:
    assert padme(length_bytes) == padded_bytes


@settings(deadline=None)
@given(length_bytes=st.integers(min_value=2, max_value=2**24))
def test_padme_follows_its_definition(length_bytes: int) -> None:
    exponent = math.floor(math.log2(length_bytes))
    zero_bits = max(exponent - math.floor(math.log2(exponent)) - 1, 0)
    padded_bytes = math.ceil(length_bytes / 2**zero_bits) * 2**zero_bits

    assert padme(length_bytes) == padded_bytes
    assert padded_bytes <= length_bytes * 1.12
    assert padme(padded_bytes) == padded_bytes


def test_small_payloads_share_the_least_size() -> None:
    rule = PadmeFrom(256)
    assert {len(pad(bytes(size), rule)) for size in (0, 1, 100, 252)} == {256}
    assert len(pad(bytes(253), rule)) == 272


def tampered_forms() -> dict[str, bytes]:
    good = pad(b"text", FixedSize(64))
    return {
        "nothing": b"",
        "half a length": good[:2],
        "one byte short": good[:-1],
        "one byte over": good + b"\0",
        "last byte set": good[:-1] + b"\1",
        "first padding byte set": good[:8] + b"\1" + good[9:],
        "length too small": b"\0\0\0\3" + good[4:],
        "length beyond the end": b"\0\0\0\x3d" + good[4:],
        "length of four gigabytes": b"\xff\xff\xff\xff" + good[4:],
    }


@pytest.mark.parametrize("name", tampered_forms())
def test_tampered_padding_is_refused(name: str) -> None:
    with pytest.raises(EnvelopeUnreadable):
        unpad(tampered_forms()[name], FixedSize(64))


def test_the_padding_of_another_rule_is_refused() -> None:
    padded = pad(b"text", FixedSize(512))
    for rule in (FixedSize(513), FixedSize(1024), PadmeFrom(256)):
        with pytest.raises(EnvelopeUnreadable):
            unpad(padded, rule)
