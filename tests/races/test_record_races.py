"""A record that is being written while its lease passes: whoever comes next waits or passes over the lane."""

import time
from functools import partial

import pytest
from delivery_scenes import ask_for_messages
from encounters import Encounter
from outbox_steps import lease_intent, take_intent
from stored_rows import change_rows, intent_states, read_value
from town import Town, count

from nekonymous_site.bot import lane_pump
from nekonymous_site.pipeline import StatementPipeline, any_row
from outbox import send_records
from outbox.delivery_policy import Decision
from outbox.lanes import LaneWaits, LeasedIntent, Throttled
from outbox.send_result import SendResult, Sent

PATIENCE_SECONDS = 10.0
_SENT = lane_pump._Outcome(result=Sent())


def _let_lease_end_soon() -> None:
    """Of the lease only a moment is left: long enough to begin the record with."""
    change_rows(
        """
        UPDATE outbox.lane SET lease_until = clock_timestamp() + interval '1 second',
            due_at = now() - interval '1 second' WHERE lease_id IS NOT NULL
        """
    )


def _hold_record(encounter: Encounter, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a record stay where it has been granted and has written nothing yet."""
    weigh = send_records.weigh_failure

    def weigh_and_stay(
        pipeline: StatementPipeline, leased: LeasedIntent, *, result: SendResult, decision: Decision
    ) -> Decision:
        encounter.here()
        return weigh(pipeline, leased, result=result, decision=decision)

    monkeypatch.setattr(send_records, "weigh_failure", weigh_and_stay)


def _take_when_lease_has_passed(encounter: Encounter) -> LeasedIntent | Throttled | LaneWaits | None:
    """Take the lane as its next worker does, and be where the record stays."""
    assert encounter.was_reached()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while count("outbox.lane", "lease_until > clock_timestamp()"):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return take_intent()


def _require_lease_without_lock(pipeline: StatementPipeline, leased: LeasedIntent) -> None:
    held = pipeline.queue(
        "SELECT 1 FROM outbox.lane WHERE lease_id = %s AND lease_until > clock_timestamp()",
        [leased.lease_id],
        read=any_row,
    )
    assert held.value


@pytest.mark.parametrize("is_locked", [True, False])
def test_a_lease_that_passes_during_its_record_gives_the_lane_to_nobody(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, *, is_locked: bool
) -> None:
    """Without the lane's lock the next worker takes for lost what is just being written down as sent."""
    ask_for_messages(lasting_town)
    leased = lease_intent()
    _let_lease_end_soon()
    encounter = Encounter()
    with monkeypatch.context() as held:
        if not is_locked:
            held.setattr(send_records, "require_lease", _require_lease_without_lock)
        _hold_record(encounter, held)
        fate, taken = encounter.run(
            partial(lane_pump._record, leased, _SENT), partial(_take_when_lease_has_passed, encounter)
        )
    assert fate == "sent"
    if is_locked:
        assert taken is None
        assert lasting_town.pump() > 0, "the end of the progress"
        assert intent_states("ticket") == ["sent"]
        assert count("accounts.unread") == 0
    else:
        assert isinstance(taken, LeasedIntent)
        assert (taken.intent_id, taken.abandoned) == (leased.intent_id, True)


def test_two_records_of_one_lease_count_one_delivery(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first one gives the lane back, so the second one has no lease any more."""
    ask_for_messages(lasting_town)
    leased = lease_intent()
    encounter = Encounter()
    with monkeypatch.context() as held:
        _hold_record(encounter, held)
        outcomes = encounter.run(*[partial(lane_pump._record, leased, _SENT)] * 2)
    assert sorted(type(one).__name__ for one in outcomes) == ["StaleLease", "str"]
    assert not encounter.met
    assert read_value("SELECT count(*) FROM stats.event WHERE name = 'message_delivered'") == 1


def test_without_the_lanes_lock_two_records_count_two_deliveries(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask_for_messages(lasting_town)
    leased = lease_intent()
    encounter = Encounter()
    with monkeypatch.context() as held:
        held.setattr(send_records, "require_lease", _require_lease_without_lock)
        _hold_record(encounter, held)
        encounter.run(*[partial(lane_pump._record, leased, _SENT)] * 2)
    assert encounter.met
    assert read_value("SELECT count(*) FROM stats.event WHERE name = 'message_delivered'") == 2
