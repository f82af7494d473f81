"""What a person is about to send, as the value that lies sealed in their draft row."""

import json
from dataclasses import dataclass
from enum import StrEnum

from accounts.records import DRAFT
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.crypto.identifiers import AccountId, Envelope
from nekonymous_site.crypto.sealed_envelope import open_record, seal_record


class DraftMode(StrEnum):
    COMPOSE = "compose"
    REPLY = "reply"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ComposeDraft:
    """The next message goes to the owner of this link."""

    recipient: AccountId
    slug: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ReplyDraft:
    """The next message answers the ticket that this capability opens."""

    capability: Capability


Draft = ComposeDraft | ReplyDraft


def seal_draft(draft: Draft, *, owner: AccountId) -> Envelope:
    """Seal a draft, bound to the account that is writing it."""
    match draft:
        case ComposeDraft():
            value = {"mode": DraftMode.COMPOSE, "recipient": draft.recipient.hex(), "slug": draft.slug}
        case ReplyDraft():
            value = {"mode": DraftMode.REPLY, "capability": draft.capability.to_text()}
    return seal_record(DRAFT, record_id=owner, plaintext=json.dumps(value).encode())


def open_draft(envelope: Envelope, *, owner: AccountId) -> Draft:
    """Open what `seal_draft` sealed; raises CryptoError when it is not this account's draft."""
    value = json.loads(open_record(DRAFT, record_id=owner, envelope=envelope))
    if value["mode"] == DraftMode.COMPOSE:
        return ComposeDraft(recipient=AccountId(bytes.fromhex(value["recipient"])), slug=value["slug"])
    return ReplyDraft(capability=Capability.parse(value["capability"]))
