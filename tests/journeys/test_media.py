"""Everything that can be sent arrives as what it was, and nothing tells where it came from."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from contact_steps import alice_writes_to_bob
from received import fetch, fetch_one, with_buttons
from town import Town, count

from nekonymous_site.sandbox.people import Person, SeenMessage, Sent

CAPTION = "🌱 سلام from a garden"
BOLD = {"type": "bold", "offset": 3, "length": 4}  # the Persian word, behind an emoji of two units
CANARY = "canary-8864"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Medium:
    method: str
    nameless: dict[str, None]  # takes away the names that would be asked about
    has_caption: bool = True
    is_picture: bool = False


MEDIA = {
    "photo": _Medium(method="sendPhoto", nameless={}, is_picture=True),
    "video": _Medium(method="sendVideo", nameless={}, is_picture=True),
    "animation": _Medium(method="sendAnimation", nameless={"file_name": None}, is_picture=True),
    "document": _Medium(method="sendDocument", nameless={"file_name": None}),
    "voice": _Medium(method="sendVoice", nameless={}),
    "audio": _Medium(method="sendAudio", nameless={"title": None, "performer": None}),
    "sticker": _Medium(method="sendSticker", nameless={"set_name": None}, has_caption=False),
    "video_note": _Medium(method="sendVideoNote", nameless={}, has_caption=False),
}
every_medium = pytest.mark.parametrize("kind", MEDIA)


def _as_seen_by(person: Person, sent: Sent) -> SeenMessage:
    [message] = [message for message in person.sees() if message.message_id == sent.message_id]
    return message


@every_medium
def test_a_medium_arrives_as_what_it_was(town: Town, kind: str) -> None:
    alice, bob = alice_writes_to_bob(town)
    medium = MEDIA[kind]
    caption = {"caption": CAPTION, "caption_entities": [BOLD]} if medium.has_caption else {}
    picture = {"spoiler": True, "caption_above": True} if medium.is_picture else {}
    given: dict[str, Any] = caption | picture
    own = _as_seen_by(alice, alice.sends(kind, extra=medium.nameless, **given))
    town.settle()
    town.sandbox.forget_calls()
    arrived = fetch_one(town, bob)
    assert arrived.kind == own.kind == kind
    assert arrived.file_unique_id == own.file_unique_id
    assert arrived.caption == (CAPTION if medium.has_caption else "")
    assert list(arrived.caption_entities) == ([BOLD] if medium.has_caption else [])
    assert arrived.has_spoiler is arrived.show_caption_above_media is medium.is_picture
    assert arrived.is_protected
    assert arrived.has_button("r:")
    assert len(town.sandbox.calls(medium.method)) == 1


@pytest.mark.parametrize("kind", ["photo", "video", "animation"])
def test_a_plain_picture_arrives_plain(town: Town, kind: str) -> None:
    alice, bob = alice_writes_to_bob(town)
    alice.sends(kind, extra=MEDIA[kind].nameless)
    town.settle()
    arrived = fetch_one(town, bob)
    assert (arrived.caption, arrived.has_spoiler, arrived.show_caption_above_media) == ("", False, False)


def test_a_text_has_no_preview_and_is_protected(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    alice.says("look: https://example.org/page")
    town.settle()
    arrived = fetch_one(town, bob)
    assert arrived.raw["link_preview_options"] == {"is_disabled": True}
    assert arrived.is_protected


# What a message can carry besides its content. Each names or marks somebody or some place.
_SOMEBODY = {"id": 2**33 + 77, "is_bot": False, "first_name": CANARY, "username": CANARY}
_A_CHAT = {"id": -1001500000007, "type": "channel", "title": CANARY}
_USER_ORIGIN = {"type": "user", "date": 1_700_000_000, "sender_user": _SOMEBODY}
ORIGINS: dict[str, dict[str, Any]] = {
    "forwarded from a person": {"forward_origin": _USER_ORIGIN},
    "forwarded from a hidden person": {
        "forward_origin": {"type": "hidden_user", "date": 1, "sender_user_name": CANARY}
    },
    "forwarded from a channel": {
        "forward_origin": {"type": "channel", "date": 1, "chat": _A_CHAT, "message_id": 4711},
        "is_automatic_forward": True,
    },
    "from an inline bot": {"via_bot": _SOMEBODY | {"is_bot": True}},
    "with a quote": {"quote": {"text": CANARY, "position": 0, "is_manual": True}},
    "answering something elsewhere": {
        "external_reply": {"origin": _USER_ORIGIN, "chat": _A_CHAT, "message_id": 4711},
        "quote": {"text": CANARY, "position": 0},
    },
    "answering a story": {"reply_to_story": {"chat": _A_CHAT, "id": 4711}},
    "by a business bot": {"sender_business_bot": _SOMEBODY, "business_connection_id": CANARY},
    "signed": {"author_signature": CANARY, "sender_tag": CANARY},
    "with an effect": {"effect_id": CANARY, "paid_star_count": 3},
    "with what a later version may say": {"guest_bot_caller_user": _SOMEBODY, "sender_boost_count": 4},
}


@pytest.mark.parametrize("origin", ORIGINS)
@pytest.mark.parametrize("kind", ["text", "photo", "video_note"])
def test_nothing_tells_where_a_message_came_from(town: Town, kind: str, origin: str) -> None:
    alice, bob = alice_writes_to_bob(town)
    town.sandbox.forget_calls()
    if kind == "text":
        alice.says("passed on", extra_fields=ORIGINS[origin])
    else:
        alice.sends(kind, extra_fields=ORIGINS[origin])
    town.settle()
    arrived = fetch_one(town, bob)
    assert arrived.kind == kind
    assert CANARY not in json.dumps(town.sandbox.calls())
    assert CANARY not in json.dumps(arrived.raw)
    assert ORIGINS[origin].keys().isdisjoint(arrived.raw)


def test_no_call_ever_forwards_or_copies(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    town.sandbox.forget_calls()
    alice.sends("photo", extra_fields=ORIGINS["forwarded from a person"])
    town.settle()
    fetch_one(town, bob)
    methods = {call["method"] for call in town.sandbox.calls()}
    assert "sendPhoto" in methods
    assert not [method for method in methods if method.startswith(("forward", "copy"))]


@pytest.mark.parametrize("kind", [kind for kind, medium in MEDIA.items() if medium.has_caption])
def test_a_caption_by_somebody_who_pays_is_relayed_whole(town: Town, kind: str) -> None:
    medium = MEDIA[kind]
    alice, bob = alice_writes_to_bob(town)
    caption = "سلام به همه. " * 150  # 1,950 units; a bot may write 1,024
    italic = {"type": "italic", "offset": 1500, "length": 4}
    own = alice.sends(kind, caption=caption, caption_entities=[BOLD, italic], extra=medium.nameless)
    town.settle()
    picture, words = fetch(town, bob)
    assert picture.file_unique_id == _as_seen_by(alice, own).file_unique_id
    assert (picture.kind, picture.caption) == (kind, "")
    assert (words.kind, words.text) == ("text", caption.strip())
    assert list(words.entities) == [BOLD, italic]
    assert with_buttons([picture, words]) == [False, True]
    assert words.has_button("i:")
    assert count("tickets.ticket") == 1


@pytest.mark.parametrize("units", [1023, 1024, 1025])
def test_a_caption_stays_with_its_medium_as_far_as_a_bot_may_write_one(town: Town, units: int) -> None:
    alice, bob = alice_writes_to_bob(town)
    alice.sends("photo", caption="🌱" + "x" * (units - 2))
    town.settle()
    assert len(fetch(town, bob)) == (1 if units <= 1024 else 2)


@pytest.mark.parametrize("end", ["🌱", "x"])
def test_four_thousand_and_ninety_six_letters_arrive_whole(town: Town, end: str) -> None:
    alice, bob = alice_writes_to_bob(town)
    text = ("می‌خواهم بگویم " * 300)[: 4096 - (2 if end == "🌱" else 1)] + end
    alice.says(text)
    town.settle()
    arrived = fetch_one(town, bob)
    assert arrived.text == text
    assert arrived.has_button("r:")


def test_hidden_targets_are_written_out_and_ways_to_accounts_are_gone(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    text = "👩‍👩‍👧 here, there and me: bold"
    entities: list[dict[str, Any]] = [
        {"type": "text_link", "offset": 9, "length": 4, "url": "https://t.me/spy_bot?start=track"},
        {"type": "text_link", "offset": 15, "length": 5, "url": f"tg://user?id={alice.id}"},
        {"type": "text_mention", "offset": 25, "length": 2, "user": {"id": alice.id, "first_name": "A"}},
        {"type": "bold", "offset": 29, "length": 4},
        {"type": "spoiler", "offset": 0, "length": 8},
    ]
    alice.says(text, entities=entities)
    town.settle()
    town.sandbox.forget_calls()
    arrived = fetch_one(town, bob)
    shown = " (https://t.me/spy_bot?start=track)"
    assert arrived.text == f"👩‍👩‍👧 here{shown}, there and me: bold"
    [call] = [call for call in town.sandbox.calls("sendMessage") if call["params"].get("protect_content")]
    assert sorted(call["params"]["entities"], key=lambda entity: entity["offset"]) == [
        {"type": "spoiler", "offset": 0, "length": 8},
        {"type": "bold", "offset": 29 + len(shown), "length": 4},
    ]
    assert str(alice.id) not in json.dumps(arrived.raw)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("🌱 سلام", "سلام"),
        ("👩\u200d👩\u200d👧\u200d👦 خانواده", "خانواده"),
        ("🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f می\u200cرود", "می\u200cرود"),
        ("𝔘𝔫𝔦 e\u0301te\u0301 🧑🏽\u200d🚀!", "🧑🏽\u200d🚀"),
    ],
)
def test_formatting_stays_on_its_letters(town: Town, text: str, said: str) -> None:
    alice, bob = alice_writes_to_bob(town)
    offset = len(text[: text.index(said)].encode("utf-16-le")) // 2
    bold = {"type": "bold", "offset": offset, "length": len(said.encode("utf-16-le")) // 2}
    alice.says(text, entities=[bold])
    town.settle()
    arrived = fetch_one(town, bob)
    assert (arrived.text, list(arrived.entities)) == (text, [bold])


def test_what_no_column_takes_is_cleaned_and_the_rest_arrives(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    alice.says("x", extra_fields={"text": "one\x00two \ud83d three"})
    town.settle()
    assert fetch_one(town, bob).text == "onetwo � three"
