"""The primitives give the published values, through the very functions the package uses."""

import json
from pathlib import Path
from typing import Any

import pytest

from nekonymous_site.crypto import aead, key_derivation
from nekonymous_site.crypto.errors import EnvelopeUnreadable

VECTORS = Path(__file__).parent / "vectors"


HKDF_CASES = json.loads((VECTORS / "hkdf_sha256_rfc5869.json").read_text("utf-8"))["cases"]
XCHACHA = json.loads((VECTORS / "xchacha20poly1305_draft_irtf_cfrg_xchacha.json").read_text("utf-8"))


@pytest.mark.parametrize("case", HKDF_CASES, ids=lambda case: case["name"])
def test_hkdf_gives_the_values_of_rfc_5869(case: dict[str, Any]) -> None:
    key_material, salt, info = (bytes.fromhex(case[name]) for name in ("key_material", "salt", "info"))
    length_bytes = case["length_bytes"]

    pseudorandom_key = key_derivation.extract(key_material, salt=salt)

    assert pseudorandom_key.hex() == case["pseudorandom_key"]
    expanded = key_derivation.expand(pseudorandom_key, info=info, length_bytes=length_bytes)
    assert expanded.hex() == case["output"]
    derived = key_derivation.derive(key_material, salt=salt, info=info, length_bytes=length_bytes)
    assert derived.hex() == case["output"]


def test_xchacha20_poly1305_gives_the_values_of_the_draft() -> None:
    plaintext = bytes.fromhex(XCHACHA["plaintext"])
    ciphertext = bytes.fromhex(XCHACHA["ciphertext"] + XCHACHA["authenticator"])
    parameters = {name: bytes.fromhex(XCHACHA[name]) for name in ("associated_data", "nonce", "key")}

    assert aead.encrypt(plaintext, **parameters) == ciphertext
    assert aead.decrypt(ciphertext, **parameters) == plaintext


@pytest.mark.parametrize("parameter", ["associated_data", "nonce", "key"])
def test_a_vector_with_another_parameter_does_not_open(parameter: str) -> None:
    ciphertext = bytes.fromhex(XCHACHA["ciphertext"] + XCHACHA["authenticator"])
    parameters = {name: bytes.fromhex(XCHACHA[name]) for name in ("associated_data", "nonce", "key")}
    parameters[parameter] = bytes(len(parameters[parameter]))

    with pytest.raises(EnvelopeUnreadable):
        aead.decrypt(ciphertext, **parameters)


@pytest.mark.parametrize("length_bytes", range(aead.AUTHENTICATOR_BYTES + 1))
def test_too_little_for_an_authenticator_does_not_open(length_bytes: int) -> None:
    with pytest.raises(EnvelopeUnreadable):
        aead.decrypt(bytes(length_bytes), associated_data=b"", nonce=bytes(24), key=bytes(32))
