"""Several workers at one lane: nothing is sent twice or overtakes, and nobody records what is not theirs."""

import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from encounters import Encounter, take_away
from stored_rows import change_rows, expire_leases, intent_states, read_rows
from town import Town, count, hurry_lanes

import outbox.services
from nekonymous_site.bot import lane_pump
from nekonymous_site.bot.lane_pump import PumpRun, pump_due_lanes
from nekonymous_site.crypto.identifiers import ChatId, IntentTag
from nekonymous_site.pipeline import StatementPipeline, durable_transaction
from nekonymous_site.sandbox.people import Person
from outbox import lanes, send_records, telegram_client
from outbox.delivery_policy import Decision, Fate, IntentKind
from outbox.errors import StaleLease
from outbox.lanes import LaneWaits, LeasedIntent, Throttled
from outbox.send_result import SendResult, Sent
from outbox.services import NewIntent
from outbox.telegram_client import BotApiCall

TEXT = "I liked your talk."
LEASE = timedelta(seconds=60)
Taken = LeasedIntent | Throttled | LaneWaits | None


def _say(person: Person, *texts: str, kind: IntentKind = IntentKind.ACKNOWLEDGEMENT) -> None:
    """Queue these texts for somebody, in order."""
    with durable_transaction() as pipeline:
        for text in texts:
            body = {"account": "", "chat": person.id, "parameters": {"text": text}}
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


def _ticket_for_bob(town: Town) -> Person:
    bob, link = town.owner()
    town.writes(town.person("Alice"), link, TEXT)
    town.settle(notices=False)
    bob.says("/inbox")
    town.take_updates()
    town.pump()
    assert town.drain()
    hurry_lanes()
    return bob


def _take() -> LeasedIntent:
    with durable_transaction() as pipeline:
        taken = lanes.take_next_intent(pipeline, lease=LEASE, sends_per_second=1000)
    assert isinstance(taken, LeasedIntent)
    return taken


class _StuckWorker:
    """A worker whose call hangs until it is let go, long after its lease."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_sending = threading.Event()
        self._may_go_on = threading.Event()
        self._send = telegram_client.send
        self._thread = threading.Thread(target=self._run)
        monkeypatch.setattr(telegram_client, "send", self._hang)

    def start(self) -> None:
        self._thread.start()
        assert self.is_sending.wait(timeout=10)

    def revive(self) -> None:
        self._may_go_on.set()
        self._thread.join(timeout=10)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        try:
            pump_due_lanes()
        finally:
            connection.close()

    def _hang(self, call: BotApiCall) -> SendResult:
        result = self._send(call)
        if threading.current_thread() is self._thread:
            self.is_sending.set()
            assert self._may_go_on.wait(timeout=20)
        return result


def test_a_worker_that_wakes_up_too_late_changes_nothing(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob = _ticket_for_bob(lasting_town)
    stuck = _StuckWorker(monkeypatch)
    stuck.start()
    expire_leases()
    lasting_town.pump()
    assert [message.has_button("i:repeat") for message in lasting_town.delivered(bob)] == [False, True]
    before = (read_rows("SELECT * FROM outbox.intent"), read_rows("SELECT * FROM outbox.lane"))
    stuck.revive()
    assert (read_rows("SELECT * FROM outbox.intent"), read_rows("SELECT * FROM outbox.lane")) == before
    assert intent_states("ticket") == ["sent"]
    assert lasting_town.pump() == 0


def test_a_worker_whose_lease_another_has_cannot_record(lasting_town: Town) -> None:
    _ticket_for_bob(lasting_town)
    stale = _take()
    expire_leases()
    current = _take()
    with pytest.raises(StaleLease):
        lane_pump._record(stale, Sent())
    assert intent_states("ticket") == ["sending"]
    assert count("accounts.unread") == count("tickets.ticket", "payload IS NOT NULL") == 1
    lane_pump._record(current, Sent())
    assert intent_states("ticket") == ["sent"]


def test_a_lease_that_has_passed_is_over_even_if_nobody_took_it(lasting_town: Town) -> None:
    _ticket_for_bob(lasting_town)
    late = _take()
    expire_leases()
    with pytest.raises(StaleLease):
        lane_pump._record(late, Sent())
    assert _take().abandoned


def test_without_the_fence_a_late_record_sets_free_what_another_is_sending(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    _ticket_for_bob(lasting_town)
    stale = _take()
    expire_leases()
    with durable_transaction() as pipeline:
        found = _take_in(pipeline)
        send_records.record_decision(pipeline, found, decision=Decision(fate=Fate.RETRY_UNKNOWN))
    hurry_lanes()
    current = _take()
    assert not current.abandoned
    take_away(monkeypatch, send_records, "require_lease")
    with durable_transaction() as pipeline:
        send_records.require_lease(pipeline, stale)
        send_records.record_decision(pipeline, stale, decision=Decision(fate=Fate.RETRY))
    hurry_lanes()
    third = _take()
    assert third.intent_id == current.intent_id, "two workers are sending the same"
    assert not third.abandoned, "and neither knows of the other"


def _take_in(pipeline: StatementPipeline) -> LeasedIntent:
    taken = lanes.take_next_intent(pipeline, lease=LEASE, sends_per_second=1000)
    assert isinstance(taken, LeasedIntent)
    return taken


def _purge() -> int:
    with durable_transaction() as pipeline:
        return outbox.services.queue_expired_purged(pipeline, limit=500).value


def _idle_lane(town: Town) -> Person:
    bob = _known_person(town)
    change_rows("UPDATE outbox.lane SET touched_at = now() - interval '1 hour'")
    assert count("outbox.lane", "due_at IS NULL") == 1
    return bob


def test_a_lane_that_is_being_written_to_is_not_purged(lasting_town: Town) -> None:
    bob = _idle_lane(lasting_town)
    encounter = Encounter()

    def enqueue() -> None:
        with durable_transaction() as pipeline:
            body = {"account": "", "chat": bob.id, "parameters": {"text": "late"}}
            intent = NewIntent(
                kind=IntentKind.SCREEN, tag=IntentTag(b"late"), chat_id=ChatId(bob.id), body=body
            )
            outbox.services.queue_intent(pipeline, intent)
            assert pipeline.queue("SELECT 1", read=len).value == 1
            encounter.here()

    def purge_then() -> int:
        assert encounter.was_reached()
        return _purge()

    assert encounter.run(enqueue, purge_then) == [None, 0]
    lasting_town.pump()
    assert _heard(bob)[-1] == "late"


def test_a_lane_that_is_being_purged_is_made_anew(lasting_town: Town) -> None:
    bob = _idle_lane(lasting_town)
    encounter = Encounter()

    def purge() -> int:
        with durable_transaction() as pipeline:
            gone = outbox.services.queue_expired_purged(pipeline, limit=500).value
            encounter.here()
            return gone

    def enqueue_then() -> None:
        assert encounter.was_reached()
        _say(bob, "late", kind=IntentKind.SCREEN)

    assert encounter.run(purge, enqueue_then) == [1, None]
    assert read_rows("SELECT position FROM outbox.intent WHERE state = 'pending'") == [(1,)]
    lasting_town.pump()
    assert _heard(bob)[-1] == "late"


def test_a_purge_that_looks_first_and_deletes_later_strands_an_intent(lasting_town: Town) -> None:
    bob = _idle_lane(lasting_town)
    idle = read_rows("SELECT lane_tag FROM outbox.lane WHERE due_at IS NULL")
    _say(bob, "late", kind=IntentKind.SCREEN)
    for (lane_tag,) in idle:
        assert isinstance(lane_tag, bytes)
        change_rows("DELETE FROM outbox.lane WHERE lane_tag = %s", [lane_tag])
    assert lasting_town.pump() == 0
    assert intent_states("screen").count("pending") == 1, "nobody will ever send it"
