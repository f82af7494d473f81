"""What every HTTP answer of the site has in common: a request id, the error shape, the security headers."""

import secrets
import time
from collections.abc import Callable
from typing import Final

import structlog
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse

from nekonymous_site.duration_buckets import duration_bucket
from nekonymous_site.http_errors import Refusal, in_error_shape

GetResponse = Callable[[HttpRequest], HttpResponse]

REQUEST_ID_BYTES: Final = 8
# A page may bring a policy of its own, opened to the own origin, and a short cache.
SECURITY_HEADERS: Final = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}

log = structlog.get_logger("http")


def finish_every_answer(get_response: GetResponse) -> GetResponse:
    """The outermost middleware: whatever happens inside, its answer leaves in this site's form."""

    def answer(request: HttpRequest) -> HttpResponse:
        # Never taken from the client: an id somebody chose would carry their mark into our log.
        request_id = secrets.token_hex(REQUEST_ID_BYTES)
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            started = time.monotonic()
            response = _answer_allowed_host(request, get_response=get_response)
            if response.status_code >= 400:
                response = in_error_shape(response, request_id=request_id)
                _log_refusal(response, seconds=time.monotonic() - started)
        return _with_headers(response, request_id=request_id)

    return answer


def _answer_allowed_host(request: HttpRequest, *, get_response: GetResponse) -> HttpResponse:
    try:
        request.get_host()
    except DisallowedHost:
        return Refusal("invalid_request")
    return get_response(request)


def _log_refusal(response: HttpResponse, *, seconds: float) -> None:
    """One line without the path, which a client chooses."""
    write = log.warning if response.status_code >= 500 else log.info
    write("request_refused", status=response.status_code, duration_bucket=duration_bucket(seconds))


def _with_headers(response: HttpResponse, *, request_id: str) -> HttpResponse:
    response["X-Request-Id"] = request_id
    if not response.streaming:
        response["Content-Length"] = str(len(response.content))
    for name, value in SECURITY_HEADERS.items():
        response.headers.setdefault(name, value)
    return response
