"""How much a bot may send: token buckets for all chats together and for each chat by itself.

The real server's figures are unpublished. These are what its documentation advises to stay below: about 30
messages a second in all, about one a second in a private chat with short bursts, 20 a minute in a group.
"""

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

from nekonymous_site.sandbox.json_types import JsonObject

# Of chats beyond these the one that was used least lately is forgotten, which gives it a full bucket again.
MAX_CHATS_COUNTED = 10_000
_GROUP_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RateFigures:
    """How fast the buckets fill, and how many messages may come at once in a private chat."""

    overall_per_second: float = 30.0
    private_per_second: float = 1.0
    private_burst: float = 3.0
    group_per_minute: float = 20.0


@dataclass(slots=True, kw_only=True)
class TokenBucket:
    """Fills steadily up to its capacity; a refused call closes it until what that call needs is there."""

    capacity: float
    per_second: float
    filled_at: float
    tokens: float
    closed_until: float = 0.0

    def seconds_to_wait(self, cost: float, *, now: float) -> float:
        """How long this many must wait, 0 if they may go; asking during a wait changes nothing."""
        if now < self.closed_until:
            return self.closed_until - now
        self._fill(now)
        # An album larger than the bucket goes out of a full one, which it leaves in debt.
        missing = min(cost, self.capacity) - self.tokens
        if missing <= 0:
            return 0.0
        seconds = float(max(math.ceil(missing / self.per_second), 1))
        self.closed_until = now + seconds
        return seconds

    def take(self, cost: float, *, now: float) -> None:
        """Take out what has been sent."""
        self._fill(now)
        self.tokens -= cost

    def _fill(self, now: float) -> None:
        self.tokens = min(self.capacity, self.tokens + (now - self.filled_at) * self.per_second)
        self.filled_at = now


@dataclass(frozen=True, slots=True, kw_only=True)
class SendCost:
    """What a call counts: in the bucket of all chats, and in that of its own."""

    overall: int
    chat: int
    chat_id: int
    is_private: bool


def _count_none() -> dict[str, int]:
    return {"overall": 0, "private": 0, "group": 0}


@dataclass(slots=True, kw_only=True)
class SendRates:
    """The buckets in force, or none while ``enforced`` is False."""

    clock: Callable[[], float] = time.monotonic
    enforced: bool = False
    figures: RateFigures = field(default_factory=RateFigures)
    # How many calls which bucket has refused.
    refused: dict[str, int] = field(default_factory=_count_none)
    _overall: TokenBucket | None = None
    _chats: dict[int, TokenBucket] = field(default_factory=dict)

    def switch(self, *, enforced: bool, figures: RateFigures) -> None:
        """Begin anew with full buckets and no refusals counted."""
        self.enforced, self.figures = enforced, figures
        self.refused = _count_none()
        self._overall = None
        self._chats.clear()

    def refuse(self, cost: SendCost) -> int | None:
        """The whole seconds a call must wait, None if it may go now. A refusal is counted."""
        if not self.enforced:
            return None
        now = self.clock()
        seconds_overall = self._overall_bucket(now).seconds_to_wait(cost.overall, now=now)
        seconds_in_chat = self._chat_bucket(cost, now).seconds_to_wait(cost.chat, now=now)
        if max(seconds_overall, seconds_in_chat) <= 0:
            return None
        self._count(cost, by_chat=seconds_in_chat > 0)
        return max(math.ceil(max(seconds_overall, seconds_in_chat)), 1)

    def note_sent(self, cost: SendCost) -> None:
        """Take a call that succeeded out of its buckets."""
        if self.enforced:
            now = self.clock()
            self._overall_bucket(now).take(cost.overall, now=now)
            self._chat_bucket(cost, now).take(cost.chat, now=now)

    def as_json(self) -> JsonObject:
        """The switch, the figures, and what was refused since it was set."""
        return {"enforced": self.enforced, **asdict(self.figures), "refused": self.refused}

    def _count(self, cost: SendCost, *, by_chat: bool) -> None:
        bucket = "overall" if not by_chat else "private" if cost.is_private else "group"
        self.refused[bucket] += 1

    def _overall_bucket(self, now: float) -> TokenBucket:
        if self._overall is None:
            per_second = self.figures.overall_per_second
            self._overall = _full_bucket(max(per_second, 1.0), per_second=per_second, now=now)
        return self._overall

    def _chat_bucket(self, cost: SendCost, now: float) -> TokenBucket:
        """A chat's bucket, put last in the order in which they are forgotten."""
        bucket = self._chats.pop(cost.chat_id, None) or self._make_chat_bucket(cost, now)
        self._chats[cost.chat_id] = bucket
        while len(self._chats) > MAX_CHATS_COUNTED:
            del self._chats[next(iter(self._chats))]
        return bucket

    def _make_chat_bucket(self, cost: SendCost, now: float) -> TokenBucket:
        figures = self.figures
        if cost.is_private:
            return _full_bucket(figures.private_burst, per_second=figures.private_per_second, now=now)
        per_second = figures.group_per_minute / _GROUP_SECONDS
        return _full_bucket(max(figures.group_per_minute, 1.0), per_second=per_second, now=now)


def _full_bucket(capacity: float, *, per_second: float, now: float) -> TokenBucket:
    return TokenBucket(capacity=capacity, per_second=per_second, filled_at=now, tokens=capacity)
