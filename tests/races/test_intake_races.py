"""Two updates at once: of one person, of two people into one inbox, and the same one twice."""

import json
from collections.abc import Callable
from functools import partial

import pytest
from encounters import Encounter, hold_after, take_away
from plane_people import fill_inbox
from stored_rows import change_rows, intent_states, read_value
from town import Town, count

import accounts.selectors
import accounts.services
import outbox.services
from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.telegram_updates import fetch_updates
from nekonymous_site.bot.update_intake import IntakeAnswer, take_update
from nekonymous_site.crypto.identifiers import AccountId
from nekonymous_site.pipeline import Answer, StatementPipeline, any_row
from nekonymous_site.sandbox.people import Person

OK = IntakeAnswer(status=200)
AGAIN = IntakeAnswer(status=503, retry_after_seconds=5)


def _waiting_updates(town: Town) -> list[Callable[[], IntakeAnswer]]:
    updates = fetch_updates(offset=town._offset, wait_seconds=0)
    return [partial(take_update, json.dumps(update).encode()) for update in updates]


def _writers(town: Town, *names: str) -> list[Person]:
    """People who are about to write to Bob."""
    _, link = town.owner()
    people = [town.person(name) for name in names]
    for person in people:
        person.opens(link)
    town.settle()
    return people


def _every_update_is_new(pipeline: StatementPipeline, *, bot_id: int, update_id: int) -> Answer[bool]:
    return pipeline.queue("SELECT %s::bigint + %s::bigint", [bot_id, update_id], read=any_row)


@pytest.mark.parametrize("guards_taken_away", [(), ("queue_actor_lock",), ("receipt",)])
def test_the_same_update_twice_at_once_has_one_effect(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, guards_taken_away: tuple[str, ...]
) -> None:
    """The receipt alone is enough, and the lock alone keeps the two apart."""
    [alice] = _writers(lasting_town, "Alice")
    alice.says("once")
    [update] = _waiting_updates(lasting_town)
    encounter = Encounter()
    _take_guards(monkeypatch, guards_taken_away)
    hold_after(encounter, monkeypatch, accounts.selectors, "queue_actor")
    assert encounter.run(update, update) == [OK, OK]
    assert not encounter.met
    assert count("tickets.ticket") == count("accounts.unread") == 1
    assert len(intent_states("acknowledgement")) == 1


def _take_guards(monkeypatch: pytest.MonkeyPatch, guards: tuple[str, ...]) -> None:
    if "queue_actor_lock" in guards:
        take_away(monkeypatch, accounts.services, "queue_actor_lock")
    if "receipt" in guards:
        monkeypatch.setattr(outbox.services, "queue_receipt", _every_update_is_new)


def test_without_its_guards_the_same_update_makes_two_tickets(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    [alice] = _writers(lasting_town, "Alice")
    alice.says("once")
    [update] = _waiting_updates(lasting_town)
    encounter = Encounter()
    _take_guards(monkeypatch, ("queue_actor_lock", "receipt"))
    hold_after(encounter, monkeypatch, accounts.selectors, "queue_actor")
    encounter.run(update, update)
    assert encounter.met
    assert count("tickets.ticket") == 2


def test_two_words_of_a_newcomer_at_once_make_one_account(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob = lasting_town.person("Bob")
    bob.says("/start")
    bob.says("/help")
    encounter = Encounter()
    hold_after(encounter, monkeypatch, accounts.selectors, "queue_actor")
    assert encounter.run(*_waiting_updates(lasting_town)) == [OK, OK]
    assert count("accounts.account") == count("accounts.public_link") == 1


def test_without_the_lock_a_newcomer_breaks_a_constraint(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob = lasting_town.person("Bob")
    bob.says("/start")
    bob.says("/help")
    encounter = Encounter()
    take_away(monkeypatch, accounts.services, "queue_actor_lock")
    hold_after(encounter, monkeypatch, accounts.selectors, "queue_actor")
    outcomes = encounter.run(*_waiting_updates(lasting_town))
    assert encounter.met
    assert sorted(outcomes, key=repr) == sorted([OK, AGAIN], key=repr)
    assert count("accounts.account") == 1, "the constraint is the second guard"


def _two_messages_for_one_draft(town: Town) -> tuple[Person, list[Callable[[], IntakeAnswer]]]:
    [alice] = _writers(town, "Alice")
    alice.says("first")
    alice.says("second")
    return alice, _waiting_updates(town)


def test_two_messages_at_once_use_one_draft_once(lasting_town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    alice, updates = _two_messages_for_one_draft(lasting_town)
    encounter = Encounter()
    hold_after(encounter, monkeypatch, accounts.selectors, "queue_actor")
    assert encounter.run(*updates) == [OK, OK]
    assert not encounter.met
    assert count("tickets.ticket") == 1
    assert count("accounts.draft") == 0
    lasting_town.pump()
    assert sorted(message.text for message in alice.sees()[-2:]) == sorted(
        [outcome_texts.accepted("en"), outcome_texts.nothing_open("en")]
    )


def test_without_the_actors_lock_one_draft_is_used_twice(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, updates = _two_messages_for_one_draft(lasting_town)
    encounter = Encounter()
    take_away(monkeypatch, accounts.services, "queue_actor_lock")
    hold_after(encounter, monkeypatch, accounts.selectors, "queue_actor")
    encounter.run(*updates)
    assert encounter.met
    assert count("tickets.ticket") == 2


def _two_messages_for_the_fiftieth_place(town: Town) -> list[Callable[[], IntakeAnswer]]:
    alice, carol = _writers(town, "Alice", "Carol")
    fill_inbox(_recipient_of_drafts(), count=49)
    alice.says("from Alice")
    carol.says("from Carol")
    return _waiting_updates(town)


def _recipient_of_drafts() -> AccountId:
    """Bob, the only one without a draft."""
    account_id = read_value(
        """
        SELECT account_id FROM accounts.account
        WHERE account_id NOT IN (SELECT account_id FROM accounts.draft)
        """
    )
    assert isinstance(account_id, bytes)
    return AccountId(account_id)


def test_two_senders_at_forty_nine_do_not_both_enter(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    updates = _two_messages_for_the_fiftieth_place(lasting_town)
    encounter = Encounter()
    hold_after(encounter, monkeypatch, accounts.selectors, "queue_recipient_gate")
    assert encounter.run(*updates) == [OK, OK]
    assert not encounter.met
    assert count("accounts.unread") == 50
    assert count("tickets.ticket") == 1
    lasting_town.pump()
    texts = [
        message.text[:6] for person in lasting_town.sandbox.people()[-2:] for message in person.sees()[-1:]
    ]
    assert sorted(texts) == sorted([outcome_texts.accepted("en")[:6], outcome_texts.not_taking("en")[:6]])


def test_without_the_inboxs_lock_both_find_room(lasting_town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    updates = _two_messages_for_the_fiftieth_place(lasting_town)
    encounter = Encounter()
    take_away(monkeypatch, accounts.services, "queue_inbox_lock")
    hold_after(encounter, monkeypatch, accounts.selectors, "queue_recipient_gate")
    outcomes = encounter.run(*updates)
    assert encounter.met, "both have read that one place is left"
    # One more than there is room for; or both take one position, and one of them fails at its constraint.
    assert count("accounts.unread") == 51 or AGAIN in outcomes


def test_two_who_return_by_writing_to_each_other_do_not_wait_for_each_other(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bob, bobs_link), (carol, carols_link) = lasting_town.owner("Bob"), lasting_town.owner("Carol")
    bob.opens(carols_link)
    carol.opens(bobs_link)
    lasting_town.settle()
    change_rows("UPDATE accounts.account SET reachable = false")
    bob.says("to Carol")
    carol.says("to Bob")
    encounter = Encounter()
    hold_after(encounter, monkeypatch, accounts.selectors, "queue_recipient_gate")
    assert encounter.run(*_waiting_updates(lasting_town)) == [OK, OK]
    assert count("accounts.account", "reachable") == 2
