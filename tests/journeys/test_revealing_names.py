"""Names that Telegram keeps on files: their sender is shown them and asked once before anything is sent."""

from typing import Any

import pytest
from contact_steps import alice_writes_to_bob
from received import fetch, fetch_one, last_words, list_own_words
from stored_rows import change_rows
from town import Town, count

from nekonymous_site.bot import outcome_texts, refusal_texts
from nekonymous_site.sandbox.people import Person, SeenMessage

CV = {"file_name": "Sara Ahmadi CV.pdf"}
LETTER = {"file_name": "letter.txt"}


def _asked(town: Town, person: Person, kind: str = "document", **sent: Any) -> SeenMessage:  # noqa: ANN401
    """Send something with a name on it; gives the question that comes."""
    person.sends(kind, **sent)
    town.settle()
    question = person.sees()[-1]
    assert question.has_button("y:")
    assert question.has_button("d:")
    return question


NAMES = {
    "document": (CV, [("FILE_NAME", "Sara Ahmadi CV.pdf")]),
    "video": (CV, [("FILE_NAME", "Sara Ahmadi CV.pdf")]),
    "animation": (CV, [("FILE_NAME", "Sara Ahmadi CV.pdf")]),
    "audio": ({"title": "A song", "performer": "Sara"}, [("TITLE", "A song"), ("PERFORMER", "Sara")]),
    "sticker": ({"set_name": "sara_by_a_bot"}, [("STICKER_SET", "sara_by_a_bot")]),
}


@pytest.mark.parametrize("kind", NAMES)
def test_the_names_are_shown_and_a_yes_sends(town: Town, kind: str) -> None:
    alice, bob = alice_writes_to_bob(town)
    extra, names = NAMES[kind]
    question = _asked(town, alice, kind, extra=extra)
    assert question.text == refusal_texts.revealing_question("en", names=names)
    assert count("tickets.ticket") == 0
    alice.taps(question, "y:")
    town.settle()
    assert last_words(alice) == outcome_texts.accepted("en")
    assert [seen.buttons for seen in alice.sees() if seen.message_id == question.message_id] == [()]
    assert fetch_one(town, bob).kind == kind
    assert count("accounts.composition") == 0


@pytest.mark.parametrize("kind", NAMES)
def test_what_has_no_names_is_not_asked_about(town: Town, kind: str) -> None:
    alice, bob = alice_writes_to_bob(town)
    alice.sends(kind, extra=dict.fromkeys(("file_name", "title", "performer", "set_name")))
    town.settle()
    assert last_words(alice) == outcome_texts.accepted("en")
    assert fetch_one(town, bob).kind == kind


def test_a_no_throws_it_away_and_the_draft_stays(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    question = _asked(town, alice, extra=CV)
    tap = alice.taps(question, "d:")
    town.settle()
    assert alice.awaits_toast(tap).text == refusal_texts.revealing_dropped("en")
    assert count("accounts.composition") == count("tickets.ticket") == 0
    alice.says("in words then")
    town.settle()
    assert fetch_one(town, bob).text == "in words then"


def test_a_yes_counts_once(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    question = _asked(town, alice, extra=CV)
    alice.taps(question, "y:")
    again = alice.taps(question, "y:")
    no = alice.taps(question, "d:")
    town.settle()
    assert alice.awaits_toast(again).text == outcome_texts.button_dead("en")
    assert alice.awaits_toast(no).text == outcome_texts.button_dead("en")
    assert count("tickets.ticket") == 1
    assert len(fetch(town, bob)) == 1


def test_each_question_stands_for_the_file_that_it_shows(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    old = _asked(town, alice, extra=CV, caption="old")
    new = _asked(town, alice, extra=LETTER, caption="new")
    assert refusal_texts.revealing_question("en", names=[("FILE_NAME", CV["file_name"])]) == old.text
    alice.taps(new, "y:")
    town.settle()
    assert fetch_one(town, bob).caption == "new"
    alice.taps(old, "y:")
    town.settle()
    assert fetch_one(town, bob).caption == "old"
    assert count("tickets.ticket") == 2
    assert count("accounts.composition") == 0


def test_too_many_questions_are_not_asked(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    first = _asked(town, alice, extra=CV)
    for _ in range(20):
        alice.sends("document", extra=LETTER)
    town.settle()
    assert last_words(alice) == refusal_texts.too_many_questions("en")
    assert count("accounts.composition") == 20
    alice.taps(first, "d:")
    town.settle()
    _asked(town, alice, extra=LETTER, caption="the last")
    alice.taps(alice.sees()[-1], "y:")
    town.settle()
    assert fetch_one(town, bob).caption == "the last"


def test_a_question_of_which_nobody_knows_is_asked_again(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    alice.sends("document", extra=CV)
    town.take_updates()
    town.sandbox.inject_fault("reset_before", method="sendMessage", chat_id=alice.id)
    town.settle()
    alice.taps(alice.sees()[-1], "y:")
    town.settle()
    assert fetch_one(town, bob).kind == "document"


def test_cancel_throws_away_what_waits(town: Town) -> None:
    alice, _ = alice_writes_to_bob(town)
    question = _asked(town, alice, extra=CV)
    alice.says("/cancel")
    town.settle()
    assert last_words(alice) == outcome_texts.cancelled_waiting("en")
    stale = alice.taps(question, "y:")
    town.settle()
    assert alice.awaits_toast(stale).text == outcome_texts.button_dead("en")
    assert count("tickets.ticket") == count("accounts.composition") == count("accounts.draft") == 0


def test_a_question_is_over_after_a_day(town: Town) -> None:
    alice, _ = alice_writes_to_bob(town)
    question = _asked(town, alice, extra=CV)
    change_rows("UPDATE accounts.composition SET expires_at = now()")
    late = alice.taps(question, "y:")
    town.settle()
    assert alice.awaits_toast(late).text == outcome_texts.button_dead("en")
    assert count("tickets.ticket") == 0


def test_nobody_else_can_say_yes(town: Town) -> None:
    alice, _ = alice_writes_to_bob(town)
    question = _asked(town, alice, extra=CV)
    mallory, _ = town.owner("Mallory")
    data = question.button("y:").callback_data
    assert data is not None
    for forged in (data, "y:", "y:!!!", "y:AAAA", "d:" + data[2:]):
        tap = mallory.taps_data(mallory.sees()[-1], forged)
        town.settle()
        assert mallory.awaits_toast(tap).text == outcome_texts.button_dead("en")
    assert count("tickets.ticket") == 0
    assert count("accounts.composition") == 1


def test_a_file_by_gesture_is_asked_about_and_goes_where_it_was_meant_to(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    _, carols_link = town.owner("Carol")
    alice.says("send me your letter")
    town.settle()
    asked = fetch_one(town, bob)
    question = _asked(town, bob, extra=LETTER, reply_to=asked)
    bob.opens(carols_link)
    bob.taps(question, "y:")
    town.settle()
    assert fetch_one(town, alice).kind == "document"
    assert count("accounts.draft") == 1, "the draft to Carol stays"


def test_all_names_of_an_album_are_shown_at_once(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    for name in ("one.pdf", "two.pdf", "three.pdf"):
        extra = {"file_name": name}
        alice.sends("document", extra=extra, extra_fields={"media_group_id": "4711"})
    town.settle()
    question = alice.sees()[-1]
    expected = refusal_texts.revealing_question(
        "en", names=[("FILE_NAME", name) for name in ("one.pdf", "two.pdf", "three.pdf")]
    )
    assert question.text == expected
    alice.taps(question, "y:")
    town.settle()
    assert [part.kind for part in fetch(town, bob)] == ["document"] * 3 + ["text"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("\u202egpj.exe", "gpj.exe"),
        ("a\nb\x07c", "a b c"),
        ("سارا\u200cی من.pdf", "سارا\u200cی من.pdf"),
        ("\u200b\u2060", None),
    ],
)
def test_a_name_cannot_spoil_the_question(town: Town, name: str, shown: str | None) -> None:
    alice, _ = alice_writes_to_bob(town)
    alice.sends("document", extra={"file_name": name})
    town.settle()
    if shown is None:
        assert last_words(alice) == outcome_texts.accepted("en"), "a name that nobody can see is none"
    else:
        assert last_words(alice) == refusal_texts.revealing_question("en", names=[("FILE_NAME", shown)])


def test_the_text_behind_a_question_is_a_message_of_its_own(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    question = _asked(town, alice, extra=CV)
    alice.says("a word before that")
    town.settle()
    alice.taps(question, "y:")
    town.settle()
    assert [part.kind for part in fetch(town, bob)] == ["text", "document"]


def test_an_own_refusal_comes_after_the_yes(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    question = _asked(town, alice, extra=CV)
    bob.says("/settings")
    town.settle()
    bob.taps_data(bob.sees()[-1], "st:pause:ever")
    alice.taps(question, "y:")
    town.settle()
    assert last_words(alice) == outcome_texts.not_taking("en")
    assert outcome_texts.accepted("en") not in list_own_words(alice)


@pytest.mark.parametrize("letter", ["a", "ب", "曲", "🎼"])
def test_the_longest_names_of_a_whole_album_are_asked_about(town: Town, letter: str) -> None:
    alice, bob = alice_writes_to_bob(town)
    for _ in range(10):
        extra = {"title": letter * 200, "performer": letter * 200}
        alice.sends("audio", extra=extra, extra_fields={"media_group_id": "4711"})
    town.settle()
    alice.taps(alice.sees()[-1], "y:")
    town.settle()
    assert len(fetch(town, bob)) == 11


@pytest.mark.parametrize(
    ("typed", "is_sent"), [("no", False), ("نه", False), ("Yes!", True), ("🗑 Do not send", False)]
)
def test_a_typed_answer_is_taken_for_an_answer(town: Town, typed: str, *, is_sent: bool) -> None:
    alice, bob = alice_writes_to_bob(town)
    _asked(town, alice, extra=CV)
    alice.says(typed)
    town.settle()
    assert [part.kind for part in fetch(town, bob)] == (["document"] if is_sent else [])
    assert count("accounts.composition") == 0


def test_a_yes_without_a_question_is_a_message(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    alice.says("yes")
    town.settle()
    assert fetch_one(town, bob).text == "yes"


def test_a_yes_where_two_questions_wait_is_a_message(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    _asked(town, alice, extra=CV)
    _asked(town, alice, extra=LETTER)
    alice.says("yes")
    town.settle()
    assert fetch_one(town, bob).text == "yes"
    assert count("accounts.composition") == 2
