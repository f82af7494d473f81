"""A message reaches whom its sender meant, or nobody: taps overtake messages, and messages come late."""

import time
from typing import Final

import pytest
from between_two import bob_between_two, fetch_parts, read_inbox
from pytest_django.fixtures import Settings
from received import last_words
from stored_rows import change_rows
from town import Town, count

from nekonymous_site.bot import outcome_texts, refusal_texts
from nekonymous_site.bot.message_content import Unsendable
from nekonymous_site.rate_limits import Rates

LONG: Final = "یک خط بلند برای کارول.\n" * 100  # a client would cut it somewhere


def _minutes_ago() -> dict[str, object]:
    return {"date": int(time.time()) - 60}


@pytest.mark.parametrize("overtaking", ["r:", "n:"])
def test_a_tap_that_overtakes_a_message_does_not_redirect_it(town: Town, overtaking: str) -> None:
    bob, alice, carol, carols_link, from_alice = bob_between_two(town)
    bob.opens(carols_link)
    town.settle()
    bob.taps(from_alice, overtaking)
    bob.says("for Carol alone", extra_fields=_minutes_ago())
    town.settle()
    assert last_words(bob) == outcome_texts.written_before("en")
    assert (read_inbox(town, alice), read_inbox(town, carol)) == ([], [])
    assert count("accounts.nickname") == 0


def test_a_late_message_becomes_nobodys_display_name(town: Town) -> None:
    bob, _, _, carols_link, _ = bob_between_two(town)
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
    bob, _, carol, carols_link, _ = bob_between_two(town)
    slug = carols_link.partition("start=")[2]
    bob.says(f"/start {slug}", extra_fields=_minutes_ago())
    bob.says("for Carol", extra_fields=_minutes_ago())
    town.settle()
    assert read_inbox(town, carol) == ["for Carol"]


def test_late_items_of_an_album_go_to_nobody_else(town: Town) -> None:
    bob, alice, carol, carols_link, from_alice = bob_between_two(town)
    bob.opens(carols_link)
    town.settle()
    late = _minutes_ago() | {"media_group_id": "77"}
    bob.sends("photo", caption="first", extra_fields={"media_group_id": "77"})
    town.settle()
    bob.taps(from_alice, "r:")
    bob.sends("photo", caption="second", extra_fields=late)
    town.settle()
    assert last_words(bob) == outcome_texts.written_before("en")
    assert read_inbox(town, alice) == []
    assert [part.caption for part in fetch_parts(town, carol)] == ["first"]


def test_a_reply_to_an_older_prompt_does_not_go_where_the_newer_one_leads(town: Town) -> None:
    bob, _, carol, carols_link, _ = bob_between_two(town)
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
    assert (read_inbox(town, carol), read_inbox(town, dora)) == ([], ["for Dora"])


def test_a_reply_to_an_older_reply_prompt_answers_what_that_prompt_was_about(town: Town) -> None:
    bob, alice, carol, carols_link, from_alice = bob_between_two(town)
    bob.taps(from_alice, "r:")
    town.settle()
    answering_alice = bob.sees()[-1]
    bob.opens(carols_link)
    bob.says("for Alice", reply_to=answering_alice)
    bob.says("for Carol")
    town.settle()
    assert (read_inbox(town, alice), read_inbox(town, carol)) == (["for Alice"], ["for Carol"])


def test_a_reply_to_a_screen_of_the_bots_is_not_taken_for_a_message(town: Town) -> None:
    bob, _, carol, carols_link, _ = bob_between_two(town)
    notice = next(seen for seen in bob.sees() if seen.has_button("ib:"))
    bob.opens(carols_link)
    bob.says("what is this?", reply_to=notice)
    town.settle()
    assert last_words(bob) == outcome_texts.unclear_gesture("en")
    assert read_inbox(town, carol) == []


@pytest.mark.parametrize("comes", ["during", "after"])
def test_parts_by_a_gesture_do_not_slip_into_the_open_draft(town: Town, comes: str) -> None:
    bob, alice, carol, carols_link, from_alice = bob_between_two(town)
    bob.opens(carols_link)
    bob.says(LONG, reply_to=from_alice)
    town.take_updates()
    if comes == "after":
        town.settle()
    bob.says("the end of it")  # the client has put the reply on the first part alone
    town.settle()
    assert last_words(bob) == outcome_texts.written_before("en")
    assert read_inbox(town, carol) == []
    assert read_inbox(town, alice) == [LONG.strip()]


def test_parts_by_a_gesture_join_where_nothing_else_is_open(town: Town) -> None:
    bob, alice, _, _, from_alice = bob_between_two(town)
    bob.says(LONG, reply_to=from_alice)
    bob.says("the end of it")
    town.settle()
    assert read_inbox(town, alice) == [LONG.strip(), "the end of it"]


def test_a_refused_gesture_does_not_promise_the_next_words(town: Town) -> None:
    bob, alice, _, carols_link, from_alice = bob_between_two(town)
    bob.opens(carols_link)
    bob.sends("contact", reply_to=from_alice)
    town.settle()
    closed = refusal_texts.unsendable("en", why=Unsendable.CONTACT, draft_open=False)
    assert last_words(bob) == closed
    change_rows("UPDATE accounts.account SET refused_kinds = 8")
    bob.sends("voice", reply_to=from_alice)
    town.settle()
    assert "reply once more" in last_words(bob)
    assert read_inbox(town, alice) == []


def test_a_reply_to_a_message_of_ones_own_does_not_go_into_the_open_draft(town: Town) -> None:
    """The swiped message was for Bob; what is open leads to Carol."""
    _, bobs_link = town.owner("Bob")
    carol, carols_link = town.owner("Carol")
    alice = town.person("Alice")
    alice.opens(bobs_link)
    written = alice.says("dear Bob")
    alice.opens(carols_link)
    assert written.message_id is not None
    alice.says("PS Bob, I meant five", reply_to=written.message_id)
    town.settle()
    assert last_words(alice) == outcome_texts.unclear_gesture("en")
    assert read_inbox(town, carol) == []


def test_a_link_that_could_not_be_opened_leaves_nothing_else_open(town: Town) -> None:
    _, bobs_link = town.owner("Bob")
    _, carols_link = town.owner("Carol")
    alice = town.person("Alice")
    alice.opens(bobs_link)
    town.settle()
    change_rows(
        """
        UPDATE accounts.account SET contact_salt = 'spoilt' FROM accounts.public_link
        WHERE public_link.account_id = account.account_id AND slug = %s
        """,
        [carols_link.partition("start=")[2]],
    )
    alice.opens(carols_link)
    for _ in range(3):
        town.settle()
    assert outcome_texts.update_parked("en") in [seen.text for seen in alice.sees()]
    alice.says("for whom was this?")
    town.settle()
    assert last_words(alice) == outcome_texts.nothing_open("en")
    assert count("tickets.ticket") == 0


@pytest.mark.parametrize("act", ["link", "tap"])
def test_what_was_too_fast_to_be_opened_leaves_nothing_else_open(
    town: Town, settings: Settings, act: str
) -> None:
    bob, _, _, carols_link, from_alice = bob_between_two(town)
    dora, doras_link = town.owner("Dora")
    bob.opens(doras_link)
    town.settle()
    settings.NEKO_RATES = Rates(updates=0, update_window_seconds=86_400)
    if act == "link":
        bob.opens(carols_link)
    else:
        bob.taps(from_alice, "r:")
    town.settle()
    settings.NEKO_RATES = Rates(updates=10**6, update_window_seconds=86_400)
    bob.says("for Carol or for Alice")
    town.settle()
    assert last_words(bob) == outcome_texts.nothing_open("en")
    assert read_inbox(town, dora) == []
