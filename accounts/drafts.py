"""What a person is about to send, as the value that lies sealed in their draft row."""

import json
import time
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from accounts.records import DRAFT
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.crypto.identifiers import AccountId, ContactSalt, Envelope
from nekonymous_site.crypto.sealed_envelope import open_record, seal_record
from nekonymous_site.crypto.sealed_values import read_sealed_value

NAMING_MINUTES: Final = 10


class DraftMode(StrEnum):
    COMPOSE = "compose"
    REPLY = "reply"
    NICKNAME = "nickname"
    DISPLAY_NAME = "display_name"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ComposeDraft:
    """The next message goes to the owner of this link."""

    recipient: AccountId
    contact_salt: ContactSalt  # the recipient's
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


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DisplayNameDraft:
    """The next text is what whoever opens the writer's link is told; for ten minutes."""


MessageDraft = ComposeDraft | ReplyDraft
Draft = MessageDraft | NicknameDraft | DisplayNameDraft


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OpenDraft:
    """A draft as it lies in its row: what was written before it was opened is not meant for it."""

    draft: Draft
    opened_at: int  # whole seconds since 1970, as Telegram dates messages

    def is_meant_by(self, *, written_at: int | None) -> bool:
        """Tell whether a message may be for this draft; one without a date is given the benefit."""
        return written_at is None or written_at >= self.opened_at


def seal_draft(draft: Draft, *, owner: AccountId, opened_at: int) -> Envelope:
    """Seal a draft, bound to the account that is writing it."""
    value = draft_to_value(draft) | {"opened_at": opened_at}
    return seal_record(DRAFT, record_id=owner, plaintext=json.dumps(value).encode())


def open_draft(envelope: Envelope, *, owner: AccountId) -> OpenDraft | None:
    """Open what `seal_draft` sealed; None when its minutes are over.

    Raises CryptoError when it is not this account's draft.
    """
    opened = read_sealed_value(
        open_record(DRAFT, record_id=owner, envelope=envelope),
        read=lambda value: OpenDraft(draft=draft_from_value(value), opened_at=value["opened_at"]),
    )
    is_naming = isinstance(opened.draft, NicknameDraft | DisplayNameDraft)
    if is_naming and opened.opened_at + NAMING_MINUTES * 60 <= time.time():
        return None
    return opened


def draft_to_value(draft: Draft) -> dict[str, Any]:
    """Write a draft as JSON values; `draft_from_value` reads them."""
    match draft:
        case ComposeDraft():
            return {
                "mode": DraftMode.COMPOSE,
                "recipient": draft.recipient.hex(),
                "salt": draft.contact_salt.hex(),
                "slug": draft.slug,
            }
        case ReplyDraft():
            return {"mode": DraftMode.REPLY, "capability": draft.capability.to_text()}
        case NicknameDraft():
            return {
                "mode": DraftMode.NICKNAME,
                "capability": draft.capability.to_text(),
                "message": draft.message_id,
                "repeat": draft.possible_repeat,
            }
        case DisplayNameDraft():
            return {"mode": DraftMode.DISPLAY_NAME}


def draft_from_value(value: dict[str, Any]) -> Draft:
    """Read what `draft_to_value` wrote."""
    match DraftMode(value["mode"]):
        case DraftMode.COMPOSE:
            return ComposeDraft(
                recipient=AccountId(bytes.fromhex(value["recipient"])),
                contact_salt=ContactSalt(bytes.fromhex(value["salt"])),
                slug=value["slug"],
            )
        case DraftMode.REPLY:
            return ReplyDraft(capability=Capability.parse(value["capability"]))
        case DraftMode.NICKNAME:
            return NicknameDraft(
                capability=Capability.parse(value["capability"]),
                message_id=value["message"],
                possible_repeat=value["repeat"],
            )
        case DraftMode.DISPLAY_NAME:
            return DisplayNameDraft()
