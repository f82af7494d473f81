"""What whoever writes may know: their own sanction, that a link is dead, that a kind is not taken."""

from collections.abc import Callable
from datetime import datetime
from typing import Final

import pytest
from closed_inboxes import (
    CLOSED,
    GONE,
    Acquaintance,
    account_of,
    acquaint,
    answers_to,
    fetch_only,
    has_nothing_open,
    sanction,
    tap_setting,
)
from django.conf import settings
from stored_rows import change_rows, read_value
from town import Town, count

from accounts.preferences import ReceiveKind
from nekonymous_site.bot import outcome_texts, refusal_texts
from nekonymous_site.sandbox.people import Person


def _only_answer(town: Town, person: Person, write: Callable[[Person], object]) -> str:
    """The text of the one message that somebody is answered with, which has no buttons."""
    [(method, said)] = answers_to(town, person, write)
    assert method == "sendMessage"
    assert "reply_markup" not in said
    text = said["text"]
    assert isinstance(text, str)
    return text


def _open_link(town: Town, met: Acquaintance) -> None:
    met.alice.opens(met.link)
    town.settle()
    assert met.alice.sees()[-1].text == outcome_texts.compose_prompt("en", name=None)


def _says_hello(person: Person) -> None:
    person.says("hello?")


def _told(*, hours: int | None) -> str:
    """What a sanctioned person is told."""
    contact = settings.NEKO.contact
    if hours is None:
        return refusal_texts.banned("en", contact=contact)
    until = read_value("SELECT until FROM safety.subject")
    assert isinstance(until, datetime)
    return refusal_texts.suspended("en", until=until, zone="UTC", contact=contact)


SANCTIONS: Final = pytest.mark.parametrize("hours", [3, None], ids=["suspended", "banned"])


@SANCTIONS
def test_a_sanction_is_told_at_the_opening_of_a_link_which_then_opens_nothing(
    town: Town, hours: int | None
) -> None:
    met = acquaint(town)
    sanction(met.alice, hours=hours)
    assert _only_answer(town, met.alice, lambda alice: alice.opens(met.link)) == _told(hours=hours)
    assert has_nothing_open(met.alice)


@SANCTIONS
@pytest.mark.parametrize("way", ["paused until resumed", "blocked", "full"])
def test_a_sanction_is_told_at_sending_whether_the_inbox_is_closed_or_not(
    town: Town, hours: int | None, way: str
) -> None:
    met = acquaint(town)
    tickets = count("tickets.ticket")
    for close in (lambda *_: None, CLOSED[way]):
        change_rows("DELETE FROM safety.subject")
        _open_link(town, met)
        close(town, met.bob, met.from_alice)
        sanction(met.alice, hours=hours)
        assert _only_answer(town, met.alice, _says_hello) == _told(hours=hours)
        assert has_nothing_open(met.alice)
    assert count("tickets.ticket") == tickets


@SANCTIONS
def test_a_sanction_is_told_to_whoever_answers(town: Town, hours: int | None) -> None:
    met = acquaint(town)
    sanction(met.bob, hours=hours)
    tickets = count("tickets.ticket")
    met.bob.taps(met.from_alice, "r:")
    town.settle()
    assert _only_answer(town, met.bob, _says_hello) == _told(hours=hours)
    assert has_nothing_open(met.bob)
    by_gesture = _only_answer(town, met.bob, lambda bob: bob.says("hello?", reply_to=met.from_alice))
    assert by_gesture == _told(hours=hours)
    assert count("tickets.ticket") == tickets


@SANCTIONS
def test_a_sanction_is_told_to_whoever_sends_an_album(town: Town, hours: int | None) -> None:
    met = acquaint(town)
    _open_link(town, met)
    sanction(met.alice, hours=hours)
    album = [("photo", "one"), ("photo", "two")]
    assert _only_answer(town, met.alice, lambda alice: alice.sends_album(album)) == _told(hours=hours)
    assert has_nothing_open(met.alice)


def test_whoever_is_banned_still_receives_and_blocks(town: Town) -> None:
    met = acquaint(town)
    sanction(met.alice, hours=None)
    met.bob.says("a last word", reply_to=met.from_alice)
    last = fetch_only(town, met.alice)
    assert last.text == "a last word"
    tap = met.alice.taps(last, "b:")
    town.settle()
    assert met.alice.awaits_toast(tap).text == outcome_texts.blocked("en")


def test_a_suspension_ends_by_itself(town: Town) -> None:
    met = acquaint(town)
    sanction(met.alice, hours=1)
    assert _only_answer(town, met.alice, lambda alice: alice.opens(met.link)) == _told(hours=1)
    change_rows("UPDATE safety.subject SET until = now()")
    town.writes(met.alice, met.link, "back again")
    assert fetch_only(town, met.bob).text == "back again"


def test_a_sanction_outlives_a_reset(town: Town) -> None:
    met = acquaint(town)
    sanction(met.alice, hours=None)
    CLOSED["gone"](town, met.alice, met.from_bob)
    met.alice.opens(met.link)
    town.settle()
    assert met.alice.sees()[-1].text == _told(hours=None)


def test_a_link_that_was_alive_when_it_was_opened_may_be_dead_when_it_is_used(town: Town) -> None:
    met = acquaint(town)
    _open_link(town, met)
    change_rows("UPDATE accounts.public_link SET active = false WHERE account_id = %s", [account_of(met.bob)])
    assert _only_answer(town, met.alice, _says_hello) == outcome_texts.dead_link("en")
    assert has_nothing_open(met.alice)
    opened = _only_answer(town, met.alice, lambda alice: alice.opens(met.link))
    assert opened == outcome_texts.dead_link("en")
    assert has_nothing_open(met.alice)


def test_the_link_of_somebody_who_is_gone_is_dead(town: Town) -> None:
    met = acquaint(town)
    CLOSED["gone"](town, met.bob, met.from_alice)
    opened = _only_answer(town, met.alice, lambda alice: alice.opens(met.link))
    assert opened == outcome_texts.dead_link("en")


def test_a_dead_link_does_not_keep_answers_out(town: Town) -> None:
    met = acquaint(town)
    change_rows("UPDATE accounts.public_link SET active = false")
    met.alice.says("an answer", reply_to=met.from_bob)
    assert fetch_only(town, met.bob).text == "an answer"


def test_an_expired_ticket_cannot_be_answered(town: Town) -> None:
    met = acquaint(town)
    met.bob.taps(met.from_alice, "r:")
    town.settle()
    change_rows("UPDATE tickets.ticket SET expires_on = current_date")
    assert _only_answer(town, met.bob, _says_hello) == outcome_texts.button_dead("en")
    assert has_nothing_open(met.bob)
    tap = met.bob.taps(met.from_alice, "r:")
    town.settle()
    assert met.bob.awaits_toast(tap).text == outcome_texts.button_dead("en")
    assert has_nothing_open(met.bob)
    by_gesture = _only_answer(town, met.bob, lambda bob: bob.says("hello?", reply_to=met.from_alice))
    assert by_gesture == outcome_texts.button_dead("en")


KINDS: Final = [
    (ReceiveKind.PHOTO, "photo"),
    (ReceiveKind.VIDEO, "video"),
    (ReceiveKind.VIDEO, "animation"),
    (ReceiveKind.VOICE, "voice"),
    (ReceiveKind.VOICE, "video_note"),
    (ReceiveKind.DOCUMENT, "document"),
    (ReceiveKind.DOCUMENT, "audio"),
    (ReceiveKind.STICKER, "sticker"),
]


def _not_taken(kind: ReceiveKind, *, draft_open: bool = True) -> str:
    return refusal_texts.kind_refused("en", kind=kind, draft_open=draft_open)


def _send_whatever_is_asked(town: Town, person: Person, kind: str) -> None:
    person.sends(kind)
    town.settle()
    if person.sees()[-1].has_button("y:"):
        person.taps(person.sees()[-1], "y:")
        town.settle()


@pytest.mark.parametrize(("refused", "kind"), KINDS)
def test_a_refused_kind_is_told_plainly_and_the_draft_stays_for_words(
    town: Town, refused: ReceiveKind, kind: str
) -> None:
    met = acquaint(town)
    tap_setting(town, met.bob, f"receive:{refused.name}")
    _open_link(town, met)
    _send_whatever_is_asked(town, met.alice, kind)
    answer = met.alice.sees()[-1]
    assert (answer.text, answer.buttons) == (_not_taken(refused), ())
    met.alice.says("then in words")
    assert fetch_only(town, met.bob).text == "then in words"
    assert has_nothing_open(met.alice)


@pytest.mark.parametrize("letters", [10, 3000, 9000])
def test_where_no_words_are_taken_a_picture_is(town: Town, letters: int) -> None:
    met = acquaint(town)
    tap_setting(town, met.bob, f"receive:{ReceiveKind.TEXT.name}")
    _open_link(town, met)
    text = ("words " * letters)[:letters].strip()
    said = _only_answer(town, met.alice, lambda alice: alice.pastes(text))
    assert said == _not_taken(ReceiveKind.TEXT)
    met.alice.sends("photo", caption="then so")
    assert fetch_only(town, met.bob).caption == "then so"


def test_an_album_with_one_item_that_is_not_taken_is_not_taken_and_the_draft_stays(town: Town) -> None:
    met = acquaint(town)
    tap_setting(town, met.bob, f"receive:{ReceiveKind.VIDEO.name}")
    _open_link(town, met)
    album = [("photo", "one"), ("video", "two"), ("photo", "three")]
    said = _only_answer(town, met.alice, lambda alice: alice.sends_album(album))
    assert said == _not_taken(ReceiveKind.VIDEO)
    met.alice.sends_album([("photo", "one"), ("photo", "three")])
    town.settle()
    met.bob.says("/inbox")
    town.settle()
    arrived = [seen.caption for seen in met.bob.sees() if seen.from_bot and seen.kind == "photo"]
    assert arrived == ["one", "three"]


def test_an_answer_of_a_refused_kind_is_refused_too_and_the_draft_stays(town: Town) -> None:
    met = acquaint(town)
    tap_setting(town, met.alice, f"receive:{ReceiveKind.VOICE.name}")
    met.bob.taps(met.from_alice, "r:")
    town.settle()
    said = _only_answer(town, met.bob, lambda bob: bob.sends("voice"))
    assert said == _not_taken(ReceiveKind.VOICE)
    met.bob.says("then in words")
    assert fetch_only(town, met.alice).text == "then in words"


def test_whoever_takes_a_kind_again_gets_it(town: Town) -> None:
    met = acquaint(town)
    for _ in range(2):
        tap_setting(town, met.bob, f"receive:{ReceiveKind.PHOTO.name}")
    _open_link(town, met)
    met.alice.sends("photo", caption="a cat")
    assert fetch_only(town, met.bob).caption == "a cat"


@pytest.mark.parametrize("way", [way for way in CLOSED if way != GONE])
def test_a_refused_kind_is_told_alike_where_the_inbox_is_closed(town: Town, way: str) -> None:
    """Told only where nothing else is closed, it would show who is blocked."""
    met = acquaint(town)
    tap_setting(town, met.bob, f"receive:{ReceiveKind.PHOTO.name}")
    _open_link(town, met)
    openly = _only_answer(town, met.alice, lambda alice: alice.sends("photo"))
    CLOSED[way](town, met.bob, met.from_alice)
    assert _only_answer(town, met.alice, lambda alice: alice.sends("photo")) == openly
    assert openly == _not_taken(ReceiveKind.PHOTO)
    assert not has_nothing_open(met.alice)
    assert _only_answer(town, met.alice, _says_hello) == outcome_texts.not_taking("en")
    assert has_nothing_open(met.alice)


def test_whoever_answers_by_gesture_is_not_told_of_a_draft_that_stays(town: Town) -> None:
    met = acquaint(town)
    tap_setting(town, met.alice, f"receive:{ReceiveKind.PHOTO.name}")
    said = _only_answer(town, met.bob, lambda bob: bob.sends("photo", reply_to=met.from_alice))
    assert said == _not_taken(ReceiveKind.PHOTO, draft_open=False)
