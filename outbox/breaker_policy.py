"""When all sending pauses, and what becomes of an intent meanwhile: pure rules."""

from dataclasses import replace
from datetime import timedelta
from typing import Final

from outbox.delivery_policy import Decision, Fate
from outbox.intent_kinds import POLICIES, IntentKind, WhenUnknown

BREAKER_THRESHOLD: Final = 5


def breaker_pause(failures_in_a_row: int) -> timedelta | None:
    """Pause all sending once the Bot API as a whole seems to fail: 2 s, doubling to a minute."""
    if failures_in_a_row < BREAKER_THRESHOLD:
        return None
    exponent = min(failures_in_a_row - BREAKER_THRESHOLD, 5)
    return min(timedelta(seconds=2 * 2**exponent), timedelta(minutes=1))


def decide_while_breaker_is_open(
    kind: IntentKind, *, decision: Decision, is_unknown: bool, pause: timedelta, park_everything: bool
) -> Decision:
    """Wait and use up no attempt; what is dropped when nobody knows is dropped all the same."""
    parked = replace(decision, wait=pause, park_everything=park_everything)
    if is_unknown and POLICIES[kind].when_unknown is WhenUnknown.DROP:
        return parked
    return replace(parked, fate=Fate.RETRY_UNKNOWN if is_unknown else Fate.RETRY, counts_as_attempt=False)
