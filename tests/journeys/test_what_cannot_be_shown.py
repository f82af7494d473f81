"""Messages that Telegram refuses to show: their reader is told, and what can never be shown ends."""

import pytest
from received import fetch, last_words, list_own_words
from stored_rows import change_rows, intent_states, read_rows, read_value
from town import Town, count

from nekonymous_site.bot import outcome_texts, unshown_texts
from nekonymous_site.sandbox.people import Person
from nekonymous_site.workflows.ticket_content import ContentKind
from outbox.send_result import PayloadRefusal

REPEAT = "ir:"


def _alice_writes_to_bob(town: Town, language: str = "en") -> tuple[Person, Person, str]:
    bob = town.person("Bob", language)
    bob.says("/start")
    town.settle()
    link = bob.sees()[-1].find_start_link()
    assert link is not None
    alice = town.person("Alice", language)
    alice.opens(link)
    return alice, bob, link


def _said(kind: ContentKind | None, why: PayloadRefusal | None, *, is_gone: bool = False) -> str:
    return unshown_texts.not_shown("en", kind=kind, is_album=False, why=why, is_gone=is_gone)


def _asks(town: Town, bob: Person) -> list[str]:
    """Let Bob ask; gives what the bot says of messages that could not be shown."""
    before = len(list_own_words(bob))
    bob.says("/inbox")
    town.settle()
    return [text for text in list_own_words(bob)[before:] if text.startswith("⚠️")]


@pytest.mark.parametrize("kind", [ContentKind.VOICE, ContentKind.VIDEO_NOTE])
def test_whoever_forbids_voice_is_told_and_gets_it_once_they_allow_it(town: Town, kind: ContentKind) -> None:
    alice, bob, _ = _alice_writes_to_bob(town)
    alice.sends(kind.value)
    town.settle()
    bob.changes(forbids_voice=True)
    spoken = len(list_own_words(alice))
    for _ in range(3):
        assert _asks(town, bob) == [_said(kind, PayloadRefusal.READER_FORBIDS)]
    assert read_rows("SELECT state, generation, refused, possible_repeat FROM accounts.unread") == [
        ("waiting", 3, False, False)
    ]
    assert len(list_own_words(alice)) == spoken, "their sender must not hear of a setting of Bob's"
    bob.changes(forbids_voice=False)
    [arrived] = fetch(town, bob)
    assert (arrived.kind, arrived.has_button(REPEAT)) == (kind.value, False)
    assert count("accounts.unread") == count("tickets.ticket", "payload IS NOT NULL") == 0


def test_several_of_one_kind_are_told_of_once_a_drain_and_hold_up_nothing(town: Town) -> None:
    alice, bob, link = _alice_writes_to_bob(town)
    for kind in ("voice", "voice", "video_note"):
        alice.sends(kind)
        town.settle(notices=False)
        alice.opens(link)
    alice.says("in between")
    town.settle()
    bob.changes(forbids_voice=True)
    assert sorted(_asks(town, bob)) == sorted(
        _said(kind, PayloadRefusal.READER_FORBIDS) for kind in (ContentKind.VOICE, ContentKind.VIDEO_NOTE)
    )
    assert [message.text for message in town.delivered(bob)] == ["in between"]
    assert count("accounts.unread", "state = 'waiting'") == 3


def test_a_text_that_telegram_refuses_waits_and_is_told_of(town: Town) -> None:
    alice, bob, _ = _alice_writes_to_bob(town)
    alice.says("hello")
    town.settle()
    bob.says("/inbox")
    town.take_updates()
    town.pump()
    assert town.drain()
    town.sandbox.inject_fault("content_refused", method="sendMessage", chat_id=bob.id)
    town.settle()
    assert _said(ContentKind.TEXT, PayloadRefusal.OTHER) in list_own_words(bob)
    assert read_rows("SELECT state, refused FROM accounts.unread") == [("waiting", False)]
    assert [message.text for message in fetch(town, bob)] == ["hello"]


def _photo_whose_file_is_gone(town: Town, language: str = "en", *, drains: int) -> tuple[Person, Person]:
    alice, bob, _ = _alice_writes_to_bob(town, language)
    alice.sends("photo")
    town.settle()
    town.sandbox.inject_fault("file_gone", method="sendPhoto", count=drains)
    return alice, bob


def test_one_refusal_for_good_ends_nothing(town: Town) -> None:
    alice, bob = _photo_whose_file_is_gone(town, drains=1)
    spoken = len(list_own_words(alice))
    assert _asks(town, bob) == [_said(ContentKind.PHOTO, PayloadRefusal.FILE_GONE)]
    assert read_rows("SELECT state, refused FROM accounts.unread") == [("waiting", True)]
    assert len(list_own_words(alice)) == spoken
    assert [message.kind for message in fetch(town, bob)] == ["photo"]


@pytest.mark.parametrize("language", ["en", "fa"])
def test_the_second_refusal_for_good_ends_it_and_both_are_told(town: Town, language: str) -> None:
    alice, bob = _photo_whose_file_is_gone(town, language, drains=2)
    first = _asks(town, bob)
    assert first == [
        unshown_texts.not_shown(
            language, kind=ContentKind.PHOTO, is_album=False, why=PayloadRefusal.FILE_GONE, is_gone=False
        )
    ]
    assert _asks(town, bob) == [
        unshown_texts.not_shown(
            language, kind=ContentKind.PHOTO, is_album=False, why=PayloadRefusal.FILE_GONE, is_gone=True
        )
    ]
    assert last_words(alice) == unshown_texts.removed_unshown(language)
    assert count("accounts.unread") == 0
    assert read_rows("SELECT status, payload FROM tickets.ticket") == [("withdrawn", None)]
    assert intent_states("ticket") == ["failed", "failed"]
    assert _asks(town, bob) == []
    assert list_own_words(alice).count(unshown_texts.removed_unshown(language)) == 1


def test_an_attempt_that_failed_otherwise_is_no_refusal_for_good(town: Town) -> None:
    alice, bob, _ = _alice_writes_to_bob(town)
    alice.sends("photo")
    town.settle()
    town.sandbox.inject_fault("content_refused", method="sendPhoto")
    assert _asks(town, bob) == [_said(ContentKind.PHOTO, PayloadRefusal.OTHER)]
    town.sandbox.inject_fault("file_gone", method="sendPhoto")
    assert _asks(town, bob) == [_said(ContentKind.PHOTO, PayloadRefusal.FILE_GONE)]
    assert count("accounts.unread", "refused") == 1


def test_what_was_removed_can_be_taken_back_with_the_same_answer(town: Town) -> None:
    alice, bob = _photo_whose_file_is_gone(town, drains=2)
    acknowledgement = next(message for message in alice.sees() if message.has_button("w:"))
    _asks(town, bob)
    _asks(town, bob)
    alice.taps(acknowledgement, "w:")
    town.settle()
    assert town.answers[-1].body is not None
    assert town.answers[-1].body["text"] == outcome_texts.withdraw_answer("en")


def test_a_sender_who_cannot_be_told_keeps_nothing_from_ending(town: Town) -> None:
    alice, bob = _photo_whose_file_is_gone(town, drains=2)
    alice.blocks_bot()
    town.settle()
    _asks(town, bob)
    town.sandbox.forget_calls()
    _asks(town, bob)
    assert count("accounts.unread") == 0
    assert [call for call in town.sandbox.calls() if call["params"].get("chat_id") == alice.id] == []


def test_a_message_that_does_not_open_is_told_of_and_stays(town: Town) -> None:
    alice, bob, _ = _alice_writes_to_bob(town)
    alice.says("spoilt")
    town.settle()
    change_rows("UPDATE tickets.ticket SET payload = set_byte(payload, 40, 255 - get_byte(payload, 40))")
    for _ in range(2):
        assert _asks(town, bob) == [_said(None, None)]
    assert read_rows("SELECT state FROM accounts.unread") == [("waiting",)]
    assert read_value("SELECT payload IS NOT NULL FROM tickets.ticket") is True
