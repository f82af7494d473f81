"""What a person has handed in and what is no ticket yet, as a value, and how it grows and ends.

The items of an album and the parts of a long pasted text come as updates of their own; they gather for a
moment and become one ticket. What would carry a name along waits for its sender's yes.
"""

import json
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from enum import StrEnum
from typing import Final, cast

import accounts.compositions
from accounts.drafts import MessageDraft, draft_from_value, draft_to_value
from accounts.selectors import Actor
from nekonymous_site.pipeline import StatementPipeline
from nekonymous_site.workflows.ticket_content import ContentItem, ContentKind, MessageContent

MOST_ITEMS: Final = 10
GATHERING: Final = timedelta(seconds=2)


class Stage(StrEnum):
    GATHERING = "gathering"
    ASKED = "asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Composition:
    """Where it goes, what it holds so far, and what is waited for: more of it, or a yes."""

    composition_id: bytes
    stage: Stage
    album: str | None = field(repr=False)  # Telegram's id of the album; None for a text in parts
    destination: MessageDraft = field(repr=False)
    message_id: int = field(repr=False)  # of its first message
    items: tuple[ContentItem, ...] = field(repr=False)
    names: tuple[str, ...] = field(repr=False, default=())  # which Telegram keeps on its files
    may_send_first: bool = True  # whether its sender's pace allowed one more first message when it began

    @classmethod
    def begin(
        cls,
        stage: Stage,
        *,
        destination: MessageDraft,
        message_id: int,
        items: Sequence[ContentItem],
        names: Sequence[str] = (),
        album: str | None = None,
        may_send_first: bool = True,
    ) -> "Composition":
        return cls(
            composition_id=secrets.token_bytes(16),
            stage=stage,
            album=album,
            destination=destination,
            message_id=message_id,
            items=tuple(items),
            names=tuple(names),
            may_send_first=may_send_first,
        )

    def with_more(self, items: Sequence[ContentItem], *, names: Sequence[str]) -> "Composition":
        """Give the composition with one more message in it."""
        return replace(self, items=(*self.items, *items), names=(*self.names, *names))

    def asked(self) -> "Composition":
        """Give the composition as it is while its sender is asked about it."""
        return replace(self, stage=Stage.ASKED)

    @property
    def content(self) -> MessageContent:
        """What it becomes: media first, so that a caption that was too long parts no album."""
        media = (item for item in self.items if item.kind is not ContentKind.TEXT)
        texts = (item for item in self.items if item.kind is ContentKind.TEXT)
        return MessageContent(items=(*media, *texts))

    @property
    def is_full(self) -> bool:
        return len(self.items) >= MOST_ITEMS

    def has_room_for(self, items: Sequence[ContentItem]) -> bool:
        return len(self.items) + len(items) <= MOST_ITEMS

    def to_bytes(self) -> bytes:
        value = {
            "id": self.composition_id.hex(),
            "stage": self.stage,
            "album": self.album,
            "destination": draft_to_value(self.destination),
            "message": self.message_id,
            "items": [asdict(item) for item in self.items],
            "names": self.names,
            "may_send_first": self.may_send_first,
        }
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, plaintext: bytes) -> "Composition":
        value = json.loads(plaintext)
        return cls(
            composition_id=bytes.fromhex(value["id"]),
            stage=Stage(value["stage"]),
            album=value["album"],
            # only drafts that lead to a message were written
            destination=cast("MessageDraft", draft_from_value(value["destination"])),
            message_id=value["message"],
            items=tuple(ContentItem.from_value(item) for item in value["items"]),
            names=tuple(value["names"]),
            may_send_first=value["may_send_first"],
        )


def find_composition(actor: Actor) -> Composition | None:
    """Open the actor's composition, if there is one; raises CryptoError when it cannot be opened."""
    if actor.composition_envelope is None:
        return None
    opened = accounts.compositions.open_composition(actor.composition_envelope, owner=actor.account_id)
    return Composition.from_bytes(opened)


def keep_composition(pipeline: StatementPipeline, composition: Composition, *, owner: Actor) -> None:
    """Keep a composition in place of whichever there was; one that gathers is ready two seconds later."""
    accounts.compositions.queue_composition(
        pipeline,
        owner.account_id,
        body=composition.to_bytes(),
        ready_after=GATHERING if composition.stage is Stage.GATHERING else None,
    )
