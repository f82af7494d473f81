"""The Bot API calls the bot has made lately."""

import time
from collections import deque
from dataclasses import asdict, dataclass, field
from itertools import islice

from nekonymous_site.sandbox.json_types import JsonObject

CALLS_KEPT = 5_000
_CALLS_LOOKED_AT = 60


@dataclass(slots=True, kw_only=True)
class RecordedCall:
    """One call. ``status`` is None while it runs and for a connection that was reset."""

    method: str
    params: JsonObject
    via: str
    at: float = field(default_factory=time.time)
    fault: str | None = None
    status: int | None = None
    description: str | None = None


class CallLog:
    """A bounded record; the oldest calls fall out. Calls with a wrong token are no calls of the bot."""

    def __init__(self) -> None:
        self._calls: deque[RecordedCall] = deque(maxlen=CALLS_KEPT)
        self.made = 0

    def record(self, call: RecordedCall) -> RecordedCall:
        """Keep a call; returns it, so that its outcome can be filled in."""
        self._calls.append(call)
        self.made += 1
        return call

    def latest(self, count: int) -> list[RecordedCall]:
        """The last calls, in order."""
        return list(islice(reversed(self._calls), count))[::-1]

    def count_running(self) -> int:
        """How many of the last calls have no status yet."""
        return sum(call.status is None for call in self.latest(_CALLS_LOOKED_AT))

    def as_json(self, *, method: str | None) -> list[JsonObject]:
        """The calls in order, or those of one method."""
        wanted = None if method is None else method.lower()
        return [asdict(call) for call in self._calls if wanted is None or call.method.lower() == wanted]

    def clear(self) -> None:
        """Forget all calls."""
        self._calls.clear()
