"""Keys are read strictly, and what is wrong is named without showing a key."""

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nekonymous_site.crypto import base64url, process_keys
from nekonymous_site.crypto.errors import KeysNotConfigured, MalformedKeys, UnknownKeyId
from nekonymous_site.crypto.identifiers import KeyId
from nekonymous_site.crypto.keyring import Keyring

FIRST, SECOND, THIRD = (bytes(range(start, start + 32)) for start in (10, 60, 110))
FIRST_TEXT, SECOND_TEXT, THIRD_TEXT = (base64url.encode(secret) for secret in (FIRST, SECOND, THIRD))


@pytest.fixture(autouse=True)
def unconfigured_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_keys, "_configured", process_keys._Configured())


def test_the_first_key_is_primary_and_all_are_found() -> None:
    keyring = Keyring.parse(f"7:{FIRST_TEXT},255:{SECOND_TEXT},1:{THIRD_TEXT}")

    assert keyring.primary_kid == 7
    secrets_by_kid = {kid: keyring.master_key(KeyId(kid)).secret for kid in (7, 255, 1)}
    assert secrets_by_kid == {7: FIRST, 255: SECOND, 1: THIRD}


def test_an_unknown_key_id_is_its_own_error() -> None:
    with pytest.raises(UnknownKeyId) as refusal:
        Keyring.parse(f"1:{FIRST_TEXT}").master_key(KeyId(2))
    assert refusal.value.kid == 2
    assert "kid 2" in str(refusal.value)


def test_what_key_generators_write_around_a_key_is_tolerated() -> None:
    padded = base64.urlsafe_b64encode(SECOND).decode()
    keyring = Keyring.parse(f" 1:{FIRST_TEXT} ,\n2:{padded}\n")
    assert keyring.master_key(KeyId(2)).secret == SECOND


MALFORMED = {
    "nothing": ("", "entry 1 is not written kid:key"),
    "no key id": (FIRST_TEXT, "entry 1 is not written kid:key"),
    "comma at the end": (f"1:{FIRST_TEXT},", "entry 2 is not written kid:key"),
    "kid zero": (f"0:{FIRST_TEXT}", "entry 1 has a key id that is not 1-255"),
    "kid 256": (f"1:{FIRST_TEXT},256:{SECOND_TEXT}", "entry 2 has a key id that is not 1-255"),
    "kid with a leading zero": (f"01:{FIRST_TEXT}", "entry 1 has a key id that is not 1-255"),
    "negative kid": (f"-1:{FIRST_TEXT}", "entry 1 has a key id that is not 1-255"),
    "Persian digit as kid": (f"۱:{FIRST_TEXT}", "entry 1 has a key id that is not 1-255"),
    "key as kid": (f"{FIRST_TEXT}:1", "entry 1 has a key id that is not 1-255"),
    "empty key": ("3:", "entry 1 (kid 3) is not canonical Base64URL"),
    "standard alphabet": (f"3:{'+/' * 21}A", "entry 1 (kid 3) is not canonical Base64URL"),
    "hexadecimal": (f"3:{FIRST.hex()}", "entry 1 (kid 3) has 48 bytes instead of 32"),
    "31 bytes": (f"3:{base64url.encode(FIRST[:31])}", "entry 1 (kid 3) has 31 bytes instead of 32"),
    "33 bytes": (f"3:{base64url.encode(FIRST + FIRST[:1])}", "entry 1 (kid 3) has 33 bytes instead of 32"),
    "all zero": (f"3:{base64url.encode(bytes(32))}", "entry 1 (kid 3) is weak"),
    "all equal": (f"1:{FIRST_TEXT},3:{base64url.encode(b'k' * 32)}", "entry 2 (kid 3) is weak"),
    "repeated half": (f"3:{base64url.encode(FIRST[:16] * 2)}", "entry 1 (kid 3) is weak"),
    "hexadecimal text as bytes": (
        f"3:{base64url.encode(FIRST.hex().encode()[:32])}",
        "entry 1 (kid 3) is weak",
    ),
    "repeated kid": (f"1:{FIRST_TEXT},1:{SECOND_TEXT}", "entry 2 repeats kid 1"),
    "repeated key": (
        f"1:{FIRST_TEXT},2:{SECOND_TEXT},3:{FIRST_TEXT}",
        "entry 3 (kid 3) has the key of kid 1",
    ),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_keys_are_refused_by_name(name: str) -> None:
    text, problem = MALFORMED[name]
    with pytest.raises(MalformedKeys) as refusal:
        Keyring.parse(text)
    assert problem in str(refusal.value)


@settings(deadline=None)
@given(secret=st.binary(min_size=32, max_size=32).filter(lambda secret: len(set(secret)) < 17))
def test_a_key_of_few_distinct_bytes_is_refused(secret: bytes) -> None:
    with pytest.raises(MalformedKeys, match="weak"):
        Keyring.parse(f"1:{base64url.encode(secret)}")


def test_there_are_no_keys_before_they_are_configured() -> None:
    with pytest.raises(KeysNotConfigured):
        process_keys.current()


def test_configured_keys_are_current() -> None:
    process_keys.configure(master_keys=f"4:{FIRST_TEXT}", pepper=f"{SECOND_TEXT}\n")
    assert process_keys.current().keyring.primary_kid == 4
    assert process_keys.current().pepper == SECOND


@pytest.mark.parametrize(
    ("pepper", "problem"),
    [
        (FIRST_TEXT, "the pepper equals a master key"),
        ("", "the pepper is not canonical Base64URL"),
        (base64url.encode(SECOND[:16]), "the pepper has 16 bytes instead of 32"),
        (base64url.encode(b"p" * 32), "the pepper is weak"),
    ],
)
def test_a_refused_pepper_changes_nothing(pepper: str, problem: str) -> None:
    process_keys.configure(master_keys=f"1:{SECOND_TEXT}", pepper=THIRD_TEXT)
    before = process_keys.current()

    with pytest.raises(MalformedKeys) as refusal:
        process_keys.configure(master_keys=f"2:{SECOND_TEXT},1:{FIRST_TEXT}", pepper=pepper)

    assert problem in str(refusal.value)
    assert process_keys.current() is before
