"""What people have done and nobody has taken yet, as calls that threads can make at once."""

import json
from collections.abc import Callable
from functools import partial

from encounters import Encounter
from town import Town

from nekonymous_site.bot.telegram_updates import fetch_updates
from nekonymous_site.bot.update_intake import IntakeAnswer, take_update

TakeUpdate = Callable[[], IntakeAnswer]


def waiting_updates(town: Town) -> list[TakeUpdate]:
    """Give a call for each update that waits, in order; the town meets them again, as taken before."""
    updates = fetch_updates(offset=town._offset, wait_seconds=0)
    return [partial(take_update, json.dumps(update).encode()) for update in updates]


def as_second(encounter: Encounter, work: Callable[[], object]) -> Callable[[], object]:
    """Give the work as one that begins when somebody is at the place."""

    def begin() -> object:
        assert encounter.was_reached()
        return work()

    return begin
