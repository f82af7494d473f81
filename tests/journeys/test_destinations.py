"""A message reaches whom its sender meant, or nobody: taps overtake messages, and messages come late."""

import time
from typing import Final

import pytest
from received import last_words, list_parts
from stored_rows import change_rows
from town import Town, count

from nekonymous_site.bot import outcome_texts, refusal_texts
from nekonymous_site.bot.message_content import Unsendable
from nekonymous_site.sandbox.people import Person, SeenMessage

LONG: Final = "یک خط بلند برای کارول.\n" * 100  # a client would cut it somewhere


def _bob_between_two(town: Town) -> tuple[Person, Person, Person, str, SeenMessage]:
    """Bob has a message of Alice's with its buttons, and Carol's link."""
    bob, bobs_link = town.owner("Bob")
    carol, carols_link = town.owner("Carol")
    alice = town.person("Alice")
    town.writes(alice, bobs_link, "hello Bob")
    town.settle()
    bob.says("/inbox")
    town.settle()
    [from_alice] = town.delivered(bob)
    return bob, alice, carol, carols_link, from_alice


def _received(town: Town, person: Person) -> list[str]:
    person.says("/inbox")
    town.settle()
    return [part.text for part in list_parts(person)]


def _minutes_ago() -> dict[str, object]:
    return {"date": int(time.time()) - 60}


@pytest.mark.parametrize("overtaking", ["r:", "n:"])
def test_a_tap_that_overtakes_a_message_does_not_redirect_it(town: Town, overtaking: str) -> None:
    bob, alice, carol, carols_link, from_alice = _bob_between_two(town)
    bob.opens(carols_link)
    town.settle()
    bob.taps(from_alice, overtaking)
    bob.says("for Carol alone", extra_fields=_minutes_ago())
    town.settle()
    assert last_words(bob) == outcome_texts.written_before("en")
    assert (_received(town, alice), _received(town, carol)) == ([], [])
    assert count("accounts.nickname") == 0


def test_a_late_message_becomes_nobodys_display_name(town: Town) -> None:
    bob, _, _, carols_link, _ = _bob_between_two(town)
    bob.opens(carols_link)
    bob.says("/settings")
    town.settle()
    bob.taps(bob.sees()[-1], "st:name")
    bob.says("I have always loved you", extra_fields=_minutes_ago())
    town.settle()
    assert last_words(bob) == outcome_texts.written_before("en")
    assert count("accounts.account", "display_name IS NOT NULL") == 0


def test_what_is_written_after_its_link_arrives_however_late_it_is(town: Town) -> None:
    """The bot was away for a minute: both dates are Telegram's."""
    bob, _, carol, carols_link, _ = _bob_between_two(town)
    slug = carols_link.partition("start=")[2]
    bob.says(f"/start {slug}", extra_fields=_minutes_ago())
    bob.says("for Carol", extra_fields=_minutes_ago())
    town.settle()
    assert _received(town, carol) == ["for Carol"]


def test_late_items_of_an_album_go_to_nobody_else(town: Town) -> None:
    bob, alice, carol, carols_link, from_alice = _bob_between_two(town)
    bob.opens(carols_link)
    town.settle()
    late = _minutes_ago() | {"media_group_id": "77"}
    bob.sends("photo", caption="first", extra_fields={"media_group_id": "77"})
    town.settle()
    bob.taps(from_alice, "r:")
    bob.sends("photo", caption="second", extra_fields=late)
    town.settle()
    assert last_words(bob) == outcome_texts.written_before("en")
    assert _received(town, alice) == []
    assert [part.caption for part in _parts(town, carol)] == ["first"]


def _parts(town: Town, person: Person) -> list[SeenMessage]:
    person.says("/inbox")
    town.settle()
    return list_parts(person)


def test_a_reply_to_an_older_prompt_does_not_go_where_the_newer_one_leads(town: Town) -> None:
    bob, _, carol, carols_link, _ = _bob_between_two(town)
    dora, doras_link = town.owner("Dora")
    bob.opens(carols_link)
    town.settle()
    older = bob.sees()[-1]
    bob.opens(doras_link)
    town.settle()
    newer = bob.sees()[-1]
    bob.says("for Carol", reply_to=older)
    town.settle()
    assert last_words(bob) == outcome_texts.unclear_gesture("en")
    bob.says("for Dora", reply_to=newer)
    town.settle()
    assert (_received(town, carol), _received(town, dora)) == ([], ["for Dora"])


def test_a_reply_to_an_older_reply_prompt_answers_what_that_prompt_was_about(town: Town) -> None:
    bob, alice, carol, carols_link, from_alice = _bob_between_two(town)
    bob.taps(from_alice, "r:")
    town.settle()
    answering_alice = bob.sees()[-1]
    bob.opens(carols_link)
    bob.says("for Alice", reply_to=answering_alice)
    bob.says("for Carol")
    town.settle()
    assert (_received(town, alice), _received(town, carol)) == (["for Alice"], ["for Carol"])


def test_a_reply_to_a_screen_of_the_bots_is_not_taken_for_a_message(town: Town) -> None:
    bob, _, carol, carols_link, _ = _bob_between_two(town)
    notice = next(seen for seen in bob.sees() if seen.has_button("ib:"))
    bob.opens(carols_link)
    bob.says("what is this?", reply_to=notice)
    town.settle()
    assert last_words(bob) == outcome_texts.unclear_gesture("en")
    assert _received(town, carol) == []


@pytest.mark.parametrize("comes", ["during", "after"])
def test_parts_by_a_gesture_do_not_slip_into_the_open_draft(town: Town, comes: str) -> None:
    bob, alice, carol, carols_link, from_alice = _bob_between_two(town)
    bob.opens(carols_link)
    bob.says(LONG, reply_to=from_alice)
    town.take_updates()
    if comes == "after":
        town.settle()
    bob.says("the end of it")  # the client has put the reply on the first part alone
    town.settle()
    assert last_words(bob) == outcome_texts.written_before("en")
    assert _received(town, carol) == []
    assert _received(town, alice) == [LONG.strip()]


def test_parts_by_a_gesture_join_where_nothing_else_is_open(town: Town) -> None:
    bob, alice, _, _, from_alice = _bob_between_two(town)
    bob.says(LONG, reply_to=from_alice)
    bob.says("the end of it")
    town.settle()
    assert _received(town, alice) == [LONG.strip(), "the end of it"]


def test_a_refused_gesture_does_not_promise_the_next_words(town: Town) -> None:
    bob, alice, _, carols_link, from_alice = _bob_between_two(town)
    bob.opens(carols_link)
    bob.sends("contact", reply_to=from_alice)
    town.settle()
    closed = refusal_texts.unsendable("en", why=Unsendable.CONTACT, draft_open=False)
    assert last_words(bob) == closed
    change_rows("UPDATE accounts.account SET refused_kinds = 8")
    bob.sends("voice", reply_to=from_alice)
    town.settle()
    assert "reply once more" in last_words(bob)
    assert _received(town, alice) == []


def test_the_button_of_a_prompt_closes_its_own_draft_and_no_other(town: Town) -> None:
    bob, _, carol, carols_link, from_alice = _bob_between_two(town)
    bob.taps(from_alice, "r:")
    town.settle()
    older = bob.sees()[-1]
    bob.opens(carols_link)
    town.settle()
    newer = bob.sees()[-1]
    stale = bob.taps(older, "k:")
    town.settle()
    assert bob.awaits_toast(stale).text == outcome_texts.button_dead("en")
    bob.says("for Carol")
    town.settle()
    assert _received(town, carol) == ["for Carol"]
    over = bob.taps(newer, "k:")
    town.settle()
    assert bob.awaits_toast(over).text == outcome_texts.button_dead("en")


def test_a_prompt_is_cancelled_by_its_button(town: Town) -> None:
    bob, _, _, carols_link, _ = _bob_between_two(town)
    bob.opens(carols_link)
    town.settle()
    open_prompt = bob.sees()[-1]
    tap = bob.taps(open_prompt, "k:")
    town.settle()
    assert bob.awaits_toast(tap).text == outcome_texts.cancelled("en")
    assert bob.sees()[-1].text == outcome_texts.cancelled("en")
    bob.says("too late")
    town.settle()
    assert last_words(bob) == outcome_texts.nothing_open("en")


def test_each_of_two_questions_keeps_its_message(town: Town) -> None:
    bob, _, carol, carols_link, _ = _bob_between_two(town)
    bob.opens(carols_link)
    for name in ("first.pdf", "second.pdf"):
        bob.sends("document", caption=name, extra={"file_name": name})
    town.settle()
    first, second = (seen for seen in bob.sees() if seen.has_button("y:"))
    bob.taps(first, "y:")
    bob.taps(second, "y:")
    town.settle()
    assert [part.caption for part in _parts(town, carol)] == ["first.pdf", "second.pdf"]
    assert count("accounts.composition") == 0


def test_more_than_twenty_questions_are_too_many_and_that_is_told(town: Town) -> None:
    bob, _, _, carols_link, _ = _bob_between_two(town)
    bob.opens(carols_link)
    for _ in range(21):
        bob.sends("document")
    town.settle()
    assert count("accounts.composition") == 20
    assert last_words(bob) == refusal_texts.too_many_questions("en")
    bob.says("/cancel")
    town.settle()
    assert last_words(bob) == outcome_texts.cancelled_waiting("en")
    assert count("accounts.composition") == 0


def test_a_service_note_is_no_nickname(town: Town) -> None:
    bob, _, _, _, from_alice = _bob_between_two(town)
    bob.taps(from_alice, "n:")
    town.settle()
    seen_before = len(bob.sees())
    bob.sends("pinned_message")
    town.settle()
    assert [seen for seen in bob.sees()[seen_before:] if seen.from_bot] == []


def test_a_long_part_that_begins_with_a_slash_is_no_command(town: Town) -> None:
    bob, _, carol, carols_link, _ = _bob_between_two(town)
    bob.opens(carols_link)
    for part in ("a" * 4000, "/me " + "b" * 3000, "the end"):
        bob.says(part)
    town.settle()
    assert _received(town, carol) == ["a" * 4000, "/me " + "b" * 3000, "the end"]
