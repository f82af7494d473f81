"""What the operator is told: that sending stood still, that a letter died, that an update was set aside."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo

import pytest
from bystanders import pump_beside_others
from command_runs import run_command
from django.conf import settings as django_settings
from poison_scenes import POISON, park_a_message
from pytest_django.fixtures import Settings
from stored_rows import intent_states, read_rows
from town import Town, count, hurry_lanes

from nekonymous_site.bot import operator_alerts, operator_texts
from nekonymous_site.bot.lane_pump import pump_due_lanes
from nekonymous_site.canaries.marks import find_kinds, make_mark
from nekonymous_site.sandbox.people import Person

TEXT = "I liked your talk."
REFUSALS = 6


@pytest.fixture
def operator(town: Town, settings: Settings) -> Person:
    """Whoever runs the bot, with a chat for its alerts."""
    olga = town.person("Olga")
    olga.says("/help")
    town.settle()
    settings.NEKO = replace(django_settings.NEKO, operator_chat=olga.id, default_language="en")
    return olga


def _alerts(person: Person) -> list[str]:
    return [message.text for message in person.sees() if message.from_bot and message.text.startswith("⚠️")]


def _copies(person: Person, text: str) -> int:
    return sum(message.from_bot and message.text.startswith(text) for message in person.sees())


def _refuse_the_token(town: Town) -> None:
    town.sandbox.inject_fault("unauthorized", method="sendMessage", count=REFUSALS)


def _write_to_bob(town: Town, *names: str) -> tuple[Person, list[Person]]:
    """Several have written to Bob, and nothing of it has been sent yet."""
    bob, link = town.owner()
    people = [town.person(name) for name in names]
    for person in people:
        person.opens(link)
    town.settle()
    for person in people:
        person.says(TEXT)
    town.take_updates()
    town.notify()
    return bob, people


def _kill_an_answer(town: Town, name: str) -> Person:
    """Have the answer to somebody's message fail five times."""
    _, [person] = _write_to_bob(town, name)
    town.sandbox.inject_fault("server_error_json", method="sendMessage", chat_id=person.id, count=5)
    pump_beside_others()
    assert "dead" in intent_states("acknowledgement")
    return person


def test_a_refused_token_stops_everything_and_loses_nothing(
    town: Town, operator: Person, capsys: pytest.CaptureFixture[str]
) -> None:
    bob, people = _write_to_bob(town, "Alice", "Carol")
    _refuse_the_token(town)
    capsys.readouterr()
    for refusals in range(1, REFUSALS + 1):
        hurry_lanes()
        assert pump_due_lanes().handled == 1, "one try a pause, for all lanes together"
        assert pump_due_lanes().handled == 0
        assert len(town.sandbox.calls("sendMessage")) >= refusals
        assert count("outbox.intent", "state IN ('pending', 'sending') AND attempts > 0") == 0
        assert count("outbox.intent", "state IN ('dead', 'failed')") == 0
    logged = capsys.readouterr().err
    assert logged.count("sending_stopped") == 1
    assert "sending_resumed" not in logged
    assert intent_states("operator_alert") == ["pending"]

    town.pump()
    assert [_copies(person, "✅") for person in people] == [1, 1]
    assert _copies(bob, "📬") == 1
    assert _alerts(operator) == [operator_texts.sending_stood_still("en")]
    assert count("outbox.intent", "state = 'sent' AND attempts <> 1") == 0
    assert capsys.readouterr().err.count("sending_resumed") == 1
    bob.says("/inbox")
    town.settle()
    assert [message.text for message in town.delivered(bob)] == [TEXT, TEXT]


def test_a_second_stop_is_logged_again_and_told_once_a_day(
    town: Town, operator: Person, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        operator.says("/help")
        town.take_updates()
        _refuse_the_token(town)
        town.pump()
    logged = capsys.readouterr().err
    assert (logged.count("sending_stopped"), logged.count("sending_resumed")) == (2, 2)
    assert len(_alerts(operator)) == 1

    class Tomorrow(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "Tomorrow":
            later = datetime.now(tz) + timedelta(days=1)
            return cls(later.year, later.month, later.day, tzinfo=UTC)

    monkeypatch.setattr(operator_alerts, "datetime", Tomorrow)
    operator.says("/help")
    town.take_updates()
    _refuse_the_token(town)
    town.pump()
    assert _alerts(operator) == [operator_texts.sending_stood_still("en")] * 2


def test_without_a_chat_the_log_says_it(town: Town, capsys: pytest.CaptureFixture[str]) -> None:
    assert django_settings.NEKO.operator_chat is None
    _kill_an_answer(town, "Alice")
    _write_to_bob(town, "Carol")
    _refuse_the_token(town)
    town.pump()
    park_a_message(town)
    lines = [line for line in capsys.readouterr().err.splitlines() if '"level": "error"' in line]
    for event in ("letter_died", "sending_stopped", "sending_resumed", "update_parked"):
        assert sum(f'"event": "{event}"' in line for line in lines) == 1, event
    assert intent_states("operator_alert") == []


def test_letters_that_die_are_told_once_a_day(town: Town, operator: Person) -> None:
    people = [_kill_an_answer(town, name) for name in ("Alice", "Carol")]
    assert intent_states("acknowledgement").count("dead") == 2
    assert _alerts(operator) == [operator_texts.letter_died("en")]
    assert [_copies(person, "✅") for person in people] == [0, 0]


def test_a_parked_update_is_told_and_nothing_of_it(town: Town, operator: Person) -> None:
    alice, bob, _ = park_a_message(town)
    assert _alerts(operator) == [operator_texts.update_set_aside("en")]
    marks = [make_mark("text", POISON), *(make_mark(f"{who.id}", str(who.id)) for who in (alice, bob))]
    [call] = [
        call for call in town.sandbox.calls("sendMessage") if call["params"].get("chat_id") == operator.id
    ][-1:]
    assert find_kinds(repr(call).encode(), marks=marks) == []


def test_an_alert_speaks_the_language_of_the_installation(
    town: Town, operator: Person, settings: Settings
) -> None:
    settings.NEKO = replace(django_settings.NEKO, default_language="fa")
    park_a_message(town)
    assert _alerts(operator) == [operator_texts.update_set_aside("fa")]
    assert operator_texts.update_set_aside("fa") != operator_texts.update_set_aside("en")


def test_an_alert_that_dies_raises_no_alert_and_can_be_replayed(
    town: Town, operator: Person, capsys: pytest.CaptureFixture[str]
) -> None:
    town.sandbox.inject_fault("server_error_json", method="sendMessage", chat_id=operator.id, count=5)
    park_a_message(town, settle=pump_beside_others)
    assert read_rows("SELECT kind, state, attempts FROM outbox.intent WHERE kind = 'operator_alert'") == [
        ("operator_alert", "dead", 5)
    ]
    assert '"event": "letter_died", "operation": "operator_alert"' in capsys.readouterr().err
    assert _alerts(operator) == []
    assert run_command("outbox", "replay", "--kind", "operator_alert").said == "1 replayed"
    pump_beside_others()
    assert _alerts(operator) == [operator_texts.update_set_aside("en")]


def test_an_operator_who_cannot_be_reached_holds_up_nobody(town: Town, operator: Person) -> None:
    town.sandbox.inject_fault("forbidden", method="sendMessage", chat_id=operator.id)
    park_a_message(town)
    assert intent_states("operator_alert") == ["failed"]
    assert count("accounts.account", "NOT reachable") == 0


def test_an_alert_whose_chat_was_taken_away_is_let_go(
    town: Town, operator: Person, settings: Settings
) -> None:
    _write_to_bob(town, "Alice")
    _refuse_the_token(town)
    hurry_lanes()
    pump_due_lanes()
    settings.NEKO = replace(django_settings.NEKO, operator_chat=None)
    town.pump()
    assert intent_states("operator_alert") == ["suppressed"]
    assert _alerts(operator) == []
