"""How leniently a message is read: what nobody reads does no harm, and is known by its name."""

import json
from typing import Any, Final

import pytest

from nekonymous_site.bot.incoming_json import read_update
from nekonymous_site.bot.update_models import Message, RepliedMessage


def _read(**fields: object) -> Message:
    value: dict[str, Any] = {"message_id": 1, "chat": {"id": 5, "type": "private"}, "from": {"id": 5}}
    message = read_update(
        json.dumps({"update_id": 1, "message": value | {"text": "hello"} | fields}).encode()
    ).message
    assert message is not None
    return message


UNREADABLE: Final[list[object]] = [
    None,
    5,
    "x",
    [],
    {},
    ["x"],
    [None],
    {"file_id": None},
    {"file_id": {}},
    True,
    1.5,
    [[{}]],
]


@pytest.mark.parametrize("value", UNREADABLE)
@pytest.mark.parametrize(
    "name",
    [
        "photo",
        "video",
        "animation",
        "document",
        "voice",
        "audio",
        "sticker",
        "video_note",
        "has_media_spoiler",
        "show_caption_above_media",
        "media_group_id",
        "paid_media",
        "forward_origin",
        "external_reply",
    ],
)
def test_nothing_beside_the_text_makes_a_message_unusable(name: str, value: object) -> None:
    message = _read(**{name: value})
    assert message.text == "hello"
    assert (name in message.field_names) == (value is not None)


def test_a_message_knows_the_names_of_all_that_came() -> None:
    message = _read(a_kind_of_tomorrow={}, left_out=None, field_names=["forged"])
    assert set(message.field_names) == {
        "message_id",
        "chat",
        "from",
        "text",
        "a_kind_of_tomorrow",
        "field_names",
    }


def _replied(**fields: object) -> RepliedMessage:
    reply = {"message_id": 9, "chat": {"id": 5, "type": "private"}} | fields
    message = _read(reply_to_message=reply)
    assert message.reply_to_message is not None
    return message.reply_to_message


def test_of_a_replied_message_it_is_known_whose_it_is_and_what_it_holds() -> None:
    keyboard = {"inline_keyboard": [[{"text": "x", "callback_data": "r:x"}, {"text": "y", "url": "z"}]]}
    bot = {"id": 7, "is_bot": True, "first_name": "x"}
    ours = _replied(**{"from": bot}, has_protected_content=True, photo=[], reply_markup=keyboard)
    assert ours.message_id == 9
    assert ours.is_from_bot
    assert ours.has_protected_content
    assert ours.holds_media
    assert ours.reply_markup is not None
    assert [button.callback_data for button in ours.reply_markup.inline_keyboard[0]] == ["r:x", None]


def test_of_a_replied_message_nothing_is_taken_for_granted() -> None:
    for bare in (_replied(), _replied(**{"from": {"id": 5}}, text="x"), _replied(**{"from": "x"}, date=0)):
        assert not bare.is_from_bot
        assert not bare.has_protected_content
        assert not bare.holds_media


@pytest.mark.parametrize(
    "kind", ["photo", "video", "animation", "document", "voice", "audio", "sticker", "video_note"]
)
def test_a_replied_message_of_any_shape_holds_media_by_its_name(kind: str) -> None:
    assert _replied(**{kind: "a shape of tomorrow"}).holds_media


def test_an_album_is_known_by_its_id() -> None:
    message = _read(media_group_id="4711")
    assert message.media_group_id == "4711"
