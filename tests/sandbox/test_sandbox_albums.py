"""Albums, sent by the bot and by people."""

from typing import Any

import pytest

from nekonymous_site.sandbox.people import Person, SandboxRefused
from tests.sandbox.sandbox_process import RunningSandbox


@pytest.fixture
def alice(sandbox: RunningSandbox) -> Person:
    return sandbox.people.person("Alice")


@pytest.fixture
def bob(sandbox: RunningSandbox) -> Person:
    bob = sandbox.people.person("Bob")
    bob.says("/start")
    return bob


def _media(alice: Person, *kinds: str, **options: object) -> list[dict[str, Any]]:
    """Items of an album, each a medium that Alice has just sent."""
    for kind in kinds:
        alice.sends(kind)
    sent = alice.sees()[-len(kinds) :]
    return [{"type": one.kind, "media": one.file_id, **options} for one in sent]


def test_an_album_is_messages_with_one_group_id(sandbox: RunningSandbox, alice: Person, bob: Person) -> None:
    media = _media(alice, "photo", "video", "photo")
    media[1] |= {"caption": "in the middle", "has_spoiler": True}
    messages = sandbox.call(
        "sendMediaGroup",
        chat_id=bob.id,
        media=media,
        protect_content=True,
        reply_parameters={"message_id": 1},
        reply_markup={"inline_keyboard": [[{"text": "x", "callback_data": "x"}]]},
    )
    seen = bob.sees()[1:]
    assert [one.raw for one in seen] == messages
    assert [one.kind for one in seen] == ["photo", "video", "photo"]
    assert [one.file_id for one in seen] == [item["media"] for item in media]
    assert [one.caption for one in seen] == ["", "in the middle", ""]
    assert [one.has_spoiler for one in seen] == [False, True, False]
    assert len({one.media_group_id for one in seen}) == 1
    assert seen[0].media_group_id is not None
    assert all(one.is_protected and one.reply_to_message_id == 1 for one in seen)
    assert not any(one.buttons for one in seen), "an album has no buttons"
    again = sandbox.call("sendMediaGroup", chat_id=bob.id, media=media)
    assert again[0]["media_group_id"] != messages[0]["media_group_id"]


def test_one_item_alone_is_an_ordinary_message(sandbox: RunningSandbox, alice: Person, bob: Person) -> None:
    (message,) = sandbox.call("sendMediaGroup", chat_id=bob.id, media=_media(alice, "audio"))
    assert "audio" in message
    assert "media_group_id" not in message


@pytest.mark.parametrize("kind", ["document", "audio"])
def test_documents_and_audios_stand_by_themselves(
    sandbox: RunningSandbox, alice: Person, bob: Person, kind: str
) -> None:
    assert len(sandbox.call("sendMediaGroup", chat_id=bob.id, media=_media(alice, kind, kind))) == 2
    refused = sandbox.refused("sendMediaGroup", chat_id=bob.id, media=_media(alice, "photo", kind))
    assert refused == (400, f"Bad Request: {kind} can't be mixed with other media types")


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("animation", 'type "animation" can\'t be used in sendMediaGroup'),
        ("voice", 'type "voice" is unsupported'),
        ("sticker", 'type "sticker" is unsupported'),
    ],
)
def test_other_kinds_stand_in_no_album(
    sandbox: RunningSandbox, alice: Person, bob: Person, kind: str, reason: str
) -> None:
    refused = sandbox.refused("sendMediaGroup", chat_id=bob.id, media=_media(alice, "photo", kind))
    assert refused == (400, f"Bad Request: can't parse InputMedia: {reason}")


@pytest.mark.parametrize(
    ("media", "reason"),
    [
        (None, 'parameter "media" is required'),
        ([], "there are no messages to send"),
        ([1], "can't parse InputMedia: expected an Object"),
        ([{"type": "photo"}], "can't parse InputMedia: media not found"),
        ([{"type": ["photo"], "media": "x"}], "can't parse InputMedia: type \"['photo']\" is unsupported"),
        ([{"type": "photo", "media": "x"}], "wrong file identifier/HTTP URL specified"),
    ],
)
def test_an_album_that_cannot_be_is_refused(
    sandbox: RunningSandbox, bob: Person, media: object, reason: str
) -> None:
    assert sandbox.refused("sendMediaGroup", chat_id=bob.id, media=media) == (400, f"Bad Request: {reason}")


def test_an_album_has_at_most_ten_items(sandbox: RunningSandbox, alice: Person, bob: Person) -> None:
    assert len(sandbox.call("sendMediaGroup", chat_id=bob.id, media=_media(alice, "photo") * 10)) == 10
    refused = sandbox.refused("sendMediaGroup", chat_id=bob.id, media=_media(alice, "photo") * 11)
    assert refused == (400, "Bad Request: too many messages to send as an album")


def test_all_captions_of_an_album_stand_on_one_side(
    sandbox: RunningSandbox, alice: Person, bob: Person
) -> None:
    above = _media(alice, "photo", "video", caption="x", show_caption_above_media=True)
    sandbox.call("sendMediaGroup", chat_id=bob.id, media=above)
    assert all(one.show_caption_above_media for one in bob.sees()[1:])
    del above[1]["show_caption_above_media"]
    refused = sandbox.refused("sendMediaGroup", chat_id=bob.id, media=above)
    reason = "parameter show_caption_above_media must be the same for all messages"
    assert refused == (400, f"Bad Request: {reason}")


def test_a_refused_album_leaves_nothing_behind(sandbox: RunningSandbox, alice: Person, bob: Person) -> None:
    media = _media(alice, "photo", "photo")
    too_long = [media[0], media[1] | {"caption": "x" * 1025}]
    refused = sandbox.refused("sendMediaGroup", chat_id=bob.id, media=too_long)
    assert refused == (400, "Bad Request: message caption is too long")
    unknown = [media[0], media[1] | {"media": "x"}]
    assert sandbox.refused("sendMediaGroup", chat_id=bob.id, media=unknown)[0] == 400
    assert len(bob.sees()) == 1


def test_an_album_in_the_answer_may_hold_what_no_client_knows(
    sandbox: RunningSandbox, alice: Person, bob: Person
) -> None:
    media = _media(alice, "photo", "photo")
    sandbox.people.inject_fault("unknown_union_in_answer", method="sendMediaGroup")
    messages = sandbox.call("sendMediaGroup", chat_id=bob.id, media=media)
    assert all(one["forward_origin"]["type"] == "origin_of_a_later_version" for one in messages)


def test_a_persons_album_is_one_update_for_each_item(sandbox: RunningSandbox, alice: Person) -> None:
    alice.says("/start")
    sent = alice.sends_album([("photo", "one"), ("video", ""), ("photo", "three")], reply_to=1, spoiler=True)
    updates = sandbox.call("getUpdates")[1:]
    assert [one["update_id"] for one in updates] == [one.update_id for one in sent]
    messages = [one["message"] for one in updates]
    assert [one.get("caption") for one in messages] == ["one", None, "three"]
    assert len({one["media_group_id"] for one in messages}) == 1
    assert all(one["reply_to_message"]["message_id"] == 1 for one in messages)
    assert all(one["has_media_spoiler"] for one in messages)
    assert len({one.file_unique_id for one in alice.sees()[1:]}) == 3
    assert alice.sees()[-1].revision == sent[-1].revision


def test_a_caption_above_is_told_only_where_there_is_one(sandbox: RunningSandbox, alice: Person) -> None:
    alice.sends_album([("photo", "above"), ("photo", "")], caption_above=True)
    first, second = (one["message"] for one in sandbox.call("getUpdates"))
    assert first["show_caption_above_media"] is True
    assert "show_caption_above_media" not in second


@pytest.mark.parametrize(
    ("kinds", "reason"),
    [
        (["photo"], "two items or more"),
        (["photo"] * 11, "too many messages"),
        (["photo", "document"], "document can't be mixed"),
        (["photo", "voice"], "an album is made of audio, document, photo, video"),
    ],
)
def test_people_cannot_make_other_albums(
    sandbox: RunningSandbox, alice: Person, kinds: list[str], reason: str
) -> None:
    with pytest.raises(SandboxRefused, match=reason):
        alice.sends_album([(kind, "") for kind in kinds])
    assert alice.sees() == ()
    with pytest.raises(SandboxRefused, match="items must be an array"):
        sandbox.people.control.post(f"/sandbox/people/{alice.id}/albums", {"items": [1, 2]})
