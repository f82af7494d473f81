"""What a person has handed in and what is no ticket yet, as a value, and how it grows and ends.

The items of an album and the parts of a long pasted text come as updates of their own; they gather for a
moment and become one ticket. What would carry a name along waits for its sender's yes.
"""

import json
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from typing import Any, Final, cast

import accounts.compositions
from accounts.drafts import MessageDraft, draft_from_value, draft_to_value
from accounts.selectors import Actor
from nekonymous_site.crypto.identifiers import Envelope
from nekonymous_site.crypto.sealed_values import read_sealed_value
from nekonymous_site.pipeline import StatementPipeline
from nekonymous_site.workflows.ticket_content import ContentItem, ContentKind, MessageContent

MOST_ITEMS: Final = 10
MOST_CALLS: Final = 20  # of an album the captions that were too long count here too
GATHERING: Final = timedelta(seconds=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Composition:
    """Where it goes and what it holds so far."""

    composition_id: bytes
    album: str | None = field(repr=False)  # Telegram's id of the album; None for anything else
    by_gesture: bool  # whether it goes where a reply gesture said, past any open draft
    destination: MessageDraft = field(repr=False)
    message_id: int = field(repr=False)  # of its first message
    items: tuple[ContentItem, ...] = field(repr=False)
    names: tuple[tuple[str, str], ...] = field(repr=False, default=())  # on its files: what, and the name
    overflown: bool = False  # more came than a message can hold: nothing of it is sent
    may_send_first: bool = True  # whether its sender's pace allowed one more first message when it began

    @classmethod
    def begin(
        cls,
        *,
        destination: MessageDraft,
        message_id: int,
        items: Sequence[ContentItem],
        names: Sequence[tuple[str, str]] = (),
        album: str | None = None,
        by_gesture: bool = False,
        may_send_first: bool = True,
    ) -> "Composition":
        return cls(
            composition_id=secrets.token_bytes(16),
            album=album,
            by_gesture=by_gesture,
            destination=destination,
            message_id=message_id,
            items=tuple(items),
            names=tuple(names),
            may_send_first=may_send_first,
        )

    def with_more(self, items: Sequence[ContentItem], *, names: Sequence[tuple[str, str]]) -> "Composition":
        """Give the composition with one more message in it."""
        return replace(self, items=(*self.items, *items), names=(*self.names, *names))

    @property
    def content(self) -> MessageContent:
        """What it becomes: media first, so that a caption that was too long parts no album."""
        media = (item for item in self.items if item.kind is not ContentKind.TEXT)
        texts = (item for item in self.items if item.kind is ContentKind.TEXT)
        return MessageContent(items=(*media, *texts))

    def without_room(self) -> "Composition":
        """Give the composition of a text that has become too long: it holds nothing any more."""
        return replace(self, items=(), names=(), overflown=True)

    @property
    def is_full(self) -> bool:
        return self._count(self.items) >= MOST_ITEMS

    @property
    def is_too_long(self) -> bool:
        return self._count(self.items) > MOST_ITEMS or len(self.items) > MOST_CALLS

    def has_room_for(self, items: Sequence[ContentItem]) -> bool:
        fits = len(self.items) + len(items) <= MOST_CALLS
        return fits and self._count(self.items) + self._count(items) <= MOST_ITEMS

    def _count(self, items: Sequence[ContentItem]) -> int:
        """Count messages: of an album the media, since captions that are too long follow them as texts."""
        return sum(self.album is None or item.kind is not ContentKind.TEXT for item in items)

    def to_bytes(self) -> bytes:
        value = {
            "id": self.composition_id.hex(),
            "album": self.album,
            "by_gesture": self.by_gesture,
            "destination": draft_to_value(self.destination),
            "message": self.message_id,
            "items": [asdict(item) for item in self.items],
            "names": self.names,
            "overflown": self.overflown,
            "may_send_first": self.may_send_first,
        }
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, plaintext: bytes) -> "Composition":
        """Read what `to_bytes` wrote; raises RecordOfAnotherVersion."""
        return read_sealed_value(plaintext, read=cls._from_value)

    @classmethod
    def _from_value(cls, value: dict[str, Any]) -> "Composition":
        return cls(
            composition_id=bytes.fromhex(value["id"]),
            album=value["album"],
            by_gesture=value["by_gesture"],
            # only drafts that lead to a message were written
            destination=cast("MessageDraft", draft_from_value(value["destination"])),
            message_id=value["message"],
            items=tuple(ContentItem.from_value(item) for item in value["items"]),
            names=tuple((what, name) for what, name in value["names"]),
            overflown=value["overflown"],
            may_send_first=value["may_send_first"],
        )


def find_gathering(actor: Actor) -> Composition | None:
    """Open what gathers for an actor, if anything does; raises CryptoError when it cannot be opened."""
    if actor.gathering is None:
        return None
    return _open(actor.gathering.envelope, composition_id=actor.gathering.composition_id)


def find_asked(pipeline: StatementPipeline, composition_id: bytes, *, owner: Actor) -> Composition | None:
    """Find what waits for an actor's answer; raises CryptoError when it cannot be opened."""
    envelope = accounts.compositions.queue_asked_found(pipeline, composition_id, owner=owner.account_id).value
    return None if envelope is None else _open(envelope, composition_id=composition_id)


def find_only_asked(pipeline: StatementPipeline, *, owner: Actor) -> Composition | None:
    """Find the one message that waits for an actor's answer; raises CryptoError when it cannot be opened."""
    found = accounts.compositions.queue_only_asked(pipeline, owner.account_id).value
    if found is None:
        return None
    composition_id, envelope = found
    return _open(envelope, composition_id=composition_id)


def keep_gathering(pipeline: StatementPipeline, composition: Composition, *, owner: Actor) -> None:
    """Keep what gathers; it is ready two seconds later unless more comes."""
    accounts.compositions.queue_gathering(
        pipeline,
        composition.composition_id,
        owner=owner.account_id,
        body=composition.to_bytes(),
        ready_after=GATHERING,
    )


def keep_asked(pipeline: StatementPipeline, composition: Composition, *, owner: Actor) -> bool:
    """Keep what waits for its sender's yes; False when too much waits already."""
    return accounts.compositions.queue_asked(
        pipeline, composition.composition_id, owner=owner.account_id, body=composition.to_bytes()
    ).value


def _open(envelope: Envelope, *, composition_id: bytes) -> Composition:
    opened = accounts.compositions.open_composition(envelope, composition_id=composition_id)
    return Composition.from_bytes(opened)
