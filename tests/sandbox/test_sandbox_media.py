"""Sending on what people have sent, by its file id, with the real server's refusals."""

from typing import Any

import pytest

from nekonymous_site.sandbox.people import Person, SeenMessage
from tests.sandbox.sandbox_process import RunningSandbox

METHODS = {
    "photo": "sendPhoto",
    "video": "sendVideo",
    "animation": "sendAnimation",
    "document": "sendDocument",
    "voice": "sendVoice",
    "audio": "sendAudio",
    "sticker": "sendSticker",
    "video_note": "sendVideoNote",
}
CAPTIONED = ["photo", "video", "animation", "document", "voice", "audio"]
BUTTONS = {"inline_keyboard": [[{"text": "پاسخ", "callback_data": "r:1"}]]}


@pytest.fixture
def alice(sandbox: RunningSandbox) -> Person:
    return sandbox.people.person("Alice")


@pytest.fixture
def bob(sandbox: RunningSandbox) -> Person:
    bob = sandbox.people.person("Bob")
    bob.says("/start")
    return bob


def _sent_by(person: Person, kind: str) -> SeenMessage:
    person.sends(kind)
    return person.sees()[-1]


@pytest.mark.parametrize("kind", METHODS)
def test_a_medium_goes_on_to_somebody_else_as_it_is(
    sandbox: RunningSandbox, alice: Person, bob: Person, kind: str
) -> None:
    sent = _sent_by(alice, kind)
    answer = sandbox.call(METHODS[kind], chat_id=bob.id, **{kind: sent.file_id})
    assert answer[kind] == sent.raw[kind]
    assert answer["from"]["is_bot"] is True
    seen = bob.sees()[-1]
    assert (seen.kind, seen.file_unique_id) == (kind, sent.file_unique_id)
    assert (seen.text, seen.media_group_id) == ("", None)


@pytest.mark.parametrize("kind", CAPTIONED)
def test_a_caption_comes_with_its_entities_and_buttons(
    sandbox: RunningSandbox, alice: Person, bob: Person, kind: str
) -> None:
    bold = [{"type": "bold", "offset": 3, "length": 4}]
    sandbox.call(
        METHODS[kind],
        chat_id=bob.id,
        **{kind: _sent_by(alice, kind).file_id},
        caption="😀 سلام  ",
        caption_entities=bold,
        reply_markup=BUTTONS,
        protect_content=True,
        disable_notification=True,
        reply_parameters={"message_id": 1},
    )
    seen = bob.sees()[-1]
    assert (seen.caption, seen.text) == ("😀 سلام", "😀 سلام")
    assert list(seen.caption_entities) == bold
    assert (seen.is_protected, seen.is_silent, seen.reply_to_message_id) == (True, True, 1)
    assert seen.button("r:").text == "پاسخ"


@pytest.mark.parametrize("kind", METHODS)
def test_only_pictures_have_spoilers_and_captions_above(
    sandbox: RunningSandbox, alice: Person, bob: Person, kind: str
) -> None:
    file_id = _sent_by(alice, kind).file_id
    options = {"caption": "x", "has_spoiler": True, "show_caption_above_media": True}
    sandbox.call(METHODS[kind], chat_id=bob.id, **{kind: file_id}, **options)
    seen = bob.sees()[-1]
    is_picture = kind in {"photo", "video", "animation"}
    assert (seen.has_spoiler, seen.show_caption_above_media) == (is_picture, is_picture)


@pytest.mark.parametrize("kind", ["sticker", "video_note"])
def test_what_has_no_caption_ignores_one(
    sandbox: RunningSandbox, alice: Person, bob: Person, kind: str
) -> None:
    file_id = _sent_by(alice, kind).file_id
    sandbox.call(METHODS[kind], chat_id=bob.id, **{kind: file_id}, caption="x" * 2000)
    assert "caption" not in bob.sees()[-1].raw


@pytest.mark.parametrize("letter", ["س", "😀"])
def test_a_caption_is_at_most_1024_utf16_units(
    sandbox: RunningSandbox, alice: Person, bob: Person, letter: str
) -> None:
    photo = {"chat_id": bob.id, "photo": _sent_by(alice, "photo").file_id}
    longest = letter * (1024 // (len(letter.encode("utf-16-le")) // 2))
    sandbox.call("sendPhoto", **photo, caption=longest + " \n")
    refused = sandbox.refused("sendPhoto", **photo, caption=longest + "x")
    assert refused == (400, "Bad Request: message caption is too long")


def test_entities_must_lie_in_the_caption(sandbox: RunningSandbox, alice: Person, bob: Person) -> None:
    refused = sandbox.refused(
        "sendPhoto",
        chat_id=bob.id,
        photo=_sent_by(alice, "photo").file_id,
        caption="hi",
        caption_entities=[{"type": "bold", "offset": 1, "length": 9}],
    )
    reason = "beginning at UTF-16 offset 1 ends after the end of the text at UTF-16 offset 10"
    assert refused == (400, f"Bad Request: entity {reason}")


@pytest.mark.parametrize(
    "file_id", ["AgACAgQAAxkBAAI", "https://example.com/cat.jpg", "attach://cat", {"a": 1}]
)
def test_only_files_that_people_sent_can_be_sent(
    sandbox: RunningSandbox, bob: Person, file_id: object
) -> None:
    refused = sandbox.refused("sendPhoto", chat_id=bob.id, photo=file_id)
    assert refused == (400, "Bad Request: wrong file identifier/HTTP URL specified")


@pytest.mark.parametrize(
    ("kind", "sent_as", "names"),
    [
        ("photo", "document", "Photo as Document"),
        ("video", "photo", "Video as Photo"),
        ("voice", "audio", "VoiceNote as Audio"),
        ("video_note", "video", "VideoNote as Video"),
        ("animation", "video", "Animation as Video"),
        ("sticker", "animation", "Sticker as Animation"),
    ],
)
def test_a_file_is_sent_as_its_own_kind_only(
    sandbox: RunningSandbox, alice: Person, bob: Person, kind: str, sent_as: str, names: str
) -> None:
    file_id = _sent_by(alice, kind).file_id
    refused = sandbox.refused(METHODS[sent_as], chat_id=bob.id, **{sent_as: file_id})
    assert refused == (400, f"Bad Request: can't use file of type {names}")
    assert not any(message.from_bot for message in bob.sees())


def test_a_thumbnail_is_no_picture(sandbox: RunningSandbox, alice: Person, bob: Person) -> None:
    thumbnail = _sent_by(alice, "video").raw["video"]["thumbnail"]["file_id"]
    refused = sandbox.refused("sendPhoto", chat_id=bob.id, photo=thumbnail)
    assert refused == (400, "Bad Request: can't use file of type Thumbnail as Photo")


def test_each_size_names_the_same_photo(sandbox: RunningSandbox, alice: Person, bob: Person) -> None:
    sizes = _sent_by(alice, "photo").raw["photo"]
    assert len({size["file_id"] for size in sizes}) == len(sizes) > 1
    for size in sizes:
        assert sandbox.call("sendPhoto", chat_id=bob.id, photo=size["file_id"])["photo"] == sizes


@pytest.mark.parametrize(("kind", "named"), [("photo", "photo"), ("video_note", "video note")])
def test_a_send_without_its_file_is_refused(
    sandbox: RunningSandbox, bob: Person, kind: str, named: str
) -> None:
    refused = sandbox.refused(METHODS[kind], chat_id=bob.id)
    assert refused == (400, f"Bad Request: there is no {named} in the request")


def test_a_medium_meets_the_same_closed_doors_as_a_text(
    sandbox: RunningSandbox, alice: Person, bob: Person
) -> None:
    file_id = _sent_by(alice, "photo").file_id
    assert sandbox.refused("sendPhoto", chat_id=1, photo=file_id)[1] == "Bad Request: chat not found"
    gone = sandbox.refused("sendPhoto", chat_id=bob.id, photo=file_id, reply_parameters={"message_id": 99})
    assert gone[1] == "Bad Request: message to be replied not found"
    bob.blocks_bot()
    assert sandbox.refused("sendPhoto", chat_id=bob.id, photo=file_id)[0] == 403


def test_buttons_of_a_medium_can_be_changed_and_its_text_cannot(
    sandbox: RunningSandbox, alice: Person, bob: Person
) -> None:
    file_id = _sent_by(alice, "photo").file_id
    sent = sandbox.call("sendPhoto", chat_id=bob.id, photo=file_id, caption="x", reply_markup=BUTTONS)
    where = {"chat_id": bob.id, "message_id": sent["message_id"]}
    refused = sandbox.refused("editMessageText", **where, text="y")
    assert refused == (400, "Bad Request: there is no text in the message to edit")
    edited = sandbox.call("editMessageReplyMarkup", **where)
    assert (edited["photo"], edited["caption"]) == (sent["photo"], "x")
    assert bob.sees()[-1].buttons == ()


@pytest.mark.parametrize("kind", METHODS)
def test_a_reply_to_a_medium_of_the_bot_carries_it(
    sandbox: RunningSandbox, alice: Person, bob: Person, kind: str
) -> None:
    file_id = _sent_by(alice, kind).file_id
    sandbox.call(METHODS[kind], chat_id=bob.id, **{kind: file_id}, protect_content=True, reply_markup=BUTTONS)
    bob.says("thank you", reply_to=bob.sees()[-1])
    quoted: dict[str, Any] = sandbox.call("getUpdates")[-1]["message"]["reply_to_message"]
    assert quoted[kind] == alice.sees()[-1].raw[kind]
    assert quoted["from"]["is_bot"] is True
    assert quoted["has_protected_content"] is True
    assert quoted["reply_markup"] == BUTTONS


def test_captions_and_albums_may_come_as_text_that_holds_json(
    sandbox: RunningSandbox, alice: Person, bob: Person
) -> None:
    file_id = _sent_by(alice, "photo").file_id
    bold = '[{"type": "bold", "offset": 0, "length": 1}]'
    form = {"chat_id": bob.id, "photo": file_id, "caption": "x", "caption_entities": bold}
    assert sandbox.post("sendPhoto", data=form).json()["result"]["caption_entities"][0]["type"] == "bold"
    media = f'[{{"type": "photo", "media": "{file_id}"}}, {{"type": "photo", "media": "{file_id}"}}]'
    album = sandbox.post("sendMediaGroup", data={"chat_id": bob.id, "media": media}).json()["result"]
    assert len(album) == 2
