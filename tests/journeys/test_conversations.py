"""What people meet beside the straight way: own and dead links, commands while writing, what is not text."""

import pytest
from town import Town, count

from nekonymous_site.bot import button_texts, outcome_texts, refusal_texts
from nekonymous_site.bot.message_content import Unsendable
from nekonymous_site.sandbox.people import Person, SeenMessage

FOUR_THOUSAND_LETTERS = "سلام به همه. " * 315  # of two bytes each, more than any address holds


def _someone_who_received(town: Town, text: str) -> tuple[Person, SeenMessage]:
    bob, link = town.owner()
    town.writes(town.person("Alice"), link, text)
    town.settle()
    bob.says("/inbox")
    town.settle()
    [message] = town.delivered(bob)
    return bob, message


def test_a_text_of_full_length_and_its_formatting_arrive_whole(town: Town) -> None:
    bob, link = town.owner()
    alice = town.person("Alice")
    alice.opens(link)
    text = FOUR_THOUSAND_LETTERS.strip()
    bold = {"type": "bold", "offset": 0, "length": 4}
    mention = {"type": "text_mention", "offset": 5, "length": 2, "user": {"id": alice.id}}
    alice.says(text, entities=[bold, mention])
    town.settle()
    bob.says("/inbox")
    town.settle()
    [message] = town.delivered(bob)
    assert message.text == text
    assert list(message.entities) == [bold]


def test_an_own_link_is_shown_as_such(town: Town) -> None:
    bob, link = town.owner()
    bob.opens(link)
    town.settle()
    assert bob.sees()[-1].text == outcome_texts.own_link_opened("en")
    bob.says("to myself?")
    town.settle()
    assert bob.sees()[-1].text == outcome_texts.nothing_open("en")


@pytest.mark.parametrize("slug", ["AAAAAAAAAAAAAAAAAAAAAA", "x", "_" * 64])
def test_a_dead_link_says_so(town: Town, slug: str) -> None:
    alice = town.person("Alice")
    alice.says(f"/start {slug}")
    town.settle()
    assert alice.sees()[-1].text == outcome_texts.dead_link("en")


def test_a_command_typed_while_writing_navigates_and_is_not_sent(town: Town) -> None:
    bob, link = town.owner()
    alice = town.person("Alice")
    alice.opens(link)
    for command in ("/help", "/link", "/nonsense", "/inbox"):
        alice.says(command)
    town.settle()
    assert count("tickets.ticket") == 0
    alice.says("now the message")
    town.settle()
    bob.says("/inbox")
    town.settle()
    assert [message.text for message in town.delivered(bob)] == ["now the message"]


def test_cancel_closes_what_is_open_and_nothing_is_sent(town: Town) -> None:
    _, link = town.owner()
    alice = town.person("Alice")
    alice.opens(link)
    alice.says("/cancel")
    alice.says("/cancel")
    alice.says("too late")
    town.settle()
    seen = [message.text for message in alice.sees() if message.from_bot][-3:]
    assert seen == [
        outcome_texts.cancelled("en"),
        outcome_texts.nothing_to_cancel("en"),
        outcome_texts.nothing_open("en"),
    ]
    assert count("tickets.ticket") == 0


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("contact", Unsendable.CONTACT),
        ("location", Unsendable.PLACE),
        ("venue", Unsendable.PLACE),
        ("poll", Unsendable.POLL),
        ("dice", Unsendable.DICE),
    ],
)
def test_what_is_not_relayed_is_refused_with_its_reason_and_the_draft_stays(
    town: Town, kind: str, why: Unsendable
) -> None:
    bob, link = town.owner()
    alice = town.person("Alice")
    alice.opens(link)
    alice.sends(kind)
    town.settle()
    assert alice.sees()[-1].text == refusal_texts.unsendable("en", why=why, draft_open=True)
    alice.says("then in words")
    bob.says("/inbox")
    town.settle()
    assert [message.text for message in town.delivered(bob)] == ["then in words"]


def test_an_answer_by_gesture_leaves_the_open_draft_alone(town: Town) -> None:
    bob, bobs_link = town.owner()
    carol, carols_link = town.owner("Carol")
    alice = town.person("Alice")
    town.writes(alice, bobs_link, "hello Bob")
    town.settle()
    bob.says("/inbox")
    town.settle()
    [message] = town.delivered(bob)
    bob.opens(carols_link)
    bob.says("an answer to Alice", reply_to=message)
    bob.says("a first word to Carol")
    town.settle()
    alice.says("/inbox")
    carol.says("/inbox")
    town.settle()
    assert [seen.text for seen in town.delivered(alice)] == ["an answer to Alice"]
    assert [seen.text for seen in town.delivered(carol)] == ["a first word to Carol"]


def test_a_delivered_text_says_that_it_is_not_the_bots(town: Town) -> None:
    bob, message = _someone_who_received(town, "Your account is locked, send the code to @x")
    assert message.buttons[0].text == button_texts.sender("en", nickname=None)
    tap = bob.taps(message, "i:")
    town.settle()
    assert "It does not come from the bot" in bob.awaits_toast(tap).text


def test_nobody_can_use_somebody_elses_button(town: Town) -> None:
    bob, link = town.owner()
    mallory = town.person("Mallory")
    alice = town.person("Alice")
    town.writes(alice, link, "for Bob alone")
    town.settle()
    bob.says("/inbox")
    mallory.says("/start")
    town.settle()
    [message] = town.delivered(bob)
    stolen = message.button("r:").callback_data
    assert stolen is not None
    tap = mallory.taps_data(mallory.sees()[-1], stolen)
    town.settle()
    assert mallory.awaits_toast(tap).text == outcome_texts.button_dead("en")
    mallory.says("I am Bob")
    town.settle()
    assert mallory.sees()[-1].text == outcome_texts.nothing_open("en")
    assert count("accounts.unread") == 0


def test_persian_numbers_stand_in_persian_digits() -> None:
    assert "۱۲" in outcome_texts.notice("fa", count=12)
    assert "12" in outcome_texts.notice("en", count=12)
