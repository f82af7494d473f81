"""Trouble while something gathers: nothing of it is lost, sent twice, or stands in anybody's way."""

import base64
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psycopg
import pytest
from contact_steps import alice_writes_to_bob
from django.conf import settings as django_settings
from django.db import OperationalError, connection
from received import fetch, last_words, list_own_words, list_parts
from several_parts import LONG, assert_is_album, files_of
from stored_rows import change_rows
from town import Town, count

from nekonymous_site.bot import gathering, outcome_texts
from nekonymous_site.bot.gathering import end_ready_gatherings
from nekonymous_site.bot.handlers import compositions
from nekonymous_site.bot.telegram_updates import fetch_updates
from nekonymous_site.bot.update_intake import take_update
from nekonymous_site.bot.visit import HandlerAnswer, Visit
from nekonymous_site.crypto import process_keys
from nekonymous_site.management.commands.sweep import sweep_once
from nekonymous_site.sandbox.people import Person, Sent
from nekonymous_site.workflows.compositions import Composition


def _alice_sends_an_album(town: Town) -> tuple[Person, Person, tuple[Sent, ...]]:
    """Two pictures of Alice gather for Bob."""
    alice, bob = alice_writes_to_bob(town)
    sent = alice.sends_album([("photo", ""), ("photo", "")])
    town.take_updates()
    assert count("accounts.composition") == 1
    return alice, bob, sent


def _make_ready() -> None:
    change_rows(
        "UPDATE accounts.composition SET ready_at = now() - interval '1 second' WHERE ready_at > now()"
    )


def _spoil() -> None:
    """Let one byte of what gathers or waits turn, as on a failing disk."""
    change_rows("UPDATE accounts.composition SET body = set_byte(body, 40, 255 - get_byte(body, 40))")


def test_a_database_that_is_away_when_it_ends_is_waited_for(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, bob, sent = _alice_sends_an_album(lasting_town)
    _make_ready()
    with monkeypatch.context() as away:
        away.setitem(connection.settings_dict, "HOST", "/nowhere")
        connection.close()
        with pytest.raises(OperationalError):
            end_ready_gatherings()
    assert count("accounts.composition") == 1
    assert end_ready_gatherings().ended == 1
    lasting_town.settle()
    assert_is_album(fetch(lasting_town, bob), files_of(alice, sent))


def _break_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the database go away in the middle of the end of a gathering, after all its work."""
    end = compositions.end_gathering

    def end_and_break(visit: Visit, composition: Composition) -> HandlerAnswer:
        answer = end(visit, composition)
        backend = visit.pipeline.queue("SELECT pg_backend_pid()", read=lambda rows: rows[0][0]).value
        place = connection.settings_dict
        names = {"host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD", "dbname": "NAME"}
        words = {name: place[key] for name, key in names.items() if place[key]}
        with psycopg.connect(**words, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [backend])
        return answer

    monkeypatch.setattr(gathering, "end_gathering", end_and_break)


@pytest.mark.parametrize("by", ["worker", "update"])
def test_a_database_that_goes_away_in_the_middle_of_the_end_leaves_it_whole(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    alice, bob, sent = _alice_sends_an_album(lasting_town)
    _make_ready()
    with monkeypatch.context() as broken:
        _break_the_end(broken)
        if by == "worker":
            assert end_ready_gatherings().ended == 0
        else:
            alice.says("/help")
            [update] = fetch_updates(offset=lasting_town._offset, wait_seconds=0)
            assert take_update(json.dumps(update).encode()).status == 503
    connection.close()
    assert count("accounts.composition") == 1
    assert count("tickets.ticket") == count("outbox.update_failure") == 0
    lasting_town.settle()
    assert count("tickets.ticket") == 1
    assert_is_album(fetch(lasting_town, bob), files_of(alice, sent))
    assert list_own_words(alice).count(outcome_texts.accepted("en")) == 1


@pytest.mark.parametrize("ended", [False, True])
def test_an_item_that_is_delivered_again_is_not_taken_twice(town: Town, *, ended: bool) -> None:
    alice, bob, sent = _alice_sends_an_album(town)
    if ended:
        town.settle()
    for one in sent:
        assert one.update_id is not None
        town.sandbox.repeat_update(one.update_id)
    repeated = fetch_updates(offset=None, wait_seconds=0)[-2:]
    assert [update["update_id"] for update in repeated] == [one.update_id for one in sent]
    for update in repeated:
        assert take_update(json.dumps(update).encode()).status == 200
    town.settle()
    assert count("tickets.ticket") == 1
    assert_is_album(fetch(town, bob), files_of(alice, sent))


def test_a_bell_that_nobody_heard_is_made_up_for_by_the_sweeper(lasting_town: Town) -> None:
    alice, _, _ = _alice_sends_an_album(lasting_town)
    with ThreadPoolExecutor(1) as pumps:
        sweep_once(pumps)
        assert count("accounts.composition") == 1, "more may come"
        _make_ready()
        sweep_once(pumps)
        pumps.submit(lambda: connection.close()).result()  # noqa: PLW0108 - the connection of that thread
    assert count("accounts.composition") == 0
    assert count("tickets.ticket") == 1
    lasting_town.pump()
    assert last_words(alice) == outcome_texts.accepted("en")


def test_what_waited_through_an_outage_comes_before_what_is_said_after_it(town: Town) -> None:
    alice, bob, sent = _alice_sends_an_album(town)
    _make_ready()
    alice.sends("photo", extra_fields={"media_group_id": "another"})
    alice.says("/cancel")
    town.settle()
    assert count("tickets.ticket") == 1, "the draft was used up by the album"
    assert outcome_texts.nothing_open("en") in list_own_words(alice)
    assert_is_album(fetch(town, bob), files_of(alice, sent))


@pytest.mark.parametrize("then", ["worker", "/help", "tap", "once more"])
def test_what_is_spoilt_while_it_gathers_is_told_and_holds_up_nobody(town: Town, then: str) -> None:
    alice, bob, _ = _alice_sends_an_album(town)
    _spoil()
    if then == "tap":
        alice.taps_data(next(message for message in alice.sees() if message.from_bot), "st:home")
    elif then != "worker":
        alice.says(then)
    _make_ready()
    town.settle()
    assert list_own_words(alice).count(outcome_texts.update_parked("en")) == 1
    assert count("accounts.composition") == 0
    assert {answer.status for answer in town.answers} == {200}
    assert count("outbox.parked_update") == count("outbox.update_failure") == 0
    if then == "/help":
        assert any("/privacy" in text for text in list_own_words(alice)[-2:])
    if then != "once more":
        alice.says("once more")
        town.settle()
    assert [part.text for part in fetch(town, bob)] == ["once more"], "its draft was never used"


def test_what_is_spoilt_while_it_waits_for_a_yes_is_told(town: Town) -> None:
    alice, bob = alice_writes_to_bob(town)
    alice.sends("document")
    town.settle()
    question = alice.sees()[-1]
    _spoil()
    tap = alice.taps(question, "y:")
    town.settle()
    assert alice.awaits_toast(tap).text == outcome_texts.button_dead("en")
    assert {answer.status for answer in town.answers} == {200}
    assert count("tickets.ticket") == count("accounts.composition") == 0
    alice.says("in words")
    town.settle()
    assert [part.text for part in fetch(town, bob)] == ["in words"]


@contextmanager
def _keys(*kids: int) -> Iterator[None]:
    """Give this process these keys, the first of which seals."""
    before = process_keys.current()
    secrets = [bytes((kid * 37 + n * 7) % 256 for n in range(32)) for kid in kids]
    written = [base64.urlsafe_b64encode(secret).decode().rstrip("=") for secret in secrets]
    process_keys.configure(
        master_keys=",".join(f"{kid}:{secret}" for kid, secret in zip(kids, written, strict=True)),
        pepper=str(django_settings.NEKO.hmac_pepper),
    )
    try:
        yield
    finally:
        process_keys._configured.keys = before


def test_what_needs_a_key_of_tomorrow_waits_and_others_go_on(town: Town) -> None:
    with _keys(101):
        alice, bob = alice_writes_to_bob(town)
        carol, _ = town.owner("Carol")
        dave, daves_link = town.owner("Dave")
    with _keys(102, 101):
        alice.says(LONG)
        town.take_updates()
    with _keys(101):
        carol.opens(daves_link)
        carol.says(LONG)
        town.take_updates()
        _make_ready()
        # Whose turn it is falls by lot, as often as the bell rings.
        for _ in range(50):
            end_ready_gatherings()
        assert count("accounts.composition") == 1
        dave.says("/inbox")
        town.take_updates()
        assert town.drain()
        town.pump()
        assert [part.text for part in list_parts(dave)] == [LONG.strip()]
        alice.says("/help")
        assert {answer.status for answer in town.take_updates()} == {503}
    with _keys(101, 102):
        town.settle()
        assert [part.text for part in fetch(town, bob)] == [LONG.strip()]
    assert count("outbox.parked_update") == 0
