"""Errors of the safety plane. The docstring is the message."""


class SafetyError(Exception):
    """Something in the safety plane went wrong."""

    def __str__(self) -> str:
        return type(self).__doc__ or ""


class SuspensionOutOfRange(SafetyError):
    """A suspension lasts between 1 and 8784 hours (366 days); what is to last longer is a ban."""
