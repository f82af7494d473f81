"""Scenes that begin with an update that was set aside."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

import pytest
from stored_rows import read_rows
from town import Town

from nekonymous_site.bot import handler_registry, outcome_texts
from nekonymous_site.bot.handlers.compose import answer_message
from nekonymous_site.bot.update_models import Message
from nekonymous_site.bot.visit import Visit
from nekonymous_site.sandbox.people import Person

POISON = "canary-4711-words, which nobody can take"


@contextmanager
def broken_messages(error: Exception | None = None) -> Iterator[None]:
    """Let whatever is written do its work and then fail, until the block ends."""

    def fail(visit: Visit, message: Message) -> NoReturn:
        answer_message(visit, message)
        raise error or RuntimeError(POISON)

    with pytest.MonkeyPatch.context() as broken:
        broken.setattr(handler_registry, "answer_message", fail)
        yield


def a_minute_ago() -> dict[str, object]:
    """The date of a message that was written before."""
    return {"date": int(time.time()) - 60}


def open_a_minute_ago(person: Person, link: str) -> None:
    """Follow a link, by the date of a minute ago."""
    person.says(f"/start {link.partition('?start=')[2]}", extra_fields=a_minute_ago())


def park_a_message(town: Town, *, settle: Callable[[], None] | None = None) -> tuple[Person, Person, str]:
    """Alice's message to Bob has failed three times and is set aside; gives both and Bob's link."""
    bob, link = town.owner()
    alice = town.person("Alice")
    open_a_minute_ago(alice, link)
    town.settle()
    alice.says(POISON, extra_fields=a_minute_ago())
    with broken_messages():
        for _ in range(3):
            town.take_updates()
    (settle or town.settle)()
    assert alice.sees()[-1].text == outcome_texts.update_parked("en")
    assert len(parked_handles()) == 1
    return alice, bob, link


def parked_handles(number: int = 8) -> list[str]:
    """Give the first digits of all parked updates, in order."""
    rows = read_rows("SELECT encode(parked_id, 'hex') FROM outbox.parked_update ORDER BY 1")
    return [str(parked_id)[:number] for (parked_id,) in rows]
