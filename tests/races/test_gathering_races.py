"""Albums and long texts that gather while something else happens: one more part, an act, another worker."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import pytest
from closed_inboxes import account_of, acquaint
from django.db import OperationalError
from encounters import Encounter, hold_after, take_away
from plane_people import queue_gate
from received import list_parts
from stored_rows import change_rows, intent_states
from town import Town, count
from update_calls import TakeUpdate, as_second, waiting_updates

import accounts.compositions
import accounts.selectors
import accounts.services
from nekonymous_site.bot import gathering, outcome_texts
from nekonymous_site.bot.gathering import GatheringRun, end_ready_gatherings
from nekonymous_site.bot.update_intake import IntakeAnswer
from nekonymous_site.crypto.identifiers import AccountId, ActorHash
from nekonymous_site.pipeline import durable_transaction
from nekonymous_site.sandbox.people import Person

OK: Final = IntakeAnswer(status=200)
AGAIN: Final = IntakeAnswer(status=503, retry_after_seconds=5)
CAPTIONS: Final = ["one", "two", "three"]


def _album_of(town: Town, *, sent: int) -> tuple[Person, Person, list[TakeUpdate]]:
    """Alice sends Bob an album of three, of which so many items have been taken."""
    bob, link = town.owner()
    alice = town.person("Alice")
    alice.opens(link)
    town.settle()
    alice.sends_album([("photo", caption) for caption in CAPTIONS])
    updates = waiting_updates(town)
    for update in updates[:sent]:
        assert update() == OK
    return bob, alice, updates[sent:]


def _let_gathering_be_ready() -> None:
    moved = "UPDATE accounts.composition SET ready_at = clock_timestamp() WHERE ready_at IS NOT NULL"
    assert change_rows(moved) >= 1


def _captions(town: Town, person: Person) -> list[str]:
    """What of pictures arrives when somebody asks for what waits."""
    town.settle()
    person.says("/inbox")
    town.settle()
    return [part.caption for part in list_parts(person) if part.kind == "photo"]


def _ended(outcomes: Sequence[object]) -> int:
    return sum(one.ended for one in outcomes if isinstance(one, GatheringRun))


@pytest.mark.parametrize("taken", [0, 1])
def test_two_items_of_one_album_at_once_both_stay_in_it(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, taken: int
) -> None:
    bob, alice, [first, second, *_] = _album_of(lasting_town, sent=taken)
    encounter = Encounter()
    with monkeypatch.context() as held:
        hold_after(encounter, held, accounts.selectors, "queue_actor")
        assert encounter.run(first, second) == [OK, OK]
    assert not encounter.met
    assert sorted(_captions(lasting_town, bob)) == sorted(CAPTIONS)
    assert count("tickets.ticket") == 1
    assert [seen.text for seen in alice.sees()].count(outcome_texts.accepted("en")) == 1


def test_without_the_actors_lock_two_items_at_once_lose_one(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each keeps the album as it knew it."""
    bob, _, [second, third] = _album_of(lasting_town, sent=1)
    encounter = Encounter()
    with monkeypatch.context() as held:
        take_away(held, accounts.services, "queue_actor_lock")
        hold_after(encounter, held, accounts.selectors, "queue_actor")
        assert encounter.run(second, third) == [OK, OK]
    assert encounter.met
    assert len(_captions(lasting_town, bob)) == 2


def test_without_the_actors_lock_two_beginnings_of_an_album_break_a_constraint(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second guard: what fails comes again and finds the beginning there."""
    bob, _, [first, second, third] = _album_of(lasting_town, sent=0)
    encounter = Encounter()
    with monkeypatch.context() as held:
        take_away(held, accounts.services, "queue_actor_lock")
        hold_after(encounter, held, accounts.selectors, "queue_actor")
        outcomes = encounter.run(first, second)
    assert encounter.met
    assert sorted(outcomes, key=repr) == sorted([OK, AGAIN], key=repr)
    assert [update() for update in (first, second, third)] == [OK] * 3
    assert sorted(_captions(lasting_town, bob)) == sorted(CAPTIONS)


@pytest.mark.parametrize("is_locked", [True, False])
def test_two_workers_end_a_gathering_once(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, *, is_locked: bool
) -> None:
    bob, alice, rest = _album_of(lasting_town, sent=3)
    assert not rest
    _let_gathering_be_ready()
    encounter = Encounter()
    with monkeypatch.context() as held:
        if not is_locked:
            take_away(held, accounts.services, "queue_actor_lock")
        hold_after(encounter, held, accounts.selectors, "queue_actor")
        outcomes = encounter.run(end_ready_gatherings, end_ready_gatherings)
    assert encounter.met is not is_locked
    assert _ended(outcomes) == (1 if is_locked else 2)
    assert count("tickets.ticket") == (1 if is_locked else 2)
    if is_locked:
        assert _captions(lasting_town, bob) == CAPTIONS
        assert [seen.text for seen in alice.sees()].count(outcome_texts.accepted("en")) == 1


def test_many_workers_end_everybodys_gatherings_once(lasting_town: Town) -> None:
    bob, link = lasting_town.owner()
    people = [lasting_town.person(f"P{number}") for number in range(4)]
    for person in people:
        person.opens(link)
        person.sends_album([("photo", caption) for caption in CAPTIONS])
    lasting_town.take_updates()
    _let_gathering_be_ready()
    outcomes = Encounter().run(*[end_ready_gatherings] * 4)
    assert _ended(outcomes) == len(people), outcomes
    assert count("tickets.ticket") == len(people)
    assert count("accounts.composition") == 0
    assert _captions(lasting_town, bob) == CAPTIONS * len(people)


@pytest.mark.parametrize("first", ["worker", "update"])
@pytest.mark.parametrize("act", ["/help", "something for nobody"])
def test_a_worker_and_the_next_act_of_a_person_end_a_gathering_once(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, first: str, act: str
) -> None:
    bob, alice, _ = _album_of(lasting_town, sent=3)
    alice.says(act)
    next_act = waiting_updates(lasting_town)[-1]
    _let_gathering_be_ready()
    encounter = Encounter()
    works: dict[str, Callable[[], object]] = {"worker": end_ready_gatherings, "update": next_act}
    works = {who: work if who == first else as_second(encounter, work) for who, work in works.items()}
    with monkeypatch.context() as held:
        hold_after(encounter, held, accounts.selectors, "queue_actor")
        run, taken = encounter.run(works["worker"], works["update"])
    assert not encounter.met
    assert isinstance(run, GatheringRun)
    assert taken == OK
    assert count("tickets.ticket") == 1
    assert intent_states("acknowledgement")[-1:] == ["pending"]
    assert _captions(lasting_town, bob) == CAPTIONS
    said = [seen.text for seen in alice.sees() if seen.from_bot]
    assert said.count(outcome_texts.accepted("en")) == 1
    assert said.index(outcome_texts.accepted("en")) < len(said) - 1, "and then the answer to the next act"


def test_without_the_actors_lock_worker_and_act_send_it_twice(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, alice, _ = _album_of(lasting_town, sent=3)
    alice.says("/help")
    next_act = waiting_updates(lasting_town)[-1]
    _let_gathering_be_ready()
    encounter = Encounter()
    take_away(monkeypatch, accounts.services, "queue_actor_lock")
    hold_after(encounter, monkeypatch, accounts.selectors, "queue_reachable")
    encounter.run(end_ready_gatherings, next_act)
    assert encounter.met
    assert count("tickets.ticket") == 2


def _ends_once_ready(encounter: Encounter) -> GatheringRun:
    """What a worker does that finds a composition ready just before another item of it is committed."""
    assert encounter.was_reached()
    actor_hash: ActorHash | None = None
    while actor_hash is None:
        with durable_transaction() as pipeline:
            actor_hash = accounts.compositions.queue_ready_composer(pipeline).value
    return end_ready_gatherings()


def test_an_item_that_comes_in_at_the_last_moment_keeps_the_album_together(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker has found the album ready; by the time it gets the lock, more is waited for again."""
    bob, alice, [second, third] = _album_of(lasting_town, sent=1)
    change_rows("UPDATE accounts.composition SET ready_at = clock_timestamp() + interval '0.7 seconds'")
    encounter = Encounter()
    with monkeypatch.context() as held:
        hold_after(encounter, held, accounts.selectors, "queue_actor")
        taken, run = encounter.run(second, partial(_ends_once_ready, encounter))
    assert taken == OK
    assert isinstance(run, GatheringRun)
    assert third() == OK
    assert _captions(lasting_town, bob) == CAPTIONS
    assert count("tickets.ticket") == 1
    assert outcome_texts.nothing_open("en") not in [seen.text for seen in alice.sees()]


def test_two_who_end_albums_for_each_other_do_not_wait_for_each_other(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    met = acquaint(lasting_town)
    bobs_before, alices_before = len(list_parts(met.bob)), len(list_parts(met.alice))
    met.alice.sends_album([("photo", "to Bob"), ("photo", "")], reply_to=met.from_bob)
    met.bob.sends_album([("photo", "to Alice"), ("photo", "")], reply_to=met.from_alice)
    lasting_town.take_updates()
    met.alice.says("a word on top", reply_to=met.from_bob)
    met.bob.says("a word on top", reply_to=met.from_alice)
    encounter = Encounter()
    with monkeypatch.context() as held:
        hold_after(encounter, held, accounts.selectors, "queue_recipient_gate")
        assert encounter.run(*waiting_updates(lasting_town)) == [OK, OK]
    assert encounter.met, "each has the other's inbox, and neither wants its own"
    lasting_town.settle()
    for person, before, caption in ((met.bob, bobs_before, "to Bob"), (met.alice, alices_before, "to Alice")):
        person.says("/inbox")
        lasting_town.settle()
        arrived = [part.caption or part.text for part in list_parts(person)[before:]]
        assert arrived == [caption, "", outcome_texts.ticket_card("en"), "a word on top"]


def test_two_messages_in_one_transaction_would_wait_for_each_others_inboxes(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Why what gathers is ended in a transaction of its own, before the message that ends it."""
    people = [account_of(lasting_town.owner(name)[0]) for name in ("Bob", "Carol")]
    encounter = Encounter()
    hold_after(encounter, monkeypatch, accounts.selectors, "queue_recipient_gate")

    def enter_both(first: AccountId, then: AccountId) -> None:
        with durable_transaction() as pipeline:
            accounts.services.queue_inbox_lock(pipeline, first)
            queue_gate(pipeline, first)
            accounts.services.queue_inbox_lock(pipeline, then)

    outcomes = encounter.run(partial(enter_both, *people), partial(enter_both, *people[::-1]))
    errors = [one for one in outcomes if isinstance(one, OperationalError)]
    assert ["deadlock" in str(one) for one in errors] == [True]


def test_the_next_part_of_a_long_text_and_a_worker_make_one_ticket(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The short last part ends it at once; a worker that has found it ready has nothing left to do."""
    bob, link = lasting_town.owner()
    alice = lasting_town.person("Alice")
    alice.opens(link)
    alice.says("long " * 700)
    lasting_town.take_updates()
    alice.says("and the end")
    [last] = waiting_updates(lasting_town)
    change_rows("UPDATE accounts.composition SET ready_at = clock_timestamp() + interval '0.7 seconds'")
    encounter = Encounter()
    with monkeypatch.context() as held:
        hold_after(encounter, held, accounts.selectors, "queue_actor")
        taken, run = encounter.run(last, partial(_ends_once_ready, encounter))
    assert taken == OK
    assert run == GatheringRun(ended=0, more_after_seconds=None)
    lasting_town.settle()
    bob.says("/inbox")
    lasting_town.settle()
    assert [part.text for part in list_parts(bob)] == [("long " * 700).strip(), "and the end"]
    assert count("tickets.ticket") == 1


def test_a_gathering_that_fails_to_be_ended_stays_and_is_ended_later(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob, _, _ = _album_of(lasting_town, sent=3)
    _let_gathering_be_ready()
    with monkeypatch.context() as broken:
        broken.setattr(gathering, "end_gathering", _fail)
        assert end_ready_gatherings().ended == 0
    assert count("tickets.ticket") == 0
    assert count("accounts.composition") == 1
    assert _captions(lasting_town, bob) == CAPTIONS


def _fail(*_arguments: object) -> object:
    raise OperationalError
