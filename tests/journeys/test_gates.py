"""Closed inboxes as those see them who write: one neutral answer for all that nobody is to learn.

Each person whom a closed inbox concerns sees the same, at the same step, in the same number of messages.
"""

from typing import Final

import pytest
from closed_inboxes import (
    CLOSED,
    GONE,
    Acquaintance,
    Write,
    account_of,
    acquaint,
    answers_to,
    fetch_only,
    has_nothing_open,
    tap_setting,
)
from plane_people import fill_inbox
from stored_rows import change_rows
from town import Town, count

from nekonymous_site.bot import outcome_texts
from nekonymous_site.sandbox.people import Person

LONG_TEXT: Final = "All of this is meant for you. " * 200

WRITINGS: Final[dict[str, Write]] = {
    "a text": lambda person: person.says("may I?"),
    "a photo": lambda person: person.sends("photo", caption="may I?"),
    "an album": lambda person: person.sends_album([("photo", "may I?"), ("video", "")]),
    "a long text": lambda person: person.pastes(LONG_TEXT),
}


NEUTRAL: Final = [
    (
        "sendMessage",
        {"text": outcome_texts.not_taking("en"), "link_preview_options": {"is_disabled": True}},
    )
]


def _open_link(town: Town, met: Acquaintance) -> None:
    met.alice.opens(met.link)
    town.settle()
    assert met.alice.sees()[-1].text == outcome_texts.compose_prompt("en", name=None)


@pytest.mark.parametrize("writing", WRITINGS)
@pytest.mark.parametrize("way", CLOSED)
def test_a_closed_inbox_shows_only_after_the_message_and_every_time_alike(
    town: Town, way: str, writing: str
) -> None:
    met = acquaint(town)
    if way == GONE:
        _open_link(town, met)
        CLOSED[way](town, met.bob, met.from_alice)
    else:
        CLOSED[way](town, met.bob, met.from_alice)
        _open_link(town, met)
    tickets = count("tickets.ticket")
    assert answers_to(town, met.alice, WRITINGS[writing]) == NEUTRAL
    assert count("tickets.ticket") == tickets
    assert has_nothing_open(met.alice)


@pytest.mark.parametrize("way", CLOSED)
def test_a_link_that_is_opened_before_its_owner_closes_makes_no_difference(town: Town, way: str) -> None:
    met = acquaint(town)
    _open_link(town, met)
    CLOSED[way](town, met.bob, met.from_alice)
    assert answers_to(town, met.alice, WRITINGS["a text"]) == NEUTRAL
    assert has_nothing_open(met.alice)


@pytest.mark.parametrize("way", CLOSED)
def test_an_answer_to_whoever_is_closed_is_refused_alike(town: Town, way: str) -> None:
    met = acquaint(town)
    met.bob.taps(met.from_alice, "r:")
    town.settle()
    CLOSED[way](town, met.alice, met.from_bob)
    tickets = count("tickets.ticket")
    assert answers_to(town, met.bob, WRITINGS["a text"]) == NEUTRAL
    assert has_nothing_open(met.bob)

    def answer_by_gesture(person: Person) -> None:
        person.says("may I?", reply_to=met.from_alice)

    assert answers_to(town, met.bob, answer_by_gesture) == NEUTRAL
    assert count("tickets.ticket") == tickets


def test_a_closed_inbox_keeps_what_waits_in_it_and_brings_it(town: Town) -> None:
    met = acquaint(town)
    town.writes(met.alice, met.link, "before the pause")
    town.settle()
    tap_setting(town, met.bob, "pause:ever")
    assert fetch_only(town, met.bob).text == "before the pause"


@pytest.mark.parametrize("choice", ["1", "8", "24"])
def test_a_pause_ends_by_itself(town: Town, choice: str) -> None:
    met = acquaint(town)
    tap_setting(town, met.bob, f"pause:{choice}")
    change_rows("UPDATE accounts.account SET paused_until = now() WHERE paused_until IS NOT NULL")
    town.writes(met.alice, met.link, "after the pause")
    assert fetch_only(town, met.bob).text == "after the pause"


@pytest.mark.parametrize("choice", ["1", "ever"])
def test_whoever_resumes_takes_messages_again(town: Town, choice: str) -> None:
    met = acquaint(town)
    tap_setting(town, met.bob, f"pause:{choice}")
    tap_setting(town, met.bob, "pause:end")
    town.writes(met.alice, met.link, "after the pause")
    assert fetch_only(town, met.bob).text == "after the pause"


def test_whoever_was_unreachable_and_comes_back_takes_messages_again(town: Town) -> None:
    met = acquaint(town)
    CLOSED["unreachable"](town, met.bob, met.from_alice)
    met.bob.unblocks_bot()
    met.bob.says("/start")
    town.settle()
    town.writes(met.alice, met.link, "you are back")
    assert fetch_only(town, met.bob).text == "you are back"


def test_whoever_is_unblocked_can_write_again(town: Town) -> None:
    met = acquaint(town)
    CLOSED["blocked"](town, met.bob, met.from_alice)
    [blocked] = [seen for seen in town.delivered(met.bob) if seen.has_button("u:")]
    met.bob.taps(blocked, "u:")
    town.settle()
    town.writes(met.alice, met.link, "thank you")
    assert fetch_only(town, met.bob).text == "thank you"


def test_a_block_concerns_one_person_alone(town: Town) -> None:
    met = acquaint(town)
    CLOSED["blocked"](town, met.bob, met.from_alice)
    town.writes(town.person("Carol"), met.link, "I am somebody else")
    assert fetch_only(town, met.bob).text == "I am somebody else"


def test_what_is_set_aside_is_neither_announced_nor_brought_and_takes_up_a_place(town: Town) -> None:
    met = acquaint(town)
    notices = count("outbox.intent", "kind = 'notice' AND state = 'sent'")
    fill_inbox(account_of(met.bob), count=49)
    change_rows("UPDATE accounts.unread SET state = 'filtered'")
    town.settle()
    assert count("outbox.intent", "kind = 'notice' AND state = 'sent'") == notices
    town.writes(met.alice, met.link, "the fiftieth")
    town.settle()
    assert met.bob.sees()[-1].text == outcome_texts.notice("en", count=1)
    met.alice.opens(met.link)
    town.settle()
    assert answers_to(town, met.alice, WRITINGS["a text"]) == NEUTRAL
    assert fetch_only(town, met.bob).text == "the fiftieth"
    assert count("accounts.unread", "state = 'filtered'") == 49
    [(_, said)] = answers_to(town, met.bob, lambda bob: bob.says("/inbox"))
    assert said["text"] == outcome_texts.inbox_empty("en")
