"""Telegram's reply gesture where a message has several parts, and answers that have several themselves."""

import pytest
from contact_steps import alice_writes_to_bob
from received import fetch, fetch_one, last_words, list_parts
from several_parts import LONG, assert_is_album, count_acknowledgements, files_of, make_paste
from town import Town, count

from nekonymous_site.bot import outcome_texts
from nekonymous_site.sandbox.people import Person, SeenMessage


def _bob_has_an_album_and_a_paste(town: Town) -> tuple[Person, Person, list[SeenMessage]]:
    """Bob has received both from Alice; the parts of the album come first, four with its card."""
    alice, bob = alice_writes_to_bob(town)
    alice.sends_album([("photo", ""), ("video", ""), ("photo", "")])
    town.settle()
    alice.taps(alice.sees()[-1], "c:")
    town.settle()
    alice.pastes(make_paste(4000, 4000, 100))
    town.settle()
    return alice, bob, fetch(town, bob)


@pytest.mark.parametrize("place", [0, 2, 4, 5])
def test_a_reply_to_a_part_without_buttons_is_told_where_to_go_and_goes_nowhere(
    town: Town, place: int
) -> None:
    alice, bob, parts = _bob_has_an_album_and_a_paste(town)
    _, carols_link = town.owner("Carol")
    bob.opens(carols_link)
    assert not parts[place].buttons
    bob.says("this is for Alice alone", reply_to=parts[place])
    town.settle()
    assert last_words(bob) == outcome_texts.where_to_reply("en")
    bob.sends("photo", reply_to=parts[place])
    bob.sends_album([("photo", ""), ("photo", "")], reply_to=parts[place])
    town.settle()
    assert count("accounts.unread") == count("accounts.composition") == 0
    assert count("accounts.draft") == 1, "the open draft stays"
    assert list_parts(alice) == []


@pytest.mark.parametrize("place", [3, 6])
def test_a_reply_to_the_part_with_buttons_arrives(town: Town, place: int) -> None:
    alice, bob, parts = _bob_has_an_album_and_a_paste(town)
    bob.says("thank you", reply_to=parts[place])
    town.settle()
    assert fetch_one(town, alice).text == "thank you"


@pytest.mark.parametrize("by", ["button", "gesture"])
def test_an_album_may_be_the_answer(town: Town, by: str) -> None:
    alice, bob = alice_writes_to_bob(town)
    question = alice.says("show me")
    town.settle()
    asked = fetch_one(town, bob)
    if by == "button":
        bob.taps(asked, "r:")
        town.settle()
    sent = bob.sends_album(
        [("photo", "here"), ("video", ""), ("photo", "")], reply_to=asked if by == "gesture" else None
    )
    files = files_of(bob, sent)
    town.settle()
    assert count_acknowledgements(bob) == 1
    parts = fetch(town, alice)
    assert_is_album(parts, files)
    assert {part.reply_to_message_id for part in parts[:-1]} == {question.message_id}


def test_an_answer_by_gesture_is_no_part_of_a_long_text_to_somebody_else(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    alice.says("from Alice")
    carol, carols_link = town.owner("Carol")
    town.settle()
    from_alice = fetch_one(town, bob)
    bob.opens(carols_link)
    bob.says(LONG)
    bob.says("a secret for Alice", reply_to=from_alice)
    town.settle()
    assert [part.text for part in fetch(town, carol)] == [LONG.strip()]
    assert [part.text for part in fetch(town, alice)] == ["a secret for Alice"]


def test_a_paste_by_gesture_is_one_answer(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    alice.says("tell me all")
    town.settle()
    asked = fetch_one(town, bob)
    for part in (LONG, LONG, "the end"):
        bob.says(part, reply_to=asked)
    town.settle()
    assert [part.text for part in fetch(town, alice)] == [LONG.strip(), LONG.strip(), "the end"]
    assert count("accounts.composition") == 0
