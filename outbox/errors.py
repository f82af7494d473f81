"""Errors of the outbox plane. The docstring is the message."""


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
