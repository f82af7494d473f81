"""The one door to the Bot API.

Parameters travel in the body of a POST, answers are read raw, and whatever goes wrong becomes one of the
closed failure kinds; the text of the library's exceptions holds token, chat and message and is dropped here.
"""

import ssl
import threading
import time
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import requests
from django.conf import settings
from telebot import apihelper
from urllib3.exceptions import NewConnectionError, ProxyError

from outbox.send_result import Failed, FailureKind, PayloadRefusal, SendResult, Sent

CONNECT_TIMEOUT_SECONDS: Final = 5
READ_TIMEOUT_SECONDS: Final = 15
REQUEST_TIMEOUT_SECONDS: Final = CONNECT_TIMEOUT_SECONDS + READ_TIMEOUT_SECONDS
LONGEST_RETRY_AFTER_SECONDS: Final = 86_400

_NOT_FOUND: Final = (
    "chat not found",
    "message to edit not found",
    "peer_id_invalid",
)
# In anything but the Bot API's own JSON these come from a proxy before it, which had passed the call on or
# lost the answer: most likely nothing was done, but it may have been (docs/decisions/0022-proxy-errors.md).
_SAID_BY_PROXIES: Final = (502, 504)
_READER_FORBIDS: Final = ("voice_messages_forbidden", "video_messages_forbidden")
# A closed list, and nothing in it that somebody who sends a message could bring about. Not among them is
# "wrong file_id or the file is temporarily unavailable".
_FILE_GONE: Final = (
    "wrong file identifier",
    "wrong remote file identifier",
    "file_id_invalid",
    "file reference expired",
    "file_reference_expired",
)
_PERMISSION: Final = ("user is deactivated", "bot was blocked", "bot can't initiate conversation")


@dataclass(frozen=True, slots=True, kw_only=True)
class BotApiCall:
    """One method with its parameters, JSON values as they are."""

    method: str
    parameters: dict[str, Any] = field(repr=False)


class BotApiFailure(Exception):
    """The Bot API did not do what it was asked to do."""

    def __init__(
        self,
        kind: FailureKind,
        *,
        retry_after_seconds: int | None = None,
        never_left: bool = False,
        probably_undone: bool = False,
        payload_refusal: PayloadRefusal | None = None,
    ) -> None:
        super().__init__(kind.value)
        self.kind = kind
        self.never_left = never_left
        self.probably_undone = probably_undone
        self.payload_refusal = payload_refusal
        self.retry_after_seconds = retry_after_seconds


def send(call: BotApiCall) -> SendResult:
    """Make one call whose outcome must be recorded. Never raises for anything the Bot API or network does."""
    try:
        result = request(call)
    except BotApiFailure as failure:
        return Failed(
            kind=failure.kind,
            retry_after_seconds=failure.retry_after_seconds,
            never_left=failure.never_left,
            probably_undone=failure.probably_undone,
            payload_refusal=failure.payload_refusal,
        )
    return Sent(message_id=result.get("message_id") if isinstance(result, dict) else None)


def request(call: BotApiCall, *, timeout_seconds: float | None = None) -> Any:  # noqa: ANN401 - JSON
    """Make one call and give its raw result, None where the answer was `ok` without one.

    Raises BotApiFailure, and nothing of the library's or of the HTTP client's.
    """
    _configure_library()
    parameters = dict(call.parameters)
    if timeout_seconds is not None:
        parameters["timeout"] = timeout_seconds  # the library takes this one out and uses it as its own
    try:
        # The library's typed functions would rebuild entities and keyboards; this is its one raw door.
        return apihelper._make_request(  # noqa: SLF001
            settings.NEKO.bot_token, call.method, params=parameters, method="post"
        )
    except (apihelper.ApiException, requests.RequestException, KeyError, TypeError, ValueError) as error:
        if _is_success_without_result(error):
            return None
        failure = classify(error)
    # Raised out here so that not even the context keeps the original, whose text holds token and message.
    raise failure


def probe_bot_api(*, timeout_seconds: float) -> bool:
    """Ask whether the Bot API answers `getMe` to this token."""
    try:
        request(BotApiCall(method="getMe", parameters={}), timeout_seconds=timeout_seconds)
    except BotApiFailure:
        return False
    return True


def classify(error: Exception) -> BotApiFailure:
    """Map every way a call can fail to one closed kind. The one place that knows the Bot API's words."""
    match error:
        case apihelper.ApiTelegramException():
            return _classify_answer(error.error_code, error.description, error.result_json)
        case apihelper.ApiHTTPException():
            return _classify_status(error.result.status_code)
        case (
            requests.ConnectTimeout() | requests.exceptions.InvalidURL() | requests.exceptions.MissingSchema()
        ):
            return BotApiFailure(FailureKind.TRANSIENT, never_left=True)
        case requests.ConnectionError() if _never_left(error):
            return BotApiFailure(FailureKind.TRANSIENT, never_left=True)
        case _:
            # Read timeout, reset or broken TLS after the request left, unreadable 200: it may have been done.
            return BotApiFailure(FailureKind.UNKNOWN)


def _classify_answer(code: object, description: object, answer: dict[str, Any]) -> BotApiFailure:
    if code == 429:
        return BotApiFailure(FailureKind.RATE_LIMITED, retry_after_seconds=_read_retry_after(answer))
    if code == 504:
        return BotApiFailure(FailureKind.UNKNOWN, probably_undone=True)
    words = str(description).lower()
    kind = _kind_of_error(code, words)
    is_refused = kind is FailureKind.INVALID_PAYLOAD
    return BotApiFailure(kind, payload_refusal=_why_refused(words) if is_refused else None)


def _why_refused(words: str) -> PayloadRefusal:
    if any(phrase in words for phrase in _READER_FORBIDS):
        return PayloadRefusal.READER_FORBIDS
    if any(phrase in words for phrase in _FILE_GONE):
        return PayloadRefusal.FILE_GONE
    return PayloadRefusal.OTHER


def _read_retry_after(answer: dict[str, Any]) -> int | None:
    parameters = answer.get("parameters")
    seconds = parameters.get("retry_after") if isinstance(parameters, dict) else None
    if type(seconds) is not int or seconds <= 0:
        return None
    return min(seconds, LONGEST_RETRY_AFTER_SECONDS)


def _kind_of_error(code: object, words: str) -> FailureKind:
    match code:
        case 400:
            return _kind_of_bad_request(words)
        case 401 | 404:
            return FailureKind.AUTH
        case 403:
            return FailureKind.PERMISSION
        case 409:
            return FailureKind.CONFLICT
        case int():
            return FailureKind.TRANSIENT if code >= 500 else FailureKind.INVALID_PAYLOAD
        case _:
            return FailureKind.UNKNOWN  # whoever answers so is not the Bot API


def _kind_of_bad_request(words: str) -> FailureKind:
    if "message is not modified" in words:
        return FailureKind.CONFLICT
    if any(phrase in words for phrase in _NOT_FOUND):
        return FailureKind.NOT_FOUND
    if any(phrase in words for phrase in _PERMISSION):
        return FailureKind.PERMISSION
    return FailureKind.INVALID_PAYLOAD


def _classify_status(status: int) -> BotApiFailure:
    if status == 429:
        return BotApiFailure(FailureKind.RATE_LIMITED)
    if status in (413, 414):
        return BotApiFailure(FailureKind.INVALID_PAYLOAD, payload_refusal=PayloadRefusal.OTHER)
    if status in _SAID_BY_PROXIES:
        return BotApiFailure(FailureKind.UNKNOWN, probably_undone=True)
    return BotApiFailure(FailureKind.TRANSIENT)


def _never_left(error: requests.ConnectionError) -> bool:
    reason = getattr(error.args[0], "reason", None) if error.args else None
    if isinstance(error, requests.exceptions.SSLError):
        # A refused certificate ends the handshake; any other break may come after the request.
        cause = reason.args[0] if isinstance(reason, Exception) and reason.args else None
        return isinstance(cause, ssl.SSLCertVerificationError)
    return isinstance(reason, NewConnectionError | ProxyError)


def _is_success_without_result(error: Exception) -> bool:
    """`{"ok": true}` alone makes the library look up a result that is not there: the call was done."""
    return isinstance(error, KeyError) and error.args == ("result",)


IDLE_CONNECTION_SECONDS: Final = 60.0
_threads = threading.local()


def _post_body(
    _method: str, url: str, *, params: dict[str, Any] | None, timeout: tuple[float, float], **_unused: object
) -> requests.Response:
    """Send parameters as a JSON body: the library would put them, text included, into the address."""
    return _thread_connections().post(url, json=params or {}, timeout=timeout, allow_redirects=False)


def _thread_connections() -> requests.Session:
    """Give this thread's connections; new ones after a minute of idleness, since the far end drops them."""
    now = time.monotonic()
    if now - getattr(_threads, "used_at", 0.0) > IDLE_CONNECTION_SECONDS:
        forget_thread_connections()
    if not hasattr(_threads, "http"):
        _threads.http = requests.Session()
    _threads.used_at = now
    http: requests.Session = _threads.http
    return http


def forget_thread_connections() -> None:
    """Close this thread's connections, if it has any. May be repeated."""
    if hasattr(_threads, "http"):
        _threads.http.close()
        del _threads.http


def forget_connections() -> None:
    """Close this thread's connections and read the settings anew with the next call."""
    forget_thread_connections()
    _configure_library.cache_clear()


@cache
def _configure_library() -> None:
    apihelper.API_URL = f"{settings.NEKO.api_url}/bot{{0}}/{{1}}"
    apihelper.CUSTOM_REQUEST_SENDER = _post_body
    apihelper.CONNECT_TIMEOUT = CONNECT_TIMEOUT_SECONDS
    apihelper.READ_TIMEOUT = READ_TIMEOUT_SECONDS
