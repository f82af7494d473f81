"""The kinds of intents and how each is sent: the table of docs/architecture.md.

Every kind states whether it must arrive, what happens when nobody knows whether it did, and what happens when
its attempts are used up.
"""

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final


class LaneClass(IntEnum):
    """Two classes share a lane; order holds inside each, and `TALK` goes first."""

    TALK = 0  # answers to the person's own action
    POST = 1  # deliveries and notices


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

    REQUIRED = "required"  # it is kept, or its source waits, unless its person cannot be reached
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
