"""What of a message is relayed, item by item, and what of it would tell more than its sender may know."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Final

from nekonymous_site.bot.content_entities import keep_entities
from nekonymous_site.bot.content_kinds import Unsendable, explain_nothing, find_refusal
from nekonymous_site.bot.content_links import show_targets
from nekonymous_site.bot.graphemes import is_blank
from nekonymous_site.bot.personal_names import clean_name
from nekonymous_site.bot.text_split import split_text
from nekonymous_site.bot.update_models import Medium, Message
from nekonymous_site.bot.utf16 import count_units
from nekonymous_site.workflows.ticket_content import ContentItem, ContentKind

__all__ = ["ReadContent", "Revealed", "RevealingName", "Unsendable", "read_message"]

# Premium senders may write longer ones, a bot may not.
MOST_CAPTION_UNITS: Final = 1024
# File systems take no longer ones.
_MOST_NAME_GRAPHEMES: Final = 255

# An animation comes as a document too, for the sake of old bots; so it is looked for first.
_MEDIA: Final[dict[ContentKind, Callable[[Message], Medium | None]]] = {
    ContentKind.ANIMATION: lambda message: message.animation,
    ContentKind.PHOTO: lambda message: message.biggest_photo,
    ContentKind.VIDEO: lambda message: message.video,
    ContentKind.DOCUMENT: lambda message: message.document,
    ContentKind.VOICE: lambda message: message.voice,
    ContentKind.AUDIO: lambda message: message.audio,
    ContentKind.STICKER: lambda message: message.sticker,
    ContentKind.VIDEO_NOTE: lambda message: message.video_note,
}
_PICTURES: Final = (ContentKind.ANIMATION, ContentKind.PHOTO, ContentKind.VIDEO)
_WITHOUT_CAPTION: Final = (ContentKind.STICKER, ContentKind.VIDEO_NOTE)


class Revealed(Enum):
    """What Telegram keeps on a file id, where no bot can strip it."""

    FILE_NAME = auto()
    TITLE = auto()
    PERFORMER = auto()
    STICKER_SET = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class RevealingName:
    """A name that whoever receives the medium will see; made fit to be shown to its sender."""

    what: Revealed
    name: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadContent:
    """What is relayed of one message: at least one item, in the order in which they are sent."""

    items: tuple[ContentItem, ...]
    revealing: tuple[RevealingName, ...] = ()

    @property
    def names(self) -> list[tuple[str, str]]:
        """The revealing names as a composition keeps them: what each one is, and the name."""
        return [(one.what.name, one.name) for one in self.revealing]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """A text or caption with every link written out, and what is kept of its entities."""

    text: str = field(repr=False, default="")
    entities: Sequence[dict[str, Any]] = field(repr=False, default=())


def read_message(message: Message) -> ReadContent | Unsendable:
    """Take what is relayed out of a message, or say why nothing is. Origin, sender and quotes stay behind.

    A text of more than 4,096 UTF-16 units becomes several items; a caption of more than 1,024 leaves its
    medium and follows as text.
    """
    refusal = find_refusal(message.field_names)
    if refusal is not None:
        return refusal
    kind = next((kind for kind in _MEDIA if kind in message.field_names), None)
    if kind is not None:
        return _read_medium(message, kind)
    if message.text is None:
        return explain_nothing(message.field_names)
    items = _list_texts(_read_words(message.text, message.entities))
    return ReadContent(items=items) if items else Unsendable.EMPTY


def _read_medium(message: Message, kind: ContentKind) -> ReadContent | Unsendable:
    medium = _MEDIA[kind](message)
    if medium is None:
        return Unsendable.UNKNOWN
    written = "" if kind in _WITHOUT_CAPTION else message.caption or ""
    words = _read_words(written, message.caption_entities)
    fits = count_units(words.text) <= MOST_CAPTION_UNITS
    caption = words if fits else _Words()
    item = ContentItem(
        kind=kind,
        text=caption.text,
        entities=tuple(caption.entities),
        file_id=medium.file_id,
        spoiler=kind in _PICTURES and message.has_media_spoiler,
        caption_above=kind in _PICTURES and bool(caption.text) and message.show_caption_above_media,
    )
    rest = () if fits else _list_texts(words)
    return ReadContent(items=(item, *rest), revealing=_list_names(medium))


def _read_words(text: str, entities: list[dict[str, Any]]) -> _Words:
    if is_blank(text):
        return _Words()
    shown, moved = show_targets(text, keep_entities(text, entities))
    return _Words(text=shown, entities=moved)


def _list_texts(words: _Words) -> tuple[ContentItem, ...]:
    return tuple(
        ContentItem(kind=ContentKind.TEXT, text=part, entities=entities)
        for part, entities in split_text(words.text, words.entities)
    )


def _list_names(medium: Medium) -> tuple[RevealingName, ...]:
    kept = {
        Revealed.FILE_NAME: medium.file_name,
        Revealed.TITLE: medium.title,
        Revealed.PERFORMER: medium.performer,
        Revealed.STICKER_SET: medium.set_name,
    }
    clean = {what: clean_name(name or "", most_graphemes=_MOST_NAME_GRAPHEMES) for what, name in kept.items()}
    return tuple(RevealingName(what=what, name=name) for what, name in clean.items() if name)
