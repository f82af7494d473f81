"""A parked update that is taken up later: past all rates, and no words go where they were not meant to."""

import pytest
from command_runs import run_command
from poison_scenes import POISON, a_minute_ago, open_a_minute_ago, park_a_message
from pytest_django.fixtures import Settings
from town import Town, count

from nekonymous_site.bot import handler_registry
from nekonymous_site.rate_limits import Rates
from nekonymous_site.sandbox.people import Person


def _confirmed(person: Person) -> int:
    return sum(message.from_bot and message.text.startswith("✅") for message in person.sees())


def _fail(*_arguments: object) -> None:
    raise RuntimeError


def test_no_rate_applies(town: Town, settings: Settings) -> None:
    alice, _, _ = park_a_message(town)
    settings.NEKO_RATES = Rates(updates=1, first_messages=1)
    for _ in range(3):
        alice.says("/help")
    town.settle()
    assert run_command("updates", "replay", "--all").code == 0
    town.settle()
    assert _confirmed(alice) == count("tickets.ticket") == 1


def test_a_tap_is_taken_and_its_answer_goes_nowhere(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    bob, link = town.owner()
    town.writes(town.person("Alice"), link, POISON)
    town.settle()
    bob.says("/inbox")
    town.settle()
    [message] = town.delivered(bob)
    bob.taps(message, "r:")

    with monkeypatch.context() as broken:
        broken.setattr(handler_registry, "answer_tap", _fail)
        for _ in range(3):
            town.take_updates()
    town.settle()
    town.sandbox.forget_calls()
    assert run_command("updates", "replay", "--all").said == "1 replayed"
    assert count("accounts.draft") == 1
    town.pump()
    assert [call["status"] for call in town.sandbox.calls("sendMessage")] == [200]
    assert town.sandbox.calls("answerCallbackQuery") == []


def test_words_for_one_do_not_go_to_another(town: Town) -> None:
    alice, _, _ = park_a_message(town)
    carol, link = town.owner("Carol")
    alice.opens(link)
    town.settle()
    assert run_command("updates", "replay", "--all").said == "1 replayed"
    town.settle()
    assert count("tickets.ticket") == 0
    assert not town.delivered(carol)
    assert _confirmed(alice) == 0


def test_what_a_late_update_opens_is_not_meant_by_earlier_words(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob, bobs_link = town.owner()
    carol, carols_link = town.owner("Carol")
    alice = town.person("Alice")
    open_a_minute_ago(alice, bobs_link)

    with monkeypatch.context() as broken:
        broken.setitem(handler_registry.COMMANDS, "start", _fail)
        for _ in range(3):
            town.take_updates()
    open_a_minute_ago(alice, carols_link)
    town.settle()
    assert run_command("updates", "replay", "--all").said == "1 replayed"
    town.settle()
    alice.says(POISON, extra_fields=a_minute_ago())  # for Carol, before anything else was seen
    town.settle()
    assert count("tickets.ticket") == 0
    alice.says("for Bob")
    town.settle()
    for person in (bob, carol):
        person.says("/inbox")
    town.settle()
    assert [message.text for message in town.delivered(bob)] == ["for Bob"]
    assert town.delivered(carol) == []


def test_a_strangers_first_word_is_taken_after_all(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    mallory = town.person("Mallory")
    mallory.says("/help")

    with monkeypatch.context() as broken:
        broken.setitem(handler_registry.COMMANDS, "help", _fail)
        for _ in range(3):
            town.take_updates()
    assert count("accounts.account") == 0
    assert run_command("updates", "replay", "--all").said == "1 replayed"
    town.pump()
    assert count("accounts.account") == 1
    assert len([message for message in mallory.sees() if message.from_bot]) == 2
