"""Whatever bot library and HTTP client can raise becomes one closed kind, and a new one is noticed."""

import inspect
import io
import ssl

import pytest
import requests
from requests import exceptions as http_errors
from telebot import apihelper
from urllib3.exceptions import MaxRetryError, NewConnectionError, ProxyError

from outbox.send_result import FailureKind
from outbox.telegram_client import classify

CANARY = "canary-4711"


def _answer(status: int, body: bytes = b"") -> requests.Response:
    response = requests.Response()
    response.status_code = status
    response.raw = io.BytesIO(body)
    return response


def _refused() -> requests.ConnectionError:
    reason = NewConnectionError(None, CANARY)  # type: ignore[arg-type]
    return requests.ConnectionError(MaxRetryError(None, CANARY, reason))  # type: ignore[arg-type]


def _bad_certificate() -> http_errors.SSLError:
    reason = ssl.SSLError(CANARY)
    reason.args = (ssl.SSLCertVerificationError(CANARY),)
    return http_errors.SSLError(MaxRetryError(None, CANARY, reason))  # type: ignore[arg-type]


FAMILIES: dict[type[Exception], tuple[Exception, FailureKind]] = {
    apihelper.ApiException: (apihelper.ApiException(CANARY, "sendMessage", None), FailureKind.UNKNOWN),
    apihelper.ApiHTTPException: (
        apihelper.ApiHTTPException("sendMessage", _answer(503)),
        FailureKind.TRANSIENT,
    ),
    apihelper.ApiInvalidJSONException: (
        apihelper.ApiInvalidJSONException("sendMessage", _answer(200, CANARY.encode())),
        FailureKind.UNKNOWN,
    ),
    apihelper.ApiTelegramException: (
        apihelper.ApiTelegramException(
            "sendMessage", _answer(403), {"error_code": 403, "description": f"Forbidden: {CANARY}"}
        ),
        FailureKind.PERMISSION,
    ),
    requests.RequestException: (requests.RequestException(CANARY), FailureKind.UNKNOWN),
    requests.ConnectionError: (requests.ConnectionError(CANARY), FailureKind.UNKNOWN),
    requests.HTTPError: (requests.HTTPError(CANARY), FailureKind.UNKNOWN),
    requests.Timeout: (requests.Timeout(CANARY), FailureKind.UNKNOWN),
    requests.ConnectTimeout: (requests.ConnectTimeout(CANARY), FailureKind.TRANSIENT),
    requests.ReadTimeout: (requests.ReadTimeout(CANARY), FailureKind.UNKNOWN),
    requests.URLRequired: (requests.URLRequired(CANARY), FailureKind.UNKNOWN),
    requests.TooManyRedirects: (requests.TooManyRedirects(CANARY), FailureKind.UNKNOWN),
    requests.JSONDecodeError: (requests.JSONDecodeError(CANARY, "", 0), FailureKind.UNKNOWN),
    http_errors.InvalidJSONError: (http_errors.InvalidJSONError(CANARY), FailureKind.UNKNOWN),
    http_errors.SSLError: (http_errors.SSLError(CANARY), FailureKind.UNKNOWN),
    http_errors.ProxyError: (
        http_errors.ProxyError(MaxRetryError(None, CANARY, ProxyError(CANARY, OSError()))),  # type: ignore[arg-type]
        FailureKind.TRANSIENT,
    ),
    http_errors.MissingSchema: (http_errors.MissingSchema(CANARY), FailureKind.TRANSIENT),
    http_errors.InvalidSchema: (http_errors.InvalidSchema(CANARY), FailureKind.UNKNOWN),
    http_errors.InvalidURL: (http_errors.InvalidURL(CANARY), FailureKind.TRANSIENT),
    http_errors.InvalidProxyURL: (http_errors.InvalidProxyURL(CANARY), FailureKind.TRANSIENT),
    http_errors.InvalidHeader: (http_errors.InvalidHeader(CANARY), FailureKind.UNKNOWN),
    http_errors.ChunkedEncodingError: (http_errors.ChunkedEncodingError(CANARY), FailureKind.UNKNOWN),
    http_errors.ContentDecodingError: (http_errors.ContentDecodingError(CANARY), FailureKind.UNKNOWN),
    http_errors.StreamConsumedError: (http_errors.StreamConsumedError(CANARY), FailureKind.UNKNOWN),
    http_errors.RetryError: (http_errors.RetryError(CANARY), FailureKind.UNKNOWN),
    http_errors.UnrewindableBodyError: (http_errors.UnrewindableBodyError(CANARY), FailureKind.UNKNOWN),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_becomes_one_kind_without_its_text(family: type[Exception]) -> None:
    error, kind = FAMILIES[family]
    failure = classify(error)
    assert failure.kind is kind
    assert CANARY not in f"{failure!r}{failure}"


@pytest.mark.parametrize("error", [_refused(), _bad_certificate()])
def test_what_a_connection_error_hides_tells_that_nothing_left(error: Exception) -> None:
    failure = classify(error)
    assert (failure.kind, failure.never_left) == (FailureKind.TRANSIENT, True)


def test_no_family_is_missing() -> None:
    raised = {
        error
        for module in (apihelper, http_errors)
        for _, error in inspect.getmembers(module, inspect.isclass)
        if issubclass(error, Exception)
        and not issubclass(error, Warning)
        and error.__module__.startswith(("telebot", "requests"))
    }
    assert raised == set(FAMILIES)
