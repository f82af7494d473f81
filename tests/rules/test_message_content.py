"""What of a message is relayed, item by item, and what its sender is asked about first."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tricky_texts import tricky_texts

from nekonymous_site.bot.message_content import ReadContent, Revealed, Unsendable, read_message
from nekonymous_site.bot.update_models import Message
from nekonymous_site.bot.utf16 import count_units
from nekonymous_site.workflows.ticket_content import ContentItem, ContentKind, MessageContent

FILE = {"file_id": "file-1", "file_unique_id": "u", "file_size": 2048}
PHOTO = [
    FILE | {"file_id": "small", "width": 90, "height": 67},
    FILE | {"file_id": "big", "width": 1280, "height": 960},
    FILE | {"file_id": "middle", "width": 320, "height": 240},
]
MEDIA = ["video", "animation", "document", "voice", "audio", "sticker", "video_note"]
CAPTIONED = ["video", "animation", "document", "voice", "audio"]


def _message(**fields: object) -> Message:
    value = {"message_id": 1, "date": 2, "chat": {"id": 5, "type": "private"}, "from": {"id": 5}} | fields
    return Message.model_validate(value)


def _read(**fields: object) -> ReadContent:
    content = read_message(_message(**fields))
    assert isinstance(content, ReadContent)
    return content


def _item(**fields: object) -> ContentItem:
    (item,) = _read(**fields).items
    return item


@pytest.mark.parametrize(
    "text", [" a ", "سلام\u200cها", "👩\u200d🔬", "e\u0301" * 3, "\ufeffa\u202e", "a" * 4096]
)
def test_a_text_is_relayed_to_the_letter(text: str) -> None:
    item = _item(text=text)
    assert item == ContentItem(kind=ContentKind.TEXT, text=text)
    content = MessageContent(items=(item,))
    assert MessageContent.from_bytes(content.to_bytes()) == content


@pytest.mark.parametrize("kind", MEDIA)
def test_a_medium_is_relayed_by_its_file_id(kind: str) -> None:
    assert _item(**{kind: FILE}) == ContentItem(kind=ContentKind(kind), file_id="file-1")


def test_of_a_photo_the_biggest_size_is_relayed() -> None:
    assert _item(photo=PHOTO) == ContentItem(kind=ContentKind.PHOTO, file_id="big")
    assert _item(photo=[{"file_id": 5}, "x", *PHOTO, FILE | {"width": "wide"}]).file_id == "big"


def test_an_animation_is_none_of_the_documents_that_it_also_says_to_be() -> None:
    item = _item(animation=FILE, document=FILE | {"file_id": "file-2"})
    assert item == ContentItem(kind=ContentKind.ANIMATION, file_id="file-1")


@pytest.mark.parametrize("kind", CAPTIONED)
def test_a_caption_goes_with_its_medium(kind: str) -> None:
    entities = [{"type": "bold", "offset": 0, "length": 2}]
    item = _item(**{kind: FILE}, caption="🌱 hi", caption_entities=entities)
    assert (item.text, item.entities) == ("🌱 hi", tuple(entities))


@pytest.mark.parametrize("kind", ["sticker", "video_note"])
def test_what_has_no_caption_gets_none(kind: str) -> None:
    item = _item(**{kind: FILE}, caption="x" * 2000, has_media_spoiler=True, show_caption_above_media=True)
    assert item == ContentItem(kind=ContentKind(kind), file_id="file-1")


@pytest.mark.parametrize("caption", [None, "", " \n", "\u200c"])
def test_a_caption_that_shows_nothing_is_none(caption: str | None) -> None:
    item = _item(photo=PHOTO, caption=caption, show_caption_above_media=True)
    assert item == ContentItem(kind=ContentKind.PHOTO, file_id="big")


@pytest.mark.parametrize("kind", ["video", "animation"])
def test_spoiler_and_place_of_the_caption_survive(kind: str) -> None:
    item = _item(**{kind: FILE}, caption="x", has_media_spoiler=True, show_caption_above_media=True)
    assert item.spoiler
    assert item.caption_above


@pytest.mark.parametrize("kind", ["document", "voice", "audio"])
def test_what_has_no_cover_gets_no_spoiler(kind: str) -> None:
    item = _item(**{kind: FILE}, caption="x", has_media_spoiler=True, show_caption_above_media=True)
    assert not item.spoiler
    assert not item.caption_above


def test_a_caption_longer_than_a_bot_may_write_follows_as_text() -> None:
    fitting, long = "🌱" * 512, "🌱" * 512 + "x"
    assert _item(photo=PHOTO, caption=fitting, caption_entities=[]).text == fitting
    entities = [{"type": "bold", "offset": 0, "length": 1024}]
    content = _read(
        photo=PHOTO,
        caption=long,
        caption_entities=entities,
        show_caption_above_media=True,
        has_media_spoiler=True,
    )
    assert content.items == (
        ContentItem(kind=ContentKind.PHOTO, file_id="big", spoiler=True),
        ContentItem(kind=ContentKind.TEXT, text=long, entities=tuple(entities)),
    )


def test_a_text_that_grew_too_long_becomes_several() -> None:
    text = "word " * 800 + "here"
    link = {"type": "text_link", "offset": 4000, "length": 4, "url": "https://example.org/" + "p" * 200}
    items = _read(text=text, entities=[link]).items
    assert [item.kind for item in items] == [ContentKind.TEXT] * 2
    assert "".join(item.text for item in items).endswith("p)")
    assert all(count_units(item.text) <= 4096 for item in items)


REVEALING = [
    ("document", {"file_name": "scan.pdf"}, [(Revealed.FILE_NAME, "scan.pdf")]),
    ("video", {"file_name": "a.mp4"}, [(Revealed.FILE_NAME, "a.mp4")]),
    ("animation", {"file_name": "a.gif"}, [(Revealed.FILE_NAME, "a.gif")]),
    ("sticker", {"set_name": "cats_by_bot"}, [(Revealed.STICKER_SET, "cats_by_bot")]),
    (
        "audio",
        {"title": "Song", "performer": "Sara", "file_name": "s.mp3"},
        [(Revealed.FILE_NAME, "s.mp3"), (Revealed.TITLE, "Song"), (Revealed.PERFORMER, "Sara")],
    ),
    ("document", {"file_name": "fdp\u202egpj.exe\n"}, [(Revealed.FILE_NAME, "fdpgpj.exe")]),
    ("document", {"file_name": " \u200c"}, []),
    ("document", {"file_name": ""}, []),
    ("voice", {}, []),
    ("video_note", {}, []),
]


@pytest.mark.parametrize(("kind", "names", "expected"), REVEALING)
def test_what_telegram_keeps_on_a_file_is_told(
    kind: str, names: dict[str, str], expected: list[tuple[Revealed, str]]
) -> None:
    revealing = _read(**{kind: FILE | names}).revealing
    assert [(one.what, one.name) for one in revealing] == expected


def test_nothing_of_origin_or_sender_is_in_what_is_relayed() -> None:
    content = _read(
        document=FILE,
        caption="hi",
        forward_origin={"type": "user", "sender_user": {"id": 4711, "first_name": "canary"}},
        via_bot={"id": 4711, "username": "canary"},
        quote={"text": "canary"},
        external_reply={"origin": {"canary": 4711}},
        reply_to_message={"message_id": 4711, "text": "canary"},
        author_signature="canary",
    )
    (item,) = content.items
    assert "canary" not in str(MessageContent(items=(item,)).to_bytes())
    assert "4711" not in str(MessageContent(items=(item,)).to_bytes())


def test_a_message_never_prints_what_it_says() -> None:
    content = _read(
        audio=FILE | {"file_id": "canary-4711", "title": "canary-4711"},
        caption="canary-4711",
        caption_entities=[{"type": "pre", "offset": 0, "length": 6, "language": "canary-4711"}],
    )
    assert "canary-4711" not in repr(content)


@given(
    text=tricky_texts(most_pieces=60),
    entities=st.lists(
        st.fixed_dictionaries(
            {
                "type": st.sampled_from(
                    ["bold", "text_link", "custom_emoji", "spoiler", "pre", "text_mention"]
                ),
                "offset": st.integers(-1, 60),
                "length": st.integers(-1, 60),
                "url": st.sampled_from(["https://example.org/" + "p" * 900, "tg://user?id=1", "x", ""]),
                "custom_emoji_id": st.sampled_from(["1", "x", ""]),
            }
        ),
        max_size=8,
    ),
    where=st.sampled_from(["text", "caption"]),
)
def test_whatever_comes_what_goes_out_is_what_telegram_takes(
    text: str, entities: list[dict[str, Any]], where: str
) -> None:
    as_text = {"text": text, "entities": entities}
    as_caption = {"photo": PHOTO, "caption": text, "caption_entities": entities}
    content = read_message(_message(**(as_text if where == "text" else as_caption)))
    if isinstance(content, Unsendable):
        assert content is Unsendable.EMPTY
        return
    assert content.items
    for item in content.items:
        units = count_units(item.text)
        assert units <= (4096 if item.kind is ContentKind.TEXT else 1024)
        for entity in item.entities:
            assert entity.keys() <= {"type", "offset", "length", "custom_emoji_id"}
            assert 0 <= entity["offset"] < entity["offset"] + entity["length"] <= units
