"""Whoever wrote stays nameless, can be given a nickname, and be written to again and again."""

import pytest
from contact_steps import bob_hears_from_alice, give_nickname, tap_on
from received import as_it_stands, fetch, fetch_one, last_words, list_parts
from stored_rows import change_rows, read_rows
from town import Town, count

from accounts.drafts import open_draft, seal_draft
from nekonymous_site.bot import button_texts, outcome_texts
from nekonymous_site.crypto.identifiers import AccountId, Envelope
from nekonymous_site.sandbox.people import Person, SeenMessage


def _first_button(person: Person, message: SeenMessage) -> str:
    first = as_it_stands(person, message).buttons[0]
    assert first.row == 0
    return first.text


def test_a_nickname_stands_on_the_tapped_message_and_on_later_ones(town: Town) -> None:
    alice, bob, link = bob_hears_from_alice(town)
    message = fetch_one(town, bob)
    assert _first_button(bob, message) == button_texts.sender("en", nickname=None)
    bob.taps(message, "n:")
    town.settle()
    prompt = bob.sees()[-1]
    assert prompt.text == outcome_texts.nickname_prompt("en", current=None)
    assert not prompt.has_button("nx:"), "there is none to take away"
    bob.says("Pen friend")
    town.settle()
    assert last_words(bob) == outcome_texts.nickname_set("en", name="Pen friend")
    assert _first_button(bob, message) == button_texts.sender("en", nickname="Pen friend")
    town.writes(alice, link, "second")
    town.writes(town.person("Carol"), link, "from somebody else")
    town.settle()
    second, other = fetch(town, bob)
    assert _first_button(bob, second) == button_texts.sender("en", nickname="Pen friend")
    assert _first_button(bob, other) == button_texts.sender("en", nickname=None)
    bob.taps(second, "r:")
    town.settle()
    assert last_words(bob) == outcome_texts.reply_prompt("en", nickname="Pen friend")


def test_a_nickname_is_changed_and_taken_away(town: Town) -> None:
    alice, bob, link = bob_hears_from_alice(town)
    message = fetch_one(town, bob)
    give_nickname(town, bob, message, "Old")
    give_nickname(town, bob, message, "New")
    assert _first_button(bob, message) == button_texts.sender("en", nickname="New")
    bob.taps(as_it_stands(bob, message), "n:")
    town.settle()
    prompt = bob.sees()[-1]
    assert prompt.text == outcome_texts.nickname_prompt("en", current="New")
    for _ in range(2):
        assert tap_on(town, bob, prompt, "nx:") == outcome_texts.nickname_removed("en")
    assert _first_button(bob, message) == button_texts.sender("en", nickname=None)
    assert count("accounts.nickname") == count("accounts.draft") == 0
    town.writes(alice, link, "second")
    town.settle()
    assert _first_button(bob, fetch_one(town, bob)) == button_texts.sender("en", nickname=None)


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  مریمِ خانه\u200cی ما ", "مریمِ خانه\u200cی ما"),
        ("👩\u200d👩\u200d👧 & 🏳️\u200d🌈", "👩\u200d👩\u200d👧 & 🏳️\u200d🌈"),
        ("\u202etxet\u2066", "txet"),
        ("two\nlines", "two lines"),
        ("שלום", "שלום"),
        ("<b>&amp;*_`[", "<b>&amp;*_`["),
        ("x" * 32, "x" * 32),
        ("👩\u200d🚀" * 25, "👩\u200d🚀" * 25),
    ],
)
def test_a_nickname_is_made_fit_for_one_line(town: Town, typed: str, kept: str) -> None:
    _, bob, _ = bob_hears_from_alice(town)
    message = fetch_one(town, bob)
    give_nickname(town, bob, message, typed)
    assert last_words(bob) == outcome_texts.nickname_set("en", name=kept)
    shown = _first_button(bob, message)
    assert shown == button_texts.sender("en", nickname=kept)
    assert len(shown.encode("utf-16-le")) // 2 <= 64


@pytest.mark.parametrize(
    "typed", ["\u200c", "\u202e\u2066", "x" * 33, "👩\u200d🚀" * 33, "word " * 700, "photo"]
)
def test_what_is_no_nickname_is_asked_for_again(town: Town, typed: str) -> None:
    _, bob, _ = bob_hears_from_alice(town)
    message = fetch_one(town, bob)
    bob.taps(message, "n:")
    town.settle()
    if typed == "photo":
        bob.sends("photo", caption="a name?")
    else:
        bob.says("x", extra_fields={"text": typed})
    town.settle()
    assert last_words(bob) == outcome_texts.nickname_unusable("en")
    bob.says("Pen friend")
    town.settle()
    assert _first_button(bob, message) == button_texts.sender("en", nickname="Pen friend")


def _put_minutes_behind(minutes: int) -> None:
    """Let minutes pass for the one nickname draft there is."""
    [(owner, body)] = read_rows("SELECT account_id, body FROM accounts.draft")
    assert isinstance(owner, bytes)
    assert isinstance(body, bytes)
    opened = open_draft(Envelope(body), owner=AccountId(owner))
    assert opened is not None
    opened_at = opened.opened_at - minutes * 60
    earlier = seal_draft(opened.draft, owner=AccountId(owner), opened_at=opened_at)
    change_rows("UPDATE accounts.draft SET body = %s", [earlier])


@pytest.mark.parametrize(("minutes", "is_named"), [(9, True), (10, False)])
def test_a_nickname_is_waited_for_ten_minutes(town: Town, minutes: int, *, is_named: bool) -> None:
    _, bob, _ = bob_hears_from_alice(town)
    message = fetch_one(town, bob)
    bob.taps(message, "n:")
    town.settle()
    _put_minutes_behind(minutes)
    bob.says("Pen friend")
    town.settle()
    assert count("accounts.nickname") == is_named
    assert (last_words(bob) == outcome_texts.nothing_open("en")) is not is_named


def test_a_nickname_is_seen_by_nobody_else(town: Town) -> None:
    alice, bob, _ = bob_hears_from_alice(town)
    message = fetch_one(town, bob)
    give_nickname(town, bob, message, "Secret name")
    bob.taps(as_it_stands(bob, message), "r:")
    town.settle()
    bob.says("an answer")
    town.settle()
    answer = fetch_one(town, alice)
    assert _first_button(alice, answer) == button_texts.sender("en", nickname=None)
    assert not [seen for seen in alice.sees() if "Secret" in seen.text + str(seen.buttons)]


def test_an_answer_by_gesture_is_no_nickname(town: Town) -> None:
    alice, bob, _ = bob_hears_from_alice(town)
    message = fetch_one(town, bob)
    bob.taps(message, "n:")
    town.settle()
    bob.says("this is an answer", reply_to=message)
    bob.says("Pen friend")
    town.settle()
    assert fetch_one(town, alice).text == "this is an answer"
    assert _first_button(bob, message) == button_texts.sender("en", nickname="Pen friend")


@pytest.mark.parametrize("act", ["n:", "b:"])
def test_the_mark_of_a_repeat_stays_on_the_buttons(town: Town, act: str) -> None:
    _, bob, _ = bob_hears_from_alice(town)
    change_rows("UPDATE accounts.unread SET possible_repeat = true")
    message = fetch_one(town, bob)
    assert message.has_button("ir:")
    bob.taps(message, act)
    town.settle()
    bob.says("Pen friend")
    town.settle()
    assert as_it_stands(bob, message).buttons != message.buttons
    assert as_it_stands(bob, message).has_button("ir:")
    assert tap_on(town, bob, message, "ir:") == outcome_texts.repeat_explained("en")


def test_two_people_answer_each_other_three_times(town: Town) -> None:
    alice, bob, _ = bob_hears_from_alice(town, "0 from Alice")
    seen = fetch_one(town, bob)
    answering, asked = bob, alice
    for n in range(1, 7):
        if n % 2:
            answering.taps(seen, "r:")
            town.settle()
        answering.says(f"{n}", reply_to=None if n % 2 else seen)
        town.settle()
        assert last_words(answering) == outcome_texts.reply_accepted("en")
        answering, asked = asked, answering
        seen = fetch_one(town, answering)
        assert seen.text == f"{n}"
        said = [own.message_id for own in answering.sees() if not own.from_bot and own.text[0] == f"{n - 1}"]
        assert seen.reply_to_message_id == said[0], "it stands under what it answers"
    assert [part.text for part in list_parts(alice)] == ["1", "3", "5"]
    assert [part.text for part in list_parts(bob)] == ["0 from Alice", "2", "4", "6"]


def test_write_another_and_reply_again_open_the_same_door(town: Town) -> None:
    alice, bob, _ = bob_hears_from_alice(town)
    alice.taps(alice.sees()[-1], "c:")
    town.settle()
    assert last_words(alice) == outcome_texts.compose_prompt("en", name=None)
    alice.says("second")
    town.settle()
    first, second = fetch(town, bob)
    assert (first.text, second.text) == ("first", "second")
    bob.taps(first, "r:")
    town.settle()
    bob.says("answer one")
    town.settle()
    bob.taps(bob.sees()[-1], "r:")
    town.settle()
    assert last_words(bob) == outcome_texts.reply_prompt("en", nickname=None)
    bob.says("answer two")
    town.settle()
    assert [part.text for part in fetch(town, alice)] == ["answer one", "answer two"]
