"""The one shape every refusal over HTTP has, and the closed list of its codes."""

from http import HTTPStatus
from typing import Final, Literal

from django.http import HttpRequest, HttpResponse, JsonResponse

ErrorCode = Literal[
    "invalid_request",
    "unauthorized",
    "not_found",
    "method_not_allowed",
    "conflict",
    "too_large",
    "invalid_configuration",
    "rate_limited",
    "internal",
    "unavailable",
    "disabled",
]

RETRY_AFTER_SECONDS: Final = 30

_STATUS_OF_CODE: Final[dict[ErrorCode, HTTPStatus]] = {
    "invalid_request": HTTPStatus.BAD_REQUEST,
    "unauthorized": HTTPStatus.UNAUTHORIZED,
    "not_found": HTTPStatus.NOT_FOUND,
    "method_not_allowed": HTTPStatus.METHOD_NOT_ALLOWED,
    "conflict": HTTPStatus.CONFLICT,
    "too_large": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "invalid_configuration": HTTPStatus.UNPROCESSABLE_ENTITY,
    "rate_limited": HTTPStatus.TOO_MANY_REQUESTS,
    "internal": HTTPStatus.INTERNAL_SERVER_ERROR,
    "unavailable": HTTPStatus.SERVICE_UNAVAILABLE,
    "disabled": HTTPStatus.SERVICE_UNAVAILABLE,
}
# "disabled" shares its status with "unavailable" and is only ever chosen by name.
_CODE_OF_STATUS: Final = {int(status): code for code, status in reversed(_STATUS_OF_CODE.items())}


class Refusal(HttpResponse):
    """A refusal still without its request id; the middleware writes the body."""

    def __init__(self, code: ErrorCode, *, retry_after_seconds: int | None = None) -> None:
        """Take the status from the code; a wait is told in Retry-After."""
        super().__init__(status=_STATUS_OF_CODE[code])
        self.error_code: ErrorCode = code
        if retry_after_seconds is not None:
            self["Retry-After"] = str(retry_after_seconds)


def in_error_shape(response: HttpResponse, *, request_id: str) -> HttpResponse:
    """Return the refusal that stands for any error answer, Django's included; keeps Allow and Retry-After.

    Whatever body the answer had is dropped, since it may quote the request or an exception.
    """
    code = response.error_code if isinstance(response, Refusal) else _code_of(response.status_code)
    shaped = JsonResponse({"error": code, "request_id": request_id}, status=_STATUS_OF_CODE[code])
    for name in ("Allow", "Retry-After"):
        if response.has_header(name):
            shaped[name] = response[name]
    return shaped


def _code_of(status: int) -> ErrorCode:
    return _CODE_OF_STATUS.get(
        status, "internal" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request"
    )


def refuse_bad_request(_request: HttpRequest, exception: Exception) -> Refusal:  # noqa: ARG001 - Django passes it by name
    """Django's handler400 and handler403."""
    return Refusal("invalid_request")


def refuse_unknown_path(_request: HttpRequest, exception: Exception) -> Refusal:  # noqa: ARG001 - Django passes it by name
    """Django's handler404."""
    return Refusal("not_found")


def refuse_after_failure(_request: HttpRequest) -> Refusal:
    """Django's handler500; the failure itself was logged by then, as class and code location."""
    return Refusal("internal")
