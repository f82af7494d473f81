"""Giving back orphaned rows beside whoever records a delivery, and beside another who gives back."""

from collections.abc import Callable

import pytest
from delivery_scenes import ask_for_messages
from encounters import Encounter, hold_after
from stored_rows import change_rows, read_rows
from town import Town, count, hurry_lanes
from update_calls import as_second

import accounts.inbox
import outbox.selectors
from nekonymous_site.bot.lane_pump import PumpRun, pump_due_lanes
from nekonymous_site.crypto.identifiers import UnreadDedupeTag
from nekonymous_site.pipeline import Answer, StatementPipeline, any_row, durable_transaction
from nekonymous_site.sandbox.people import Person
from nekonymous_site.workflows.drain_inbox import drain_one_inbox
from nekonymous_site.workflows.reconcile_inboxes import reconcile_inboxes

REPEAT = "ir:"


def _reconcile() -> int:
    with durable_transaction() as pipeline:
        return reconcile_inboxes(pipeline)


@pytest.mark.parametrize("place", ["queue_sending_held", "queue_unread_finished"])
def test_a_delivery_that_is_recorded_at_that_moment_is_seen_once(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """Whoever holds the row first, the other waits for it, skips it, or finds its intent alive."""
    bob = ask_for_messages(lasting_town)
    encounter = Encounter()
    works: list[Callable[[], object]] = [_reconcile, pump_due_lanes]
    first, second = works if place == "queue_sending_held" else works[::-1]
    with monkeypatch.context() as held:
        hold_after(encounter, held, accounts.inbox, place)
        outcomes = encounter.run(first, as_second(encounter, second))
    assert 0 in outcomes, "there was nothing to give back"
    assert any(isinstance(one, PumpRun) for one in outcomes)
    lasting_town.settle()
    assert len(lasting_town.delivered(bob)) == 1
    assert count("accounts.unread") == 0


def _read_without_holding(limit: int, pipeline: StatementPipeline) -> object:
    return pipeline.queue(
        """
        SELECT dedupe_tag, attempt_id, generation, possible_repeat, capability FROM accounts.unread
        WHERE state = 'sending' LIMIT %s
        """,
        [limit],
        read=accounts.inbox._read_unread_tickets,
    )


def _give_back_whoevers_it_is(
    pipeline: StatementPipeline, tag: UnreadDedupeTag, **_named: object
) -> Answer[bool]:
    return pipeline.queue(
        """
        UPDATE accounts.unread SET state = 'waiting', attempt_id = NULL, generation = generation + 1
        WHERE dedupe_tag = %s RETURNING 1
        """,
        [tag],
        read=any_row,
    )


def _give_back_ask_again_and_take(town: Town, bob: Person) -> object:
    """Do what may happen while another reconciler dawdles: the next delivery of the row is under way."""
    given_back = _reconcile()
    bob.says("/inbox")
    town.take_updates()
    with durable_transaction() as pipeline:
        drain_one_inbox(pipeline)
    return given_back


@pytest.mark.parametrize("guards", ["held and fenced", "fenced", "none"])
def test_a_row_that_the_next_delivery_owns_by_now_is_not_given_back(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, guards: str
) -> None:
    bob = ask_for_messages(lasting_town)
    change_rows("DELETE FROM outbox.intent WHERE kind = 'ticket'")
    encounter = Encounter()
    standings = outbox.selectors.queue_intent_standings
    dawdled: list[bool] = []

    with monkeypatch.context() as changed:
        if guards != "held and fenced":
            changed.setattr(
                accounts.inbox,
                "queue_sending_held",
                lambda pipeline, *, limit: _read_without_holding(limit, pipeline),
            )

        def dawdle(*given: object) -> object:
            answer = standings(*given)  # type: ignore[arg-type]
            assert answer.value == {}
            if not dawdled:
                dawdled.append(True)
                if guards == "none":
                    changed.setattr(accounts.inbox, "queue_unread_returned", _give_back_whoevers_it_is)
                encounter.here()
            return answer

        changed.setattr(outbox.selectors, "queue_intent_standings", dawdle)
        second = as_second(encounter, lambda: _give_back_ask_again_and_take(lasting_town, bob))
        outcomes = encounter.run(_reconcile, second)
    assert outcomes == ([1, 0] if guards == "held and fenced" else [1, 1])
    owned = read_rows("SELECT state, generation FROM accounts.unread")
    hurry_lanes()
    if guards == "none":
        assert owned == [("waiting", 2)], "the second delivery is under way, and its row waits for a third"
        return
    if guards == "fenced":
        assert owned == [("sending", 1)]
    lasting_town.settle()
    bob.says("/inbox")
    lasting_town.settle()
    arrived = lasting_town.delivered(bob)
    assert [message.has_button(REPEAT) for message in arrived] == [True]
