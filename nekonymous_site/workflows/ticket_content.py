"""What the three capsules of a ticket say, as values."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.identifiers import AccountId, ActorHash, ChatId


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageContent:
    """The payload: a text with its entities, in UTF-16 units as Telegram counts them."""

    text: str = field(repr=False)
    entities: list[dict[str, Any]] = field(repr=False, default_factory=list)
    reply_to_message_id: int | None = field(repr=False, default=None)  # the reader's own message

    def to_bytes(self) -> bytes:
        return _encode({"kind": "text", **asdict(self)})

    @classmethod
    def from_bytes(cls, plaintext: bytes) -> "MessageContent":
        value = json.loads(plaintext)
        del value["kind"]
        return cls(**value)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Route:
    """The sealed way back to whoever sent the ticket."""

    account_id: AccountId
    actor_hash: ActorHash
    chat_id: ChatId
    message_id: int

    def to_bytes(self, *, recipient: AccountId) -> bytes:
        """Encode the way back together with the blind tags that actions on the ticket need."""
        return _encode(
            {
                "account": self.account_id.hex(),
                "actor": self.actor_hash.hex(),
                "chat": self.chat_id,
                "message": self.message_id,
                "contact": blind_tags.contact_tag(
                    recipient_account_id=recipient, sender_account_id=self.account_id
                ).hex(),
                "block": blind_tags.block_tag(
                    recipient_account_id=recipient, sender_actor_hash=self.actor_hash
                ).hex(),
                "abuse": blind_tags.abuse_subject_tag(self.actor_hash).hex(),
            }
        )

    @classmethod
    def from_bytes(cls, plaintext: bytes) -> "Route":
        value = json.loads(plaintext)
        return cls(
            account_id=AccountId(bytes.fromhex(value["account"])),
            actor_hash=ActorHash(bytes.fromhex(value["actor"])),
            chat_id=ChatId(value["chat"]),
            message_id=value["message"],
        )


def encode_meta(*, display_number: str, created_on: str) -> bytes:
    """Encode what is told about a ticket without opening it."""
    return _encode({"number": display_number, "created_on": created_on})


def _encode(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
