"""What people send besides texts, and long texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nekonymous_site.sandbox.people import SandboxRefused
from nekonymous_site.sandbox.sample_media import FILE_KINDS, SAMPLE_KINDS
from nekonymous_site.sandbox.text_units import count_utf16_units, split_pasted_text
from tests.sandbox.sandbox_process import RunningSandbox


@pytest.mark.parametrize("kind", SAMPLE_KINDS)
def test_every_kind_reaches_the_bot_and_is_seen_as_such(sandbox: RunningSandbox, kind: str) -> None:
    alice = sandbox.people.person()
    alice.sends(kind)
    message = sandbox.call("getUpdates")[0]["message"]
    assert message[kind]
    assert alice.sees()[0].kind == kind


@pytest.mark.parametrize("kind", FILE_KINDS)
def test_every_file_has_ids_of_its_own(sandbox: RunningSandbox, kind: str) -> None:
    alice = sandbox.people.person()
    alice.sends(kind)
    alice.sends(kind)
    first, second = alice.sees()
    assert first.file_id is not None
    assert first.file_unique_id is not None
    assert first.file_id != second.file_id
    assert first.file_unique_id != second.file_unique_id


def test_an_animation_says_that_it_is_a_document_and_a_venue_where_it_is(sandbox: RunningSandbox) -> None:
    alice = sandbox.people.person()
    alice.sends("animation")
    alice.sends("venue")
    animation, venue = (update["message"] for update in sandbox.call("getUpdates"))
    assert animation["document"]["file_id"] == animation["animation"]["file_id"]
    assert venue["location"] == venue["venue"]["location"]


def test_caption_spoiler_and_position_come_along(sandbox: RunningSandbox) -> None:
    alice = sandbox.people.person()
    bold = [{"type": "bold", "offset": 0, "length": 4}]
    alice.sends("photo", caption="look", caption_entities=bold, spoiler=True, caption_above=True)
    message = sandbox.call("getUpdates")[0]["message"]
    assert (message["caption"], message["caption_entities"]) == ("look", bold)
    assert (message["has_media_spoiler"], message["show_caption_above_media"]) == (True, True)
    alice.sends("voice", caption="listen")
    assert alice.sees()[-1].caption == "listen"


def test_a_caption_may_be_as_long_as_those_who_pay_write_them(sandbox: RunningSandbox) -> None:
    alice = sandbox.people.person()
    alice.sends("photo", caption="x" * 4096)
    with pytest.raises(SandboxRefused, match="message caption is too long"):
        alice.sends("photo", caption="x" * 4097)


@pytest.mark.parametrize(
    ("kind", "options", "reason"),
    [
        ("sticker", {"caption": "x"}, "sticker has no caption"),
        ("video_note", {"caption": "x"}, "video_note has no caption"),
        ("contact", {"caption": "x"}, "contact has no caption"),
        ("document", {"caption": "x", "caption_above": True}, "document has no caption above it"),
        ("audio", {"spoiler": True}, "audio cannot be covered by a spoiler"),
        ("hologram", {}, "give text or one of: photo"),
        ("photo", {"extra": [1]}, "extra must be an object"),
    ],
)
def test_what_no_app_offers_is_refused(
    sandbox: RunningSandbox, kind: str, options: dict[str, object], reason: str
) -> None:
    alice = sandbox.people.person()
    with pytest.raises(SandboxRefused, match=reason):
        sandbox.people.control.post(f"/sandbox/people/{alice.id}/messages", {kind: True, **options})
    assert alice.sees() == ()


def test_names_on_files_are_a_tests_to_choose(sandbox: RunningSandbox) -> None:
    alice = sandbox.people.person()
    alice.sends("video", extra={"file_name": "alice.mp4"})
    alice.sends("document", extra={"file_name": None})
    alice.sends("sticker", extra={"set_name": "alice_by_bot"})
    alice.sends("photo", extra={"file_size": 7})
    video, document, sticker, photo = (update["message"] for update in sandbox.call("getUpdates"))
    assert video["video"]["file_name"] == "alice.mp4"
    assert "file_name" not in document["document"]
    assert sticker["sticker"]["set_name"] == "alice_by_bot"
    assert [size["file_size"] for size in photo["photo"]] == [7, 7, 7]
    assert not any("file_name" in size for size in photo["photo"])


def test_a_kind_of_a_later_version_can_be_sent(sandbox: RunningSandbox) -> None:
    alice = sandbox.people.person()
    alice.sends("rich_message", extra_fields={"rich_message": {"blocks": []}})
    assert sandbox.call("getUpdates")[0]["message"]["rich_message"] == {"blocks": []}
    assert alice.sees()[0].kind == "other"


def test_a_medium_made_by_hand_is_taken_as_it_is_and_can_be_sent_on(sandbox: RunningSandbox) -> None:
    alice = sandbox.people.person()
    path = f"/sandbox/people/{alice.id}/messages"
    sandbox.people.control.post(path, {"voice": {"file_id": "by-hand"}})
    sandbox.people.control.post(path, {"video": {"duration": 1}})
    sandbox.people.control.post(path, {"photo": []})
    voice, video, photo = (update["message"] for update in sandbox.call("getUpdates"))
    assert (voice["voice"], video["video"], photo["photo"]) == ({"file_id": "by-hand"}, {"duration": 1}, [])
    assert [one.file_id for one in alice.sees()] == ["by-hand", None, None]
    assert sandbox.call("sendVoice", chat_id=alice.id, voice="by-hand")["voice"] == voice["voice"]


def test_a_pasted_text_goes_out_in_messages_that_fit(sandbox: RunningSandbox) -> None:
    alice = sandbox.people.person()
    sent = alice.pastes("سلام دنیا\n" * 1000)
    texts = [update["message"]["text"] for update in sandbox.call("getUpdates")]
    assert len(sent) == len(texts) == 3
    assert all(set(text.splitlines()) == {"سلام دنیا"} for text in texts)
    assert sum(len(text.splitlines()) for text in texts) == 1000


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        (" \n ", []),
        ("short", ["short"]),
        ("aaaaaa\nb cdef", ["aaaaaa", "b cdef"]),
        ("aaaaaa bb cdef", ["aaaaaa bb", "cdef"]),
        ("a b\ncdefghijkl", ["a b\ncdefgh", "ijkl"]),
        ("abcdefghijklm", ["abcdefghij", "klm"]),
        ("😀😀😀😀x😀", ["😀😀😀😀x", "😀"]),
    ],
)
def test_a_paste_breaks_at_a_newline_else_a_blank_else_where_it_is_full(text: str, parts: list[str]) -> None:
    assert split_pasted_text(text, most_units=10) == parts


@given(st.text(alphabet="ab \n😀س\u200c"), st.integers(min_value=2, max_value=12))
def test_a_paste_loses_no_letter_and_every_part_fits(text: str, most_units: int) -> None:
    parts = split_pasted_text(text, most_units=most_units)
    assert all(part and count_utf16_units(part) <= most_units for part in parts)
    assert _letters("".join(parts)) == _letters(text)


def _letters(text: str) -> str:
    return text.replace(" ", "").replace("\n", "")
