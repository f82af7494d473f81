"""One made-up example of each kind of content a person can send besides text."""

import secrets
from typing import TypeAlias

from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.sample_other import OTHER_SAMPLES

MediumContent: TypeAlias = JsonObject | list[JsonObject]

_PICTURE: JsonObject = {"width": 320, "height": 240}
_WITH_THUMBNAIL = frozenset({"video", "animation", "sticker", "video_note"})
_PHOTO_SIZES = ((90, 67), (320, 240), (1280, 960))

# Files without their ids, which are new for every one that is sent.
_FILES: dict[str, JsonObject] = {
    "video": {**_PICTURE, "duration": 3, "mime_type": "video/mp4"},
    "animation": {**_PICTURE, "duration": 2, "mime_type": "video/mp4", "file_name": "wave.mp4"},
    "document": {"file_name": "notes.txt", "mime_type": "text/plain"},
    "voice": {"duration": 4, "mime_type": "audio/ogg"},
    "audio": {"duration": 120, "title": "Song", "performer": "Somebody", "mime_type": "audio/mpeg"},
    "sticker": {
        "type": "regular",
        "width": 512,
        "height": 512,
        "is_animated": False,
        "is_video": False,
        "emoji": "🐈",
        "set_name": "cats",
    },
    "video_note": {"length": 240, "duration": 3},
}

# In the order in which a message's kind is told: an animation also says that it is a document.
FILE_KINDS = ("photo", *_FILES)
SAMPLE_KINDS = (*FILE_KINDS, *OTHER_SAMPLES)
CAPTIONED_KINDS = frozenset({"photo", "video", "animation", "document", "voice", "audio", "paid_media"})
# These may be covered by a spoiler and may stand below their caption.
PICTURE_KINDS = frozenset({"photo", "video", "animation"})


def make_sample(kind: str, *, extra: JsonObject) -> JsonObject:
    """Make the fields of a message of one kind up, each time with files of their own.

    ``extra`` is laid over the content, for a photo over each of its sizes; null takes a field away.
    """
    if kind == "photo":
        return {kind: [_overlaid(size, extra) for size in _make_photo_sizes()]}
    if kind in _FILES:
        return medium_fields(kind, _overlaid(_make_file(kind), extra))
    content = _overlaid(OTHER_SAMPLES[kind], extra)
    return {kind: content, **({"location": content.get("location")} if kind == "venue" else {})}


def medium_fields(kind: str, content: MediumContent) -> JsonObject:
    """The fields of a message that holds a file. Old bots know no animations, so the server says both."""
    if kind == "animation" and isinstance(content, dict):
        return {kind: content, "document": _as_document(content)}
    return {kind: content}


def _make_photo_sizes() -> list[JsonObject]:
    return [
        {**_make_ids(), "file_size": width * height // 8, "width": width, "height": height}
        for width, height in _PHOTO_SIZES
    ]


def _make_file(kind: str) -> JsonObject:
    thumbnail = {**_make_ids(), "file_size": 1024, "width": 90, "height": 67}
    return {
        **_make_ids(),
        "file_size": 2048,
        **_FILES[kind],
        **({"thumbnail": thumbnail} if kind in _WITH_THUMBNAIL else {}),
    }


def _make_ids() -> JsonObject:
    """Ids as long as real ones: the first names a file to one bot, the second to all of them."""
    return {"file_id": secrets.token_urlsafe(54), "file_unique_id": secrets.token_urlsafe(11)}


def _as_document(animation: JsonObject) -> JsonObject:
    return {name: value for name, value in animation.items() if name not in {"width", "height", "duration"}}


def _overlaid(content: JsonObject, extra: JsonObject) -> JsonObject:
    return {name: value for name, value in {**content, **extra}.items() if value is not None}
