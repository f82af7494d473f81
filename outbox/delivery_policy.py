"""What becomes of an intent: pure rules, without tables, clock or network (docs/architecture.md).

Every kind of intent states whether it must arrive, what happens when nobody knows whether it did, and what
happens when its attempts are used up.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import IntEnum, StrEnum
from typing import Final

from outbox.send_result import Failed, FailureKind, SendResult, Sent, Suppressed

HARD_ATTEMPT_CAP: Final = 5
# Waits between the five attempts. A chat that is not found may come back: that ladder goes over hours.
RETRY_LADDER: Final = tuple(timedelta(seconds=seconds) for seconds in (2, 15, 120, 600))
NOT_FOUND_LADDER: Final = tuple(timedelta(seconds=seconds) for seconds in (120, 600, 3600, 3600))
JITTER_SHARE: Final = 0.2
AUTH_FAILURE_WAIT: Final = timedelta(seconds=60)
OUR_TROUBLE_WAIT: Final = timedelta(seconds=30)
DEFAULT_RETRY_AFTER_SECONDS: Final = 5


class LaneClass(IntEnum):
    """Two classes share a lane; order holds inside each, and `TALK` goes first."""

    TALK = 0  # answers to the person's own action
    POST = 1  # deliveries and notices


class IntentState(StrEnum):
    PENDING = "pending"
    SENDING = "sending"
    UNKNOWN_AFTER_SEND = "unknown_after_send"
    SENT = "sent"
    SUPPRESSED = "suppressed"
    FAILED = "failed"
    DEAD = "dead"


class IntentKind(StrEnum):
    ACKNOWLEDGEMENT = "acknowledgement"
    QUESTION = "question"
    SCREEN = "screen"
    PROMPT = "prompt"
    EDIT = "edit"
    PROGRESS = "progress"
    PROGRESS_EDIT = "progress_edit"
    NOTICE = "notice"
    TICKET = "ticket"
    OPERATOR_ALERT = "operator_alert"


class WhenUnknown(StrEnum):
    """Telegram cannot be asked whether a send arrived, so the kind decides."""

    RESEND = "resend"
    RESEND_MARKED = "resend_marked"
    DROP = "drop"


class AfterAttempts(StrEnum):
    DEAD = "dead"  # it is kept sealed, for an operator
    DROP = "drop"
    SOURCE_STAYS = "source_stays"  # it goes, and what it tells of is still there to be asked for
    GIVE_BACK = "give_back"  # the workflow that owns the kind lets its source wait again


class Durability(StrEnum):
    """Whether what an intent says must reach its person."""

    REQUIRED = "required"  # it is kept, or its source waits again, whatever happens
    BEST_EFFORT = "best_effort"  # it may be let go: the person can ask again


@dataclass(frozen=True, slots=True, kw_only=True)
class KindPolicy:
    """How a kind is sent. What is required may neither be dropped when unknown nor after its attempts."""

    lane_class: LaneClass
    durability: Durability
    padded_bytes: int
    when_unknown: WhenUnknown
    after_attempts: AfterAttempts
    edits: bool = False  # changes a message that is there: "not modified" is success, "not found" the end

    def __post_init__(self) -> None:
        """Raise ValueError for a policy that contradicts itself."""
        may_be_dropped = self.durability is Durability.BEST_EFFORT
        if may_be_dropped is not (self.after_attempts is AfterAttempts.DROP):
            raise ValueError("exactly what is sent by best effort is dropped after its attempts")
        if self.when_unknown is WhenUnknown.DROP and not may_be_dropped:
            raise ValueError("what is required cannot be dropped because nobody knows")


POLICIES: Final = {
    IntentKind.ACKNOWLEDGEMENT: KindPolicy(
        lane_class=LaneClass.TALK,
        durability=Durability.REQUIRED,
        padded_bytes=2048,
        when_unknown=WhenUnknown.RESEND,
        after_attempts=AfterAttempts.DEAD,
    ),
    IntentKind.QUESTION: KindPolicy(
        lane_class=LaneClass.TALK,
        durability=Durability.REQUIRED,
        padded_bytes=8192,
        when_unknown=WhenUnknown.RESEND,
        after_attempts=AfterAttempts.DEAD,
    ),
    IntentKind.SCREEN: KindPolicy(
        lane_class=LaneClass.TALK,
        durability=Durability.BEST_EFFORT,
        padded_bytes=8192,
        when_unknown=WhenUnknown.DROP,
        after_attempts=AfterAttempts.DROP,
    ),
    IntentKind.PROMPT: KindPolicy(
        lane_class=LaneClass.TALK,
        durability=Durability.BEST_EFFORT,
        padded_bytes=8192,
        when_unknown=WhenUnknown.DROP,
        after_attempts=AfterAttempts.DROP,
    ),
    IntentKind.EDIT: KindPolicy(
        lane_class=LaneClass.TALK,
        durability=Durability.BEST_EFFORT,
        padded_bytes=8192,
        when_unknown=WhenUnknown.RESEND,
        after_attempts=AfterAttempts.DROP,
        edits=True,
    ),
    IntentKind.PROGRESS: KindPolicy(
        lane_class=LaneClass.TALK,
        durability=Durability.BEST_EFFORT,
        padded_bytes=2048,
        when_unknown=WhenUnknown.DROP,
        after_attempts=AfterAttempts.DROP,
    ),
    IntentKind.PROGRESS_EDIT: KindPolicy(
        lane_class=LaneClass.TALK,
        durability=Durability.BEST_EFFORT,
        padded_bytes=512,
        when_unknown=WhenUnknown.RESEND,
        after_attempts=AfterAttempts.DROP,
        edits=True,
    ),
    IntentKind.NOTICE: KindPolicy(
        lane_class=LaneClass.POST,
        durability=Durability.REQUIRED,
        padded_bytes=512,
        when_unknown=WhenUnknown.RESEND,
        after_attempts=AfterAttempts.SOURCE_STAYS,
    ),
    IntentKind.TICKET: KindPolicy(
        lane_class=LaneClass.POST,
        durability=Durability.REQUIRED,
        padded_bytes=512,
        when_unknown=WhenUnknown.RESEND_MARKED,
        after_attempts=AfterAttempts.GIVE_BACK,
    ),
    IntentKind.OPERATOR_ALERT: KindPolicy(
        lane_class=LaneClass.TALK,
        durability=Durability.REQUIRED,
        padded_bytes=512,
        when_unknown=WhenUnknown.RESEND,
        after_attempts=AfterAttempts.DEAD,
    ),
}


class Fate(StrEnum):
    """What a result makes of an intent."""

    SENT = "sent"
    PART_SENT = "part_sent"
    SUPPRESSED = "suppressed"
    FAILED = "failed"
    DEAD = "dead"
    RETRY = "retry"
    RETRY_UNKNOWN = "retry_unknown"


# The message has that content already, or it is not there any more.
_ENDS_OF_AN_EDIT: Final = {FailureKind.CONFLICT: Fate.SENT, FailureKind.NOT_FOUND: Fate.FAILED}


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
        case Failed() if POLICIES[kind].edits and not result.is_ours and result.kind in _ENDS_OF_AN_EDIT:
            return Decision(fate=_ENDS_OF_AN_EDIT[result.kind])
        case Failed():
            return _decide_failed(kind, failed=result, attempts=attempts, jitter=jitter)


def reconcile_unknown_send(kind: IntentKind) -> WhenUnknown:
    """Say how to go on when a send may or may not have arrived. The Bot API has no way to ask."""
    return POLICIES[kind].when_unknown


def leaves_doubt(kind: IntentKind, *, failed: Failed) -> bool:
    """Whether nobody can know if it arrived. What would be dropped for that is not, where it hardly has."""
    hardly_arrived = failed.probably_undone and reconcile_unknown_send(kind) is WhenUnknown.DROP
    return failed.kind is FailureKind.UNKNOWN and not hardly_arrived


def _decide_failed(kind: IntentKind, *, failed: Failed, attempts: int, jitter: float) -> Decision:
    if failed.is_ours:
        return _decide_ours(kind, failed=failed, attempts=attempts, jitter=jitter)
    match failed.kind:
        case FailureKind.PERMISSION | FailureKind.INVALID_PAYLOAD:
            return Decision(fate=Fate.FAILED)
        case FailureKind.RATE_LIMITED | FailureKind.AUTH:
            return _decide_refused(failed)
        case FailureKind.UNKNOWN | FailureKind.CONFLICT:
            # A conflict is a success for an edit; of a message it says nothing.
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
    when_unknown = reconcile_unknown_send(kind)
    if when_unknown is WhenUnknown.DROP and failed.probably_undone:
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
        return _decide_exhausted(kind, mark_repeat=False)
    return Decision(fate=Fate.RETRY, wait=_ladder_wait(attempts, jitter=jitter, ladder=ladder))


def _decide_exhausted(kind: IntentKind, *, mark_repeat: bool) -> Decision:
    dead = POLICIES[kind].after_attempts is AfterAttempts.DEAD
    return Decision(fate=Fate.DEAD if dead else Fate.FAILED, mark_repeat=mark_repeat)


def _ladder_wait(attempts: int, *, jitter: float, ladder: tuple[timedelta, ...]) -> timedelta:
    step = ladder[min(attempts, len(ladder)) - 1]
    return step * (1 + JITTER_SHARE * jitter)
