"""Lanes: one worker at a time, in order inside a class, paced, and parked when they have to wait."""

import time
from datetime import timedelta

import pytest
from outbox_steps import CAROL, lease_intent, queue_intent, record_decision, take_intent
from stored_rows import change_rows, expire_leases, intent_states, read_value

from nekonymous_site.crypto.identifiers import ChatId
from nekonymous_site.pipeline import durable_transaction
from outbox import send_pace, send_records
from outbox.delivery_policy import Decision, Fate
from outbox.errors import StaleLease
from outbox.intent_kinds import IntentKind
from outbox.lanes import LaneWaits, LeasedIntent, Throttled

pytestmark = pytest.mark.django_db


def test_a_class_keeps_its_order_and_talk_goes_before_post() -> None:
    for kind in (IntentKind.NOTICE, IntentKind.SCREEN, IntentKind.TICKET, IntentKind.ACKNOWLEDGEMENT):
        queue_intent(kind, name=kind)
    order = []
    for _ in range(4):
        change_rows("UPDATE outbox.lane SET post_paced_until = NULL, due_at = now()")
        leased = lease_intent()
        order.append(leased.body()["name"])
        record_decision(leased, Decision(fate=Fate.SENT))
    assert order == ["screen", "acknowledgement", "notice", "ticket"]


def test_a_head_that_waits_holds_back_its_class_and_not_the_other() -> None:
    queue_intent(IntentKind.TICKET, name="first ticket")
    queue_intent(IntentKind.TICKET, name="second ticket")
    record_decision(lease_intent(), Decision(fate=Fate.RETRY, wait=timedelta(minutes=1)))
    change_rows("UPDATE outbox.lane SET post_paced_until = NULL, due_at = now()")
    assert isinstance(take_intent(), LaneWaits)
    queue_intent(IntentKind.SCREEN, name="screen")
    assert lease_intent().body() == {"name": "screen"}


def test_one_waiting_notice_stands_for_all_until_its_turn_has_come() -> None:
    for _ in range(2):
        queue_intent(IntentKind.NOTICE, unless_one_waits=True)
    assert intent_states("notice") == ["pending"]
    queue_intent(IntentKind.NOTICE, chat_id=CAROL, unless_one_waits=True)
    assert intent_states("notice") == ["pending", "pending"], "each lane for itself"
    lease_intent()
    lease_intent()
    queue_intent(IntentKind.NOTICE, unless_one_waits=True)
    assert intent_states("notice") == ["pending", "sending", "sending"]


def test_a_lane_is_leased_to_one_and_comes_back() -> None:
    queue_intent()
    queue_intent()
    first = lease_intent()
    assert (first.attempts, first.abandoned) == (1, False)
    assert take_intent() is None
    record_decision(first, Decision(fate=Fate.SENT))
    assert lease_intent().intent_id != first.intent_id


def test_what_a_vanished_worker_was_sending_is_abandoned_and_goes_first() -> None:
    queue_intent(IntentKind.TICKET)
    lost = lease_intent()
    queue_intent(IntentKind.SCREEN)
    expire_leases()
    found = lease_intent()
    assert found.intent_id == lost.intent_id
    assert found.abandoned
    assert found.attempts == 1, "the attempt that was lost counts, looking at it does not"
    with pytest.raises(StaleLease), durable_transaction() as pipeline:
        send_records.require_lease(pipeline, lost)


def test_a_lane_is_due_when_its_wait_is_over_to_the_second() -> None:
    queue_intent()
    record_decision(lease_intent(), Decision(fate=Fate.RETRY, wait=timedelta(seconds=17), park_lane=True))
    assert read_value("SELECT extract(epoch FROM due_at - touched_at)::int FROM outbox.lane") == 17
    assert read_value("SELECT extract(epoch FROM parked_until - touched_at)::int FROM outbox.lane") == 17
    queue_intent(IntentKind.ACKNOWLEDGEMENT)
    assert read_value("SELECT extract(epoch FROM due_at - touched_at)::int FROM outbox.lane") >= 16  # type: ignore[operator]
    assert take_intent() is None, "what comes in meanwhile waits as well"


def test_while_everything_is_parked_nothing_is_due() -> None:
    queue_intent()
    queue_intent(chat_id=CAROL)
    leased = lease_intent()
    record_decision(leased, Decision(fate=Fate.RETRY, wait=timedelta(seconds=60), park_everything=True))
    assert take_intent() is None
    change_rows("UPDATE outbox.send_pace SET parked_until = now()")
    assert isinstance(take_intent(), LeasedIntent)


def test_a_shorter_park_does_not_cut_a_longer_one() -> None:
    for seconds in (60, 5):
        with durable_transaction() as pipeline:
            send_pace.queue_everything_parked(pipeline, wait=timedelta(seconds=seconds))
    assert read_value("SELECT parked_until = now() + interval '60 seconds' FROM outbox.send_pace") is True


def _take_from_many_lanes(*, sends_per_second: float) -> tuple[int, list[float]]:
    """Queue an intent for each of eleven chats and take all that may go; tells the waits of the others."""
    for chat_id in range(1, 12):
        queue_intent(chat_id=ChatId(chat_id))
    taken = [take_intent(sends_per_second=sends_per_second) for _ in range(11)]
    sent = sum(isinstance(one, LeasedIntent) for one in taken)
    waits = [one.wait_seconds for one in taken if isinstance(one, Throttled)]
    assert sent + len(waits) == 11
    assert read_value("SELECT count(*) FROM outbox.lane WHERE lease_id IS NOT NULL") == sent
    return sent, waits


def test_the_shared_limiter_lets_its_tolerance_through_and_no_more_than_its_pace() -> None:
    began = time.monotonic()
    sent, waits = _take_from_many_lanes(sends_per_second=30)
    # 0.2 s of tolerance at 30 a second are seven sends at once; a slow machine gives more of them time.
    assert 6 <= sent <= 8 + 30 * (time.monotonic() - began)
    assert set(waits) <= {1 / 30}


def test_the_shared_limiter_asks_for_a_moment_when_its_tolerance_is_used_up() -> None:
    sent, waits = _take_from_many_lanes(sends_per_second=0.01)
    assert sent == 1
    assert set(waits) == {100}


def test_talk_bursts_to_five_and_post_goes_once_a_second() -> None:
    for _ in range(6):
        queue_intent(IntentKind.SCREEN)
    for _ in range(5):
        record_decision(lease_intent(), Decision(fate=Fate.SENT))
    assert take_intent() is None
    assert 0 < float(str(read_value("SELECT extract(epoch FROM due_at - now()) FROM outbox.lane"))) <= 1
    queue_intent(IntentKind.TICKET)
    queue_intent(IntentKind.TICKET)
    record_decision(lease_intent(), Decision(fate=Fate.SENT))
    change_rows("UPDATE outbox.lane SET talk_paced_until = now() + interval '1 hour', due_at = now()")
    assert isinstance(take_intent(), LaneWaits)
