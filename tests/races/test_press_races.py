"""Two presses for one inbox, and a press that meets the drain which the one before has asked for."""

import pytest
from closed_inboxes import acquaint
from encounters import Encounter, hold_after, take_away
from second_message import ask_for_second
from town import Town, count
from update_calls import as_second, waiting_updates

import accounts.inbox
import accounts.selectors
import accounts.services
from nekonymous_site.bot.update_intake import IntakeAnswer
from nekonymous_site.crypto.identifiers import AccountId
from nekonymous_site.pipeline import Answer, StatementPipeline, any_row, durable_transaction
from nekonymous_site.workflows.drain_inbox import drain_one_inbox


def _drain() -> bool:
    with durable_transaction() as pipeline:
        return drain_one_inbox(pipeline)


def _asked_anew(pipeline: StatementPipeline, _account_id: AccountId) -> Answer[bool]:
    return pipeline.queue("SELECT 1", read=any_row)


@pytest.mark.parametrize("guard", ["all guards", "without the actor's lock", "without the request"])
def test_two_presses_at_once_bring_everything_once_under_one_progress(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, guard: str
) -> None:
    """The request's row alone is enough; without it each press begins a count of its own."""
    met = acquaint(lasting_town)
    for number in range(3):
        lasting_town.writes(met.alice, met.link, f"number {number}")
    lasting_town.settle()
    before = len(lasting_town.delivered(met.bob))
    met.bob.says("/inbox")
    met.bob.says("/inbox")
    presses = waiting_updates(lasting_town)
    encounter = Encounter()
    with monkeypatch.context() as held:
        if guard == "without the actor's lock":
            take_away(held, accounts.services, "queue_actor_lock")
        if guard == "without the request":
            held.setattr(accounts.inbox, "queue_drain_requested", _asked_anew)
        hold_after(encounter, held, accounts.selectors, "queue_inbox_counts")
        outcomes = encounter.run(*presses)
    assert not encounter.met
    assert outcomes == [IntakeAnswer(status=200)] * 2
    progresses = 2 if guard == "without the request" else 1
    assert count("outbox.intent", "kind = 'progress' AND state = 'pending'") == progresses
    if progresses == 1:
        lasting_town.settle()
        brought = [seen.text for seen in lasting_town.delivered(met.bob)[before:]]
        assert brought == ["number 0", "number 1", "number 2"]


@pytest.mark.parametrize("guard", ["all guards", "without the inbox's lock", "without either"])
def test_a_press_during_a_drain_joins_it(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, guard: str
) -> None:
    """Lock and request keep it so, each by itself."""
    story = ask_for_second(lasting_town)
    story.met.bob.says("/inbox")
    [press] = waiting_updates(lasting_town)
    encounter = Encounter()
    with monkeypatch.context() as held:
        if guard != "all guards":
            take_away(held, accounts.services, "queue_inbox_lock")
        if guard == "without either":
            held.setattr(accounts.inbox, "queue_drain_requested", _asked_anew)
        hold_after(encounter, held, accounts.inbox, "queue_waiting_taken")
        drained, taken = encounter.run(_drain, as_second(encounter, press))
    assert (drained, taken) == (True, IntakeAnswer(status=200))
    assert count("outbox.intent", "kind = 'progress' AND state = 'pending'") == (guard == "without either")
    lasting_town.settle()
    assert len(story.arrived()) == 1
