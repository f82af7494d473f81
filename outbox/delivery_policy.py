"""What becomes of an intent: pure rules, without tables, clock or network (docs/architecture.md).

How each kind is sent stands in `outbox.intent_kinds`.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from outbox.intent_kinds import POLICIES, AfterAttempts, IntentKind, WhenUnknown
from outbox.send_result import Failed, FailureKind, SendResult, Sent, Suppressed

HARD_ATTEMPT_CAP: Final = 5
# Waits between the five attempts. A chat that is not found may come back: that ladder goes over hours.
RETRY_LADDER: Final = tuple(timedelta(seconds=seconds) for seconds in (2, 15, 120, 600))
NOT_FOUND_LADDER: Final = tuple(timedelta(seconds=seconds) for seconds in (120, 600, 3600, 3600))
JITTER_SHARE: Final = 0.2
AUTH_FAILURE_WAIT: Final = timedelta(seconds=60)
OUR_TROUBLE_WAIT: Final = timedelta(seconds=30)
DEFAULT_RETRY_AFTER_SECONDS: Final = 5


class IntentState(StrEnum):
    PENDING = "pending"
    SENDING = "sending"
    UNKNOWN_AFTER_SEND = "unknown_after_send"
    SENT = "sent"
    SUPPRESSED = "suppressed"
    FAILED = "failed"
    DEAD = "dead"


class Reconciled(StrEnum):
    """What could be found out about such a send."""

    SENT = "sent"
    NOT_SENT = "not_sent"
    UNRESOLVED = "unresolved"


class Fate(StrEnum):
    """What a result makes of an intent."""

    SENT = "sent"
    PART_SENT = "part_sent"
    SUPPRESSED = "suppressed"
    FAILED = "failed"
    DEAD = "dead"
    RETRY = "retry"
    RETRY_UNKNOWN = "retry_unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The fate of an intent after one result; `wait` is how long it (or all sending) has to wait."""

    fate: Fate
    counts_as_attempt: bool = True
    mark_repeat: bool = False
    wait: timedelta = timedelta(0)
    park_lane: bool = False
    park_everything: bool = False


def decide(
    kind: IntentKind, *, result: SendResult, attempts: int, jitter: float, parts_left: bool = False
) -> Decision:
    """Decide what becomes of an intent.

    `attempts` counts this one too; `jitter` in [-1, 1] spreads waits so that lanes do not wake together.
    With `parts_left` this was one of several calls of the same intent, and not the last.
    """
    match result:
        case Sent():
            return Decision(fate=Fate.PART_SENT if parts_left else Fate.SENT)
        case Suppressed():
            return Decision(fate=Fate.SUPPRESSED)
        case Failed(kind=FailureKind.NOT_FOUND, is_ours=False) if POLICIES[kind].edits:
            return Decision(fate=Fate.FAILED)  # the message is not there any more
        case Failed():
            return _decide_failed(kind, failed=result, attempts=attempts, jitter=jitter)


def reconcile_unknown_send(kind: IntentKind, *, failed: Failed) -> Reconciled:
    """Find out what became of a send that nobody saw arrive.

    The Bot API cannot be asked (`SendFeature.RECONCILE`), so only the failure itself may tell: an edit whose
    words stand there already was made, and what never left was not. Of all else nobody knows.
    """
    if POLICIES[kind].edits and failed.kind is FailureKind.CONFLICT:
        return Reconciled.SENT
    return Reconciled.NOT_SENT if failed.never_left else Reconciled.UNRESOLVED


def leaves_doubt(kind: IntentKind, *, failed: Failed) -> bool:
    """Whether nobody can know if it arrived. What would be dropped for that is not, where it hardly has."""
    hardly_arrived = failed.probably_undone and POLICIES[kind].when_unknown is WhenUnknown.DROP
    return failed.kind is FailureKind.UNKNOWN and not hardly_arrived


def _decide_failed(kind: IntentKind, *, failed: Failed, attempts: int, jitter: float) -> Decision:
    if failed.is_ours:
        return _decide_ours(kind, failed=failed, attempts=attempts, jitter=jitter)
    match failed.kind:
        case FailureKind.PERMISSION | FailureKind.INVALID_PAYLOAD:
            # The same would be refused again. For a person who is away only tickets are kept.
            is_away = failed.kind is FailureKind.PERMISSION
            return Decision(fate=Fate.FAILED) if is_away else _decide_exhausted(kind)
        case FailureKind.RATE_LIMITED | FailureKind.AUTH:
            return _decide_refused(failed)
        case FailureKind.UNKNOWN | FailureKind.CONFLICT:
            # Of a message a conflict says nothing.
            return _decide_unknown(kind, failed=failed, attempts=attempts, jitter=jitter)
        case FailureKind.TRANSIENT:
            return _decide_retry(kind, attempts=attempts, jitter=jitter, ladder=RETRY_LADDER)
        case FailureKind.NOT_FOUND:
            return _decide_retry(kind, attempts=attempts, jitter=jitter, ladder=NOT_FOUND_LADDER)


def _decide_ours(kind: IntentKind, *, failed: Failed, attempts: int, jitter: float) -> Decision:
    """Nothing has left. Keep apart what is spoilt, wait for what may only be away, try the rest again."""
    if failed.kind is FailureKind.INVALID_PAYLOAD:
        return Decision(fate=Fate.DEAD)
    if failed.kind is FailureKind.TRANSIENT:
        return Decision(fate=Fate.RETRY, counts_as_attempt=False, wait=OUR_TROUBLE_WAIT)
    return _decide_retry(kind, attempts=attempts, jitter=jitter, ladder=RETRY_LADDER)


def _decide_refused(failed: Failed) -> Decision:
    """Wait without using up an attempt: one chat after a rate limit, all of them after a refused token."""
    if failed.kind is FailureKind.AUTH:
        return Decision(
            fate=Fate.RETRY, counts_as_attempt=False, wait=AUTH_FAILURE_WAIT, park_everything=True
        )
    seconds = failed.retry_after_seconds or DEFAULT_RETRY_AFTER_SECONDS
    return Decision(fate=Fate.RETRY, counts_as_attempt=False, wait=timedelta(seconds=seconds), park_lane=True)


def _decide_unknown(kind: IntentKind, *, failed: Failed, attempts: int, jitter: float) -> Decision:
    when_unknown = POLICIES[kind].when_unknown
    reconciled = reconcile_unknown_send(kind, failed=failed)
    if reconciled is Reconciled.SENT:
        return Decision(fate=Fate.SENT)
    hardly_arrived = when_unknown is WhenUnknown.DROP and failed.probably_undone
    if reconciled is Reconciled.NOT_SENT or hardly_arrived:
        return _decide_retry(kind, attempts=attempts, jitter=jitter, ladder=RETRY_LADDER)
    if when_unknown is WhenUnknown.DROP:
        return Decision(fate=Fate.FAILED)
    if attempts >= HARD_ATTEMPT_CAP:
        return _decide_exhausted(kind, mark_repeat=when_unknown is WhenUnknown.RESEND_MARKED)
    return Decision(
        fate=Fate.RETRY_UNKNOWN,
        mark_repeat=when_unknown is WhenUnknown.RESEND_MARKED,
        wait=_ladder_wait(attempts, jitter=jitter, ladder=RETRY_LADDER),
    )


def _decide_retry(
    kind: IntentKind, *, attempts: int, jitter: float, ladder: tuple[timedelta, ...]
) -> Decision:
    if attempts >= HARD_ATTEMPT_CAP:
        return _decide_exhausted(kind)
    return Decision(fate=Fate.RETRY, wait=_ladder_wait(attempts, jitter=jitter, ladder=ladder))


def _decide_exhausted(kind: IntentKind, *, mark_repeat: bool = False) -> Decision:
    dead = POLICIES[kind].after_attempts is AfterAttempts.DEAD
    return Decision(fate=Fate.DEAD if dead else Fate.FAILED, mark_repeat=mark_repeat)


def _ladder_wait(attempts: int, *, jitter: float, ladder: tuple[timedelta, ...]) -> timedelta:
    step = ladder[min(attempts, len(ladder)) - 1]
    return step * (1 + JITTER_SHARE * jitter)
