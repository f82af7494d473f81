"""Errors of the outbox plane. The docstring is the message."""

from enum import StrEnum


class OutboxError(Exception):
    """Something in the outbox went wrong."""

    def __str__(self) -> str:
        return type(self).__doc__ or ""


class AnotherBotOwnsDatabase(OutboxError):
    """This database already serves another bot; give this bot a database of its own."""


class IntentUnreadable(OutboxError):
    """The sealed body of this intent is spoilt; it can only be kept until somebody finds out why."""


class StaleLease(OutboxError):
    """The lease on this lane has passed; whoever held it can change nothing any more."""


class WhyNotReplayed(StrEnum):
    GONE = "gone"  # another replay, a drop or the purge was faster
    UNREADABLE = "unreadable"
    KEY_MISSING = "key_missing"
    POSTPONED = "postponed"  # something else stood in the way, and it may work in a moment
    FAILED_AGAIN = "failed_again"


class NotReplayed(OutboxError):
    """What was set aside could not be taken up again; unless it is gone, it stays."""

    def __init__(self, why: WhyNotReplayed) -> None:
        super().__init__(why.value)
        self.why = why
