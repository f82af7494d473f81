"""What is checked about a webhook request before anybody looks into its body."""

import hmac
from typing import Final

from django.conf import settings
from django.http import HttpRequest

from nekonymous_site.http_errors import RETRY_AFTER_SECONDS, Refusal

MAX_UPDATE_BYTES: Final = 2 * 1024 * 1024
_HEADER: Final = "HTTP_X_TELEGRAM_BOT_API_SECRET_TOKEN"


def refuse_stranger(request: HttpRequest) -> Refusal | None:
    """Refuse whoever does not bring the webhook secret, before a byte of the body is read.

    Compared in constant time and as bytes, since a header may hold anything. A process without a secret takes
    no updates at all: an open webhook would let anyone speak as any person.
    """
    secret = settings.NEKO.webhook_secret
    if secret is None:
        return Refusal("unavailable", retry_after_seconds=RETRY_AFTER_SECONDS)
    given = request.META.get(_HEADER, "")
    is_known = hmac.compare_digest(given.encode(errors="replace"), secret.encode())
    return None if is_known else Refusal("unauthorized")


def read_bounded_body(request: HttpRequest) -> bytes | Refusal:
    """Read the raw body up to 2 MiB; refuse a longer one, whatever its Content-Length says or if it has none.

    Django's own reader is passed by: it takes a chunked body for an empty one, and its limit is another.
    """
    declared = _declared_length(request)
    if declared is not None and declared > MAX_UPDATE_BYTES:
        return Refusal("too_large")
    try:
        body = _read_until(request, limit=MAX_UPDATE_BYTES + 1)
    except OSError:
        return Refusal("invalid_request")
    if len(body) > MAX_UPDATE_BYTES:
        return Refusal("too_large")
    if declared is not None and len(body) < declared:
        return Refusal("invalid_request")
    return body


def _declared_length(request: HttpRequest) -> int | None:
    text = request.META.get("CONTENT_LENGTH") or ""
    return int(text) if text.isascii() and text.isdigit() else None


def _read_until(request: HttpRequest, *, limit: int) -> bytes:
    # Without a length only a stream that ends by itself may be read: elsewhere reading waits for ever.
    is_chunked = not request.META.get("CONTENT_LENGTH") and request.META.get("wsgi.input_terminated")
    stream = request.META["wsgi.input"] if is_chunked else request
    parts: list[bytes] = []
    missing = limit
    while missing > 0 and (part := stream.read(missing)):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)
