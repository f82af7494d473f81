"""When the webhook is asked again after a failure, and which calls it may answer with."""

import json
from urllib.parse import parse_qsl

from nekonymous_site.sandbox.json_types import JsonObject

MAX_RETRY_AFTER_SECONDS = 3600.0
_LONGEST_DOUBLING = 12
_METHODS_NOT_RUN = frozenset({"setwebhook", "deletewebhook", "close", "logout"})


def find_delay_seconds(failures: int, *, asked_for: float | None, cap_seconds: float) -> float:
    """At once after the first failure, then 2 s doubling up to the cap; or what the webhook asked for."""
    if asked_for is not None:
        return asked_for
    if failures == 1:
        return 0.0
    return min(2.0 ** min(failures - 1, _LONGEST_DOUBLING), cap_seconds)


def read_retry_after(value: str) -> float | None:
    """The seconds of a Retry-After header, an hour at most; None for none, 0 or a date."""
    if not value.isdecimal() or not value.isascii():
        return None
    seconds = min(float(value), MAX_RETRY_AFTER_SECONDS)
    return seconds if seconds > 0 else None


def read_answered_call(body: bytes, *, content_type: str) -> JsonObject | None:
    """The Bot API call in an acknowledgement's body; None without one, and for those that are never run."""
    answer = _parse(body, content_type=content_type)
    method = str(answer.get("method", "")).lower()
    if not method or method in _METHODS_NOT_RUN or method.startswith("get"):
        return None
    return answer


def _parse(body: bytes, *, content_type: str) -> JsonObject:
    try:
        if content_type == "application/x-www-form-urlencoded":
            return dict(parse_qsl(body.decode(), keep_blank_values=True))
        answer = json.loads(body) if content_type == "application/json" else {}
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}
