"""Several pumps at the lanes: nothing is sent twice, nothing overtakes, and no lane waits for another."""

import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from encounters import Encounter, take_away
from town import Town, count, hurry_lanes

import outbox.services
from nekonymous_site.bot.lane_pump import PumpRun, pump_due_lanes
from nekonymous_site.crypto.identifiers import ChatId, IntentTag
from nekonymous_site.pipeline import StatementPipeline, durable_transaction
from nekonymous_site.sandbox.people import Person
from outbox import lanes, send_records, telegram_client
from outbox.intent_kinds import IntentKind
from outbox.lanes import LaneWaits, LeasedIntent, Throttled
from outbox.send_result import SendResult
from outbox.services import NewIntent
from outbox.telegram_client import BotApiCall

TEXT = "I liked your talk."
LEASE = timedelta(seconds=60)
Taken = LeasedIntent | Throttled | LaneWaits | None


def _say(person: Person, *texts: str, kind: IntentKind = IntentKind.ACKNOWLEDGEMENT) -> None:
    """Queue these texts for somebody, in order."""
    with durable_transaction() as pipeline:
        for text in texts:
            body = {"account": "", "chat": person.id, "method": "sendMessage", "parameters": {"text": text}}
            tag = IntentTag(f"{person.id}:{text}".encode())
            outbox.services.queue_intent(
                pipeline, NewIntent(kind=kind, tag=tag, chat_id=ChatId(person.id), body=body)
            )


def _heard(person: Person) -> list[str]:
    return [message.text for message in person.sees() if message.from_bot]


class _Line:
    """The way to the Bot API, watched: how many calls are on it at once, and whether two meet."""

    def __init__(self, encounter: Encounter, monkeypatch: pytest.MonkeyPatch) -> None:
        self.most_at_once = 0
        self._now = 0
        self._lock = threading.Lock()
        self._encounter = encounter
        self._send = telegram_client.send
        monkeypatch.setattr(telegram_client, "send", self.send)

    def send(self, call: BotApiCall) -> SendResult:
        with self._lock:
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        try:
            self._encounter.here()
            return self._send(call)
        finally:
            with self._lock:
                self._now -= 1


def _known_person(town: Town, name: str = "Bob") -> Person:
    person = town.person(name)
    person.says("hello")
    town.settle()
    return person


TEXTS = ["one", "two", "three", "four"]


def _pump_second(encounter: Encounter) -> PumpRun:
    """Pump once another pump is sending."""
    assert encounter.was_reached()
    return pump_due_lanes()


def test_two_pumps_send_a_lane_in_order_and_once(lasting_town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    bob = _known_person(lasting_town)
    before = len(_heard(bob))
    hurry_lanes()
    _say(bob, *TEXTS)
    encounter = Encounter()
    line = _Line(encounter, monkeypatch)
    runs = encounter.run(pump_due_lanes, partial(_pump_second, encounter))
    assert all(isinstance(run, PumpRun) for run in runs), runs
    assert not encounter.met
    assert line.most_at_once == 1
    assert _heard(bob)[before:] == TEXTS


def test_two_lanes_are_sent_side_by_side(lasting_town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    bob, carol = _known_person(lasting_town), _known_person(lasting_town, "Carol")
    hurry_lanes()
    _say(bob, *TEXTS)
    _say(carol, *TEXTS)
    encounter = Encounter()
    _Line(encounter, monkeypatch)
    encounter.run(pump_due_lanes, partial(_pump_second, encounter))
    assert encounter.met, "a slow chat holds up no other"
    assert _heard(bob)[-4:] == _heard(carol)[-4:] == TEXTS


def _forget_every_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let workers take intents as if there were no leases."""
    take: Callable[..., Taken] = lanes.take_next_intent

    def take_without_lease(pipeline: StatementPipeline, **named: object) -> Taken:
        taken = take(pipeline, **named)
        pipeline.queue_write("UPDATE outbox.intent SET state = 'pending' WHERE state = 'sending'")
        pipeline.queue_write(
            "UPDATE outbox.lane SET lease_until = NULL, due_at = now() WHERE lease_id IS NOT NULL"
        )
        return taken

    monkeypatch.setattr(lanes, "take_next_intent", take_without_lease)
    take_away(monkeypatch, send_records, "require_lease")


def test_without_leases_two_pumps_send_the_same(lasting_town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    bob = _known_person(lasting_town)
    hurry_lanes()
    _say(bob, "one")
    encounter = Encounter()
    line = _Line(encounter, monkeypatch)
    _forget_every_lease(monkeypatch)
    encounter.run(pump_due_lanes, partial(_pump_second, encounter))
    assert encounter.met
    assert line.most_at_once == 2
    assert _heard(bob)[-2:] == ["one", "one"]


def test_many_pumps_at_many_lanes_lose_and_double_nothing(lasting_town: Town) -> None:
    people = [_known_person(lasting_town, f"P{number}") for number in range(5)]
    hurry_lanes()
    for person in people:
        _say(person, *TEXTS)
    for _ in range(20):
        outcomes = Encounter().run(*[pump_due_lanes] * 4)
        assert all(isinstance(one, PumpRun) for one in outcomes), outcomes
        if not count("outbox.intent", "state <> 'sent'"):
            break
        hurry_lanes()
    assert [_heard(person)[-4:] for person in people] == [TEXTS] * 5
    assert all(_heard(person).count("one") == 1 for person in people)
