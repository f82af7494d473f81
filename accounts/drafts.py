"""What a person is about to send, as the value that lies sealed in their draft row."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from accounts.records import DRAFT
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.crypto.identifiers import AccountId, Envelope
from nekonymous_site.crypto.sealed_envelope import open_record, seal_record

NICKNAME_MINUTES: Final = 10


class DraftMode(StrEnum):
    COMPOSE = "compose"
    REPLY = "reply"
    NICKNAME = "nickname"
    DISPLAY_NAME = "display_name"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ComposeDraft:
    """The next message goes to the owner of this link."""

    recipient: AccountId
    slug: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ReplyDraft:
    """The next message answers the ticket that this capability opens."""

    capability: Capability


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NicknameDraft:
    """The next text names whoever sent this ticket; for ten minutes."""

    capability: Capability
    message_id: int  # of the delivered message, whose buttons then show the name
    possible_repeat: bool  # whether those buttons carry that mark
    ends_at: datetime

    @classmethod
    def from_now(cls, capability: Capability, *, message_id: int, possible_repeat: bool) -> "NicknameDraft":
        return cls(
            capability=capability,
            message_id=message_id,
            possible_repeat=possible_repeat,
            ends_at=datetime.now(UTC) + timedelta(minutes=NICKNAME_MINUTES),
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DisplayNameDraft:
    """The next text is what whoever opens the writer's link is told."""


MessageDraft = ComposeDraft | ReplyDraft
Draft = MessageDraft | NicknameDraft | DisplayNameDraft


def seal_draft(draft: Draft, *, owner: AccountId) -> Envelope:
    """Seal a draft, bound to the account that is writing it."""
    return seal_record(DRAFT, record_id=owner, plaintext=json.dumps(draft_to_value(draft)).encode())


def open_draft(envelope: Envelope, *, owner: AccountId) -> Draft | None:
    """Open what `seal_draft` sealed; None when its minutes are over.

    Raises CryptoError when it is not this account's draft.
    """
    draft = draft_from_value(json.loads(open_record(DRAFT, record_id=owner, envelope=envelope)))
    if isinstance(draft, NicknameDraft) and draft.ends_at <= datetime.now(UTC):
        return None
    return draft


def draft_to_value(draft: Draft) -> dict[str, Any]:
    """Write a draft as JSON values; `draft_from_value` reads them."""
    match draft:
        case ComposeDraft():
            return {"mode": DraftMode.COMPOSE, "recipient": draft.recipient.hex(), "slug": draft.slug}
        case ReplyDraft():
            return {"mode": DraftMode.REPLY, "capability": draft.capability.to_text()}
        case NicknameDraft():
            return {
                "mode": DraftMode.NICKNAME,
                "capability": draft.capability.to_text(),
                "message": draft.message_id,
                "repeat": draft.possible_repeat,
                "ends_at": draft.ends_at.isoformat(),
            }
        case DisplayNameDraft():
            return {"mode": DraftMode.DISPLAY_NAME}


def draft_from_value(value: dict[str, Any]) -> Draft:
    """Read what `draft_to_value` wrote."""
    match DraftMode(value["mode"]):
        case DraftMode.COMPOSE:
            return ComposeDraft(recipient=AccountId(bytes.fromhex(value["recipient"])), slug=value["slug"])
        case DraftMode.REPLY:
            return ReplyDraft(capability=Capability.parse(value["capability"]))
        case DraftMode.NICKNAME:
            return NicknameDraft(
                capability=Capability.parse(value["capability"]),
                message_id=value["message"],
                possible_repeat=value["repeat"],
                ends_at=datetime.fromisoformat(value["ends_at"]),
            )
        case DraftMode.DISPLAY_NAME:
            return DisplayNameDraft()
