"""What the three capsules of a ticket say, as values."""

import json
from dataclasses import asdict, dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any

from nekonymous_site.crypto.identifiers import (
    AbuseSubjectTag,
    AccountId,
    ActorHash,
    BlockTag,
    ChatId,
    ContactSalt,
    ContactTag,
)
from nekonymous_site.crypto.sealed_values import read_sealed_value


class ContentKind(StrEnum):
    """What Telegram calls a message's kind, as far as it is relayed."""

    TEXT = "text"
    PHOTO = "photo"
    VIDEO = "video"
    ANIMATION = "animation"
    DOCUMENT = "document"
    VOICE = "voice"
    AUDIO = "audio"
    STICKER = "sticker"
    VIDEO_NOTE = "video_note"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentItem:
    """One message of what somebody sends: a text, or a medium under its file id with a caption."""

    kind: ContentKind
    text: str = field(repr=False, default="")  # the text, or the caption of a medium
    entities: tuple[dict[str, Any], ...] = field(repr=False, default=())  # in UTF-16 units
    file_id: str | None = field(repr=False, default=None)
    spoiler: bool = False
    caption_above: bool = False

    @classmethod
    def from_value(cls, value: dict[str, Any]) -> "ContentItem":
        """Read an item that was written as JSON by `asdict`."""
        kind, entities = ContentKind(value["kind"]), tuple(value["entities"])
        return cls(**{**value, "kind": kind, "entities": entities})


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageContent:
    """The payload of a ticket: one message, the parts of a long text, or the items of an album."""

    items: tuple[ContentItem, ...]
    reply_to_message_id: int | None = field(repr=False, default=None)  # the reader's own message

    def to_bytes(self) -> bytes:
        return _encode(asdict(self))

    @classmethod
    def from_bytes(cls, plaintext: bytes) -> "MessageContent":
        """Read a payload; raises RecordOfAnotherVersion."""
        return read_sealed_value(
            plaintext,
            read=lambda value: cls(
                items=tuple(ContentItem.from_value(item) for item in value["items"]),
                reply_to_message_id=value["reply_to_message_id"],
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Route:
    """The sealed way back to whoever sent the ticket, with the tags that actions on it need."""

    account_id: AccountId
    actor_hash: ActorHash
    chat_id: ChatId
    message_id: int
    contact_salt: ContactSalt  # the sender's, for whoever answers
    contact_tag: ContactTag
    block_tag: BlockTag
    abuse_tag: AbuseSubjectTag

    def to_bytes(self) -> bytes:
        return _encode(
            {
                "account": self.account_id.hex(),
                "actor": self.actor_hash.hex(),
                "chat": self.chat_id,
                "message": self.message_id,
                "salt": self.contact_salt.hex(),
                "contact": self.contact_tag.hex(),
                "block": self.block_tag.hex(),
                "abuse": self.abuse_tag.hex(),
            }
        )

    @classmethod
    def from_bytes(cls, plaintext: bytes) -> "Route":
        """Read a route; raises RecordOfAnotherVersion."""
        return read_sealed_value(plaintext, read=cls._from_value)

    @classmethod
    def _from_value(cls, value: dict[str, Any]) -> "Route":
        return cls(
            account_id=AccountId(bytes.fromhex(value["account"])),
            actor_hash=ActorHash(bytes.fromhex(value["actor"])),
            chat_id=ChatId(value["chat"]),
            message_id=value["message"],
            contact_salt=ContactSalt(bytes.fromhex(value["salt"])),
            contact_tag=ContactTag(bytes.fromhex(value["contact"])),
            block_tag=BlockTag(bytes.fromhex(value["block"])),
            abuse_tag=AbuseSubjectTag(bytes.fromhex(value["abuse"])),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """What is told about a ticket without opening it."""

    number: str = field(repr=False)
    created_on: date

    def to_bytes(self) -> bytes:
        return _encode({"number": self.number, "created_on": self.created_on.isoformat()})

    @classmethod
    def from_bytes(cls, plaintext: bytes) -> "Meta":
        """Read what is told about a ticket; raises RecordOfAnotherVersion."""
        return read_sealed_value(
            plaintext,
            read=lambda value: cls(
                number=value["number"], created_on=date.fromisoformat(value["created_on"])
            ),
        )


def _encode(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
