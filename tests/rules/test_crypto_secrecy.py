"""No secret shows in what a log line, a debugger's summary or an error report would print."""

import base64
import traceback
from collections.abc import Callable, Iterator

import pytest

from nekonymous_site.crypto import base64url, errors, process_keys
from nekonymous_site.crypto.capabilities import Capability, WithdrawToken
from nekonymous_site.crypto.identifiers import KeyId, KeySeed, LookupNonce, WithdrawSecret
from nekonymous_site.crypto.keyring import Keyring
from nekonymous_site.crypto.sealed_envelope import RecordKind, open_record, seal_record
from nekonymous_site.crypto.ticket_capsules import TicketPlaintext, open_payload, seal_ticket

MASTER, OTHER_MASTER, PEPPER = (bytes(range(start, start + 32)) for start in (130, 170, 210))
NONCE, SEED, WITHDRAW = b"NONCE-of-ticket!", b"SEED-of-a-ticket", b"WITHDRAW-secret!"
PLAINTEXT = b"words of a person"
SECRETS = {
    "master": MASTER,
    "other master": OTHER_MASTER,
    "pepper": PEPPER,
    "lookup nonce": NONCE,
    "key seed": SEED,
    "withdraw secret": WITHDRAW,
    "capability": NONCE + SEED,
    "token": NONCE + WITHDRAW,
    "plaintext": PLAINTEXT,
}
MASTER_KEYS = f"1:{base64url.encode(MASTER)},2:{base64url.encode(OTHER_MASTER)}"
CAPABILITY = Capability(lookup_nonce=LookupNonce(NONCE), key_seed=KeySeed(SEED))
TOKEN = WithdrawToken(lookup_nonce=LookupNonce(NONCE), withdraw_secret=WithdrawSecret(WITHDRAW))
KIND = RecordKind(domain="account:draft", padded_bytes=64)


@pytest.fixture(autouse=True, scope="module")
def configured_keys() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process_keys, "_configured", process_keys._Configured())
        process_keys.configure(master_keys=MASTER_KEYS, pepper=base64url.encode(PEPPER))
        yield


def secrets_shown_in(text: str) -> list[str]:
    """Names of the secrets of which eight bytes or more stand in `text`, in any usual spelling."""
    shown = []
    for name, secret in SECRETS.items():
        start = secret[:9]
        spellings = (
            repr(start)[2:-1],
            start.decode("latin-1"),
            start.hex(),
            base64.urlsafe_b64encode(start).decode(),
            str(list(start))[1:-1],
        )
        if any(spelling in text for spelling in spellings):
            shown.append(name)
    return shown


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_the_search_for_secrets_finds_them(secret: bytes) -> None:
    for text in (f"{secret!r}", secret.hex(), base64url.encode(secret), f"{list(secret)}"):
        assert secrets_shown_in(f"before {text} after")


def holders() -> dict[str, object]:
    plaintext = TicketPlaintext(route=PLAINTEXT, payload=PLAINTEXT, meta=PLAINTEXT)
    keyring = Keyring.parse(MASTER_KEYS)
    return {
        "capability": CAPABILITY,
        "withdraw token": TOKEN,
        "keyring": keyring,
        "master key": keyring.master_key(KeyId(1)),
        "process keys": process_keys.current(),
        "ticket plaintext": plaintext,
        "sealed ticket": seal_ticket(CAPABILITY, plaintext),
    }


@pytest.mark.parametrize(
    "name",
    [
        "capability",
        "withdraw token",
        "keyring",
        "master key",
        "process keys",
        "ticket plaintext",
        "sealed ticket",
    ],
)
def test_a_holder_of_secrets_prints_none(name: str) -> None:
    holder = holders()[name]
    for text in (repr(holder), str(holder), f"{holder}", f"{[holder]}"):
        assert type(holder).__name__ in text
        assert secrets_shown_in(text) == []


def test_a_sealed_ticket_does_not_print_its_hash() -> None:
    ticket = seal_ticket(CAPABILITY, TicketPlaintext(route=b"", payload=b"", meta=b""))
    assert repr(ticket) == "SealedTicket()"


def open_moved_record() -> None:
    envelope = seal_record(KIND, record_id=b"row", plaintext=PLAINTEXT)
    open_record(KIND, record_id=b"other row", envelope=envelope)


def open_ticket_with_another_seed() -> None:
    plaintext = TicketPlaintext(route=PLAINTEXT, payload=PLAINTEXT, meta=PLAINTEXT)
    ticket = seal_ticket(CAPABILITY, plaintext)
    other = Capability(lookup_nonce=CAPABILITY.lookup_nonce, key_seed=KeySeed(WITHDRAW))
    open_payload(other, ticket.payload)


FAILURES: dict[str, tuple[Callable[[], object], type[errors.CryptoError]]] = {
    "moved record": (open_moved_record, errors.EnvelopeUnreadable),
    "another seed": (open_ticket_with_another_seed, errors.EnvelopeUnreadable),
    "plaintext as envelope": (lambda: open_payload(CAPABILITY, PLAINTEXT), errors.EnvelopeUnreadable),
    "long plaintext": (
        lambda: seal_record(KIND, record_id=b"row", plaintext=PLAINTEXT * 9),
        errors.PlaintextTooLong,
    ),
    "long capability": (lambda: Capability.parse(CAPABILITY.to_text() + "A"), errors.MalformedCapability),
    "padded token": (lambda: WithdrawToken.parse(TOKEN.to_text() + "="), errors.MalformedCapability),
    "long half": (
        lambda: Capability(lookup_nonce=LookupNonce(NONCE + SEED), key_seed=KeySeed(SEED)),
        errors.MalformedCapability,
    ),
    "unknown key": (lambda: Capability.derive("operation", kid=KeyId(3)), errors.UnknownKeyId),
    "key before the colon": (lambda: Keyring.parse(f"{base64url.encode(MASTER)}:1"), errors.MalformedKeys),
    "key without a colon": (lambda: Keyring.parse(base64url.encode(MASTER)), errors.MalformedKeys),
    "long key": (lambda: Keyring.parse(f"1:{base64url.encode(MASTER + PEPPER)}"), errors.MalformedKeys),
    "spoilt key": (lambda: Keyring.parse(f"1:{base64url.encode(MASTER)}!"), errors.MalformedKeys),
    "repeated key": (
        lambda: Keyring.parse(f"1:{base64url.encode(MASTER)},2:{base64url.encode(MASTER)}"),
        errors.MalformedKeys,
    ),
    "pepper equal to a key": (
        lambda: process_keys.configure(master_keys=MASTER_KEYS, pepper=base64url.encode(MASTER)),
        errors.MalformedKeys,
    ),
}


def chain_of(error: BaseException) -> Iterator[BaseException]:
    current: BaseException | None = error
    while current is not None:
        yield current
        current = current.__cause__ or current.__context__


@pytest.mark.parametrize("name", FAILURES)
def test_an_error_prints_no_secret(name: str) -> None:
    fail, expected = FAILURES[name]
    with pytest.raises(expected) as refusal:
        fail()

    error = refusal.value
    assert error.__cause__ is None
    printed = [*traceback.format_exception(error), repr(vars(error))]
    # Even what `from None` hides is looked at: a reporter may walk the chain itself.
    printed += [f"{link} {link!r} {link.args!r}" for link in chain_of(error)]
    assert secrets_shown_in("\n".join(printed)) == []
    assert error.__context__ is None or error.__suppress_context__


@pytest.mark.parametrize(
    "error",
    [errors.EnvelopeUnreadable(), errors.MalformedCapability(), errors.KeysNotConfigured()],
    ids=lambda error: type(error).__name__,
)
def test_the_message_of_an_error_is_its_docstring(error: errors.CryptoError) -> None:
    assert str(error) == type(error).__doc__
    assert isinstance(error, errors.CryptoError)
