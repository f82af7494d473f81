"""An alert is queued by whoever holds another lane and the pace of all, beside the pump of its own lane."""

from dataclasses import replace

import pytest
from django.conf import settings as django_settings
from encounters import Encounter
from pytest_django.fixtures import Settings
from stored_rows import change_rows, intent_states, read_rows
from town import Town, hurry_lanes
from update_calls import as_second

from nekonymous_site.bot import send_signs
from nekonymous_site.bot.lane_pump import PumpRun, pump_due_lanes
from nekonymous_site.bot.operator_alerts import Alert, queue_alert
from nekonymous_site.pipeline import StatementPipeline, durable_transaction, first_row
from nekonymous_site.sandbox.people import Person


def _refuse_beside_an_alert(
    town: Town, settings: Settings, monkeypatch: pytest.MonkeyPatch, encounter: Encounter
) -> Person:
    """Bob's answer meets a refused token while an alert waits; whoever is to tell of it stops there."""
    bob, olga = town.person("Bob"), town.person("Olga")
    for person in (bob, olga):
        person.says("/help")
    town.settle()
    settings.NEKO = replace(django_settings.NEKO, operator_chat=olga.id, default_language="en")
    bob.says("/help")
    town.take_updates()
    with durable_transaction() as pipeline:
        queue_alert(pipeline, Alert.LETTER_DIED)
    hurry_lanes()
    change_rows(
        """
        UPDATE outbox.lane SET due_at = due_at - interval '1 second'
        WHERE lane_tag = (SELECT lane_tag FROM outbox.intent WHERE kind = 'screen' AND state = 'pending')
        """
    )
    town.sandbox.inject_fault("unauthorized", method="sendMessage", chat_id=bob.id)

    def queue_there(pipeline: StatementPipeline, alert: Alert) -> None:
        assert pipeline.queue("SELECT 1", read=first_row).value  # what was queued before has its locks
        encounter.here()
        queue_alert(pipeline, alert)

    monkeypatch.setattr(send_signs, "queue_alert", queue_there)
    return olga


def test_an_alert_and_its_lanes_pump_do_not_wait_for_each_other(
    lasting_town: Town,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    encounter = Encounter()
    olga = _refuse_beside_an_alert(lasting_town, settings, monkeypatch, encounter)
    outcomes = encounter.run(pump_due_lanes, as_second(encounter, pump_due_lanes))
    assert all(isinstance(outcome, PumpRun) for outcome in outcomes), outcomes
    assert "fate_not_recorded" not in capsys.readouterr().err
    assert read_rows(
        "SELECT state, attempts FROM outbox.intent WHERE state = 'pending' AND kind = 'screen'"
    ) == [("pending", 0)]
    assert intent_states("operator_alert") == ["pending", "pending"]
    lasting_town.pump()
    assert sum(message.text.startswith("⚠️") for message in olga.sees()) == 2


def test_without_its_lock_they_wait_for_each_other(
    lasting_town: Town,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    encounter = Encounter()
    _refuse_beside_an_alert(lasting_town, settings, monkeypatch, encounter)
    monkeypatch.setattr(send_signs, "queue_alerts_locked", lambda _pipeline: None)
    outcomes = encounter.run(pump_due_lanes, as_second(encounter, pump_due_lanes))
    was_not_recorded = "fate_not_recorded" in capsys.readouterr().err
    assert was_not_recorded or any(isinstance(outcome, Exception) for outcome in outcomes), outcomes


def test_a_stop_that_many_meet_at_once_is_told_once(
    lasting_town: Town, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    people = [lasting_town.person(name) for name in ("Alice", "Bob", "Carol", "Olga")]
    for _ in range(2):
        lasting_town.settle()
        for person in people:
            person.says("/help")
    settings.NEKO = replace(django_settings.NEKO, operator_chat=people[-1].id, default_language="en")
    lasting_town.take_updates()
    hurry_lanes()
    capsys.readouterr()
    lasting_town.sandbox.inject_fault("unauthorized", method="sendMessage", count=20)
    outcomes = Encounter().run(*[pump_due_lanes] * 4)
    assert all(isinstance(outcome, PumpRun) for outcome in outcomes), outcomes
    lasting_town.sandbox.clear_faults()
    lasting_town.pump()
    logged = capsys.readouterr().err
    assert logged.count('"sending_stopped"') == logged.count('"sending_resumed"') == 1
    assert "fate_not_recorded" not in logged
    assert sum(message.text.startswith("⚠️") for message in people[-1].sees()) == 1
    assert read_rows("SELECT DISTINCT state, attempts FROM outbox.intent") == [("sent", 1)]
