"""Two workers at one inbox: two drains, a drain and a message that comes in, two batches of notices."""

import json
from collections.abc import Callable

import pytest
from django.db import OperationalError
from encounters import Encounter, hold_after, take_away
from plane_people import new_account, queue_gate, queue_messages
from stored_rows import change_rows, read_rows, read_value
from town import Town, count

import accounts.inbox
import accounts.selectors
import accounts.services
import outbox.services
from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.telegram_updates import fetch_updates
from nekonymous_site.bot.update_intake import IntakeAnswer, take_update
from nekonymous_site.crypto.identifiers import AccountId
from nekonymous_site.pipeline import Answer, StatementPipeline, any_row, durable_transaction
from nekonymous_site.sandbox.people import Person
from nekonymous_site.workflows.drain_inbox import drain_one_inbox
from nekonymous_site.workflows.make_notices import make_notices
from outbox.services import NewIntent


def _drain() -> bool:
    with durable_transaction() as pipeline:
        return drain_one_inbox(pipeline)


def _notify() -> int:
    with durable_transaction() as pipeline:
        return make_notices(pipeline)


def _bob_asks_for_three(town: Town) -> tuple[Person, AccountId]:
    bob, link = town.owner()
    alice = town.person("Alice")
    for number in range(3):
        town.writes(alice, link, f"number {number}")
        town.settle(notices=False)
    bob.says("/inbox")
    town.take_updates()
    account_id = read_value("SELECT DISTINCT account_id FROM accounts.unread")
    assert isinstance(account_id, bytes)
    return bob, AccountId(account_id)


def _delivered(town: Town, bob: Person) -> list[str]:
    town.settle()
    return [message.text for message in town.delivered(bob)]


NUMBERS = [f"number {number}" for number in range(3)]


def test_one_request_is_taken_by_one_of_two_drains(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob, _ = _bob_asks_for_three(lasting_town)
    encounter = Encounter()
    with monkeypatch.context() as held:
        hold_after(encounter, held, accounts.inbox, "queue_drain_taken")
        assert set(encounter.run(_drain, _drain)) == {True, False}
    assert _delivered(lasting_town, bob) == NUMBERS
    assert count("accounts.unread") == 0


def _never_taken_away(account_id: AccountId) -> Callable[[StatementPipeline], Answer[AccountId]]:
    """A request that any number of workers find."""

    def queue_drain_taken(pipeline: StatementPipeline) -> Answer[AccountId]:
        return pipeline.queue("SELECT 1", read=lambda _rows: account_id)

    return queue_drain_taken


@pytest.mark.parametrize("is_locked", [True, False])
def test_two_drains_of_one_inbox_do_not_take_the_same_rows(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, *, is_locked: bool
) -> None:
    """With the lock the second one finds nothing; without it both take the rows, and who took them first has
    lost the right to deliver them: three messages that nobody will ever send."""
    bob, account_id = _bob_asks_for_three(lasting_town)
    encounter = Encounter()
    with monkeypatch.context() as held:
        held.setattr(accounts.inbox, "queue_drain_taken", _never_taken_away(account_id))
        if not is_locked:
            take_away(held, accounts.services, "queue_inbox_lock")
        hold_after(encounter, held, accounts.inbox, "queue_waiting_taken")
        assert encounter.run(_drain, _drain) == [True, True]
    assert read_value("SELECT count(*) FROM outbox.intent WHERE kind = 'ticket'") == 3
    assert _delivered(lasting_town, bob) == (NUMBERS if is_locked else [])
    assert read_rows("SELECT state FROM accounts.unread") == ([] if is_locked else [("sending",)] * 3)


def _accept_one_more(account_id: AccountId) -> None:
    with durable_transaction() as pipeline:
        accounts.services.queue_inbox_lock(pipeline, account_id)
        gate = queue_gate(pipeline, account_id)
        assert gate is not None
        assert gate.has_room
        queue_messages(pipeline, account_id, count=1)


@pytest.mark.parametrize(
    ("place", "name"),
    [(accounts.selectors, "queue_recipient_gate"), (accounts.inbox, "queue_waiting_taken")],
    ids=["a message comes first", "the drain comes first"],
)
def test_a_message_that_comes_in_during_a_drain_is_in_it_or_waits_behind_it(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, place: object, name: str
) -> None:
    _, account_id = _bob_asks_for_three(lasting_town)
    change_rows("UPDATE accounts.unread SET unnoticed = false")
    encounter = Encounter()
    hold_after(encounter, monkeypatch, place, name)
    outcomes = encounter.run(_drain, lambda: _accept_one_more(account_id))
    assert outcomes == [True, None]
    states = [state for (state,) in read_rows("SELECT state FROM accounts.unread ORDER BY position")]
    assert states[:3] == ["sending"] * 3
    assert states[3:] in (["sending"], ["waiting"])
    assert count("outbox.intent", "kind = 'ticket'") == states.count("sending")
    assert count("accounts.unread", "unnoticed") == states.count("waiting"), "what waits is announced"


@pytest.mark.parametrize("is_locked", [True, False])
def test_the_lock_keeps_a_drain_and_an_accept_apart(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, *, is_locked: bool
) -> None:
    _, account_id = _bob_asks_for_three(lasting_town)
    encounter = Encounter()
    if not is_locked:
        take_away(monkeypatch, accounts.services, "queue_inbox_lock")
    hold_after(encounter, monkeypatch, accounts.selectors, "queue_recipient_gate")
    hold_after(encounter, monkeypatch, accounts.inbox, "queue_waiting_taken")
    encounter.run(_drain, lambda: _accept_one_more(account_id))
    assert encounter.met is not is_locked


Held = dict[AccountId, list[bytes]]


def _held_in_opposite_orders(people: list[AccountId]) -> Callable[..., Answer[Held]]:
    """Both batches have unnoticed rows of the same two people, each in another order."""
    orders = [people, people[::-1]]

    def queue_unnoticed_held(pipeline: StatementPipeline, *, limit: int) -> Answer[Held]:
        return pipeline.queue(
            "SELECT %s::int", [limit], read=lambda _rows: {owner: [] for owner in orders.pop()}
        )

    return queue_unnoticed_held


def _hold_after_first_lane(encounter: Encounter, monkeypatch: pytest.MonkeyPatch) -> None:
    queue_intent = outbox.services.queue_intent

    def queue_and_meet(pipeline: StatementPipeline, intent: NewIntent, *, unless_one_waits: bool) -> None:
        queue_intent(pipeline, intent, unless_one_waits=unless_one_waits)
        assert pipeline.queue("SELECT 1", read=any_row).value, "the lane is locked by now"
        encounter.here()

    monkeypatch.setattr(outbox.services, "queue_intent", queue_and_meet)


@pytest.mark.parametrize("is_guarded", [True, False])
@pytest.mark.usefixtures("lasting_town")
def test_two_batches_of_notices_never_wait_for_each_others_lanes(
    monkeypatch: pytest.MonkeyPatch, *, is_guarded: bool
) -> None:
    people = [new_account(), new_account()]
    encounter = Encounter()
    monkeypatch.setattr(accounts.inbox, "queue_unnoticed_held", _held_in_opposite_orders(people))
    _hold_after_first_lane(encounter, monkeypatch)
    if not is_guarded:
        monkeypatch.setattr(accounts.inbox, "queue_notice_turn", _granted)
    outcomes = encounter.run(_notify, _notify)
    deadlocks = [one for one in outcomes if isinstance(one, OperationalError) and "deadlock" in str(one)]
    if is_guarded:
        assert sorted(outcomes, key=str) == [0, 2]
        assert count("outbox.intent") == 2
    else:
        assert len(deadlocks) == 1


def _granted(pipeline: StatementPipeline) -> Answer[bool]:
    return pipeline.queue("SELECT 1", read=any_row)


def test_two_batches_of_notices_at_once_tell_everybody_once(lasting_town: Town) -> None:
    owners = [lasting_town.owner(f"P{number}") for number in range(4)]
    for _, link in owners:
        for _ in range(2):
            lasting_town.writes(lasting_town.person("Alice"), link, "hello")
    lasting_town.settle(notices=False)
    outcomes = Encounter().run(*[_notify] * 4)
    assert all(isinstance(one, int) for one in outcomes), outcomes
    lasting_town.settle()
    for person, _ in owners:
        assert [m.text for m in person.sees() if m.text.startswith("📬")] == [
            outcome_texts.notice("en", count=2)
        ]


def test_whoever_returns_during_a_drain_of_theirs_waits_for_it_and_not_it_for_them(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob, _ = _bob_asks_for_three(lasting_town)
    change_rows("UPDATE accounts.account SET reachable = false")
    bob.says("/inbox")
    [update] = fetch_updates(offset=lasting_town._offset, wait_seconds=0)
    encounter = Encounter()
    hold_after(encounter, monkeypatch, accounts.inbox, "queue_drain_taken")

    def ask_again() -> object:
        assert encounter.was_reached()
        return take_update(json.dumps(update).encode())

    assert encounter.run(_drain, ask_again) == [True, IntakeAnswer(status=200)]
    assert count("accounts.account", "NOT reachable") == 1, "only Alice has not come back"
