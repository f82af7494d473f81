"""The closed result of a send: sent, suppressed or failed, and the closed kinds of failure."""

from dataclasses import dataclass, field
from enum import StrEnum


class FailureKind(StrEnum):
    TRANSIENT = "transient"
    RATE_LIMITED = "rate_limited"
    AUTH = "auth"
    PERMISSION = "permission"
    NOT_FOUND = "not_found"
    INVALID_PAYLOAD = "invalid_payload"
    CONFLICT = "conflict"
    UNKNOWN = "unknown"


class PayloadRefusal(StrEnum):
    """Why what was to be shown is refused (`INVALID_PAYLOAD`)."""

    READER_FORBIDS = "reader_forbids"  # voice and round video, until they allow them
    FILE_GONE = "file_gone"  # no file stands behind the id any more: this can never be shown
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """Telegram has accepted the call; the receipt is None where a call makes no message."""

    message_id: int | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressed:
    """The send was called off before anything left: withdrawn, expired, nothing to tell any more."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The call did not do its work, or nobody can know (`UNKNOWN`)."""

    kind: FailureKind
    # A key or our database is away, or our own record is spoilt: not the Bot API's fault.
    is_ours: bool = False
    # The Bot API could not even be reached: no chat's fault.
    never_left: bool = False
    # Of an unknown one: somebody on the way says that it failed, so most likely nothing was done.
    probably_undone: bool = False
    retry_after_seconds: int | None = None
    payload_refusal: PayloadRefusal | None = None


SendResult = Sent | Suppressed | Failed
