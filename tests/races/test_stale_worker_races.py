"""A worker that wakes up after its lease: it can change nothing, whoever has the lane by then."""

import threading

import pytest
from delivery_scenes import ask_for_messages
from django.db import connection
from encounters import take_away
from outbox_steps import lease_intent, record_decision
from stored_rows import expire_leases, intent_states, read_rows
from town import Town, count, hurry_lanes

from nekonymous_site.bot import lane_pump
from nekonymous_site.bot.lane_pump import pump_due_lanes
from outbox import send_records, telegram_client
from outbox.delivery_policy import Decision, Fate
from outbox.errors import StaleLease
from outbox.send_result import SendResult, Sent
from outbox.telegram_client import BotApiCall

_SENT = lane_pump._Outcome(result=Sent())


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
    bob = ask_for_messages(lasting_town)
    stuck = _StuckWorker(monkeypatch)
    stuck.start()
    expire_leases()
    lasting_town.pump()
    assert [message.has_button("ir:") for message in lasting_town.delivered(bob)] == [False, True]
    before = (read_rows("SELECT * FROM outbox.intent"), read_rows("SELECT * FROM outbox.lane"))
    stuck.revive()
    assert (read_rows("SELECT * FROM outbox.intent"), read_rows("SELECT * FROM outbox.lane")) == before
    assert intent_states("ticket") == ["sent"]
    assert lasting_town.pump() == 0


def test_a_worker_whose_lease_another_has_cannot_record(lasting_town: Town) -> None:
    ask_for_messages(lasting_town)
    stale = lease_intent()
    expire_leases()
    current = lease_intent()
    with pytest.raises(StaleLease):
        lane_pump._record(stale, _SENT)
    assert intent_states("ticket") == ["sending"]
    assert count("accounts.unread") == count("tickets.ticket", "payload IS NOT NULL") == 1
    lane_pump._record(current, _SENT)
    assert intent_states("ticket") == ["sent"]


def test_a_lease_that_has_passed_is_over_even_if_nobody_took_it(lasting_town: Town) -> None:
    ask_for_messages(lasting_town)
    late = lease_intent()
    expire_leases()
    with pytest.raises(StaleLease):
        lane_pump._record(late, _SENT)
    assert lease_intent().abandoned


def test_without_the_fence_a_late_record_sets_free_what_another_is_sending(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask_for_messages(lasting_town)
    stale = lease_intent()
    expire_leases()
    record_decision(lease_intent(), Decision(fate=Fate.RETRY_UNKNOWN))
    hurry_lanes()
    current = lease_intent()
    assert not current.abandoned
    take_away(monkeypatch, send_records, "require_lease")
    record_decision(stale, Decision(fate=Fate.RETRY))
    hurry_lanes()
    third = lease_intent()
    assert third.intent_id == current.intent_id, "two workers are sending the same"
    assert not third.abandoned, "and neither knows of the other"
