"""What a call that meets a fault gets instead of its answer."""

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import TypeAlias

from aiohttp import web

from nekonymous_site.sandbox.bot_api_errors import (
    BotApiError,
    bad_request,
    bot_was_blocked,
    chat_not_found,
    too_many_requests,
    unauthorized,
    wrong_file_id,
)
from nekonymous_site.sandbox.call_log import RecordedCall
from nekonymous_site.sandbox.faults import FaultKind, FaultRule
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.reply import Reply

RunCall: TypeAlias = Callable[[], Awaitable[Reply]]

_HTML = (
    "<html>\r\n<head><title>{title}</title></head>\r\n"
    "<body>\r\n<center><h1>{title}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
)
# Closing with this option set sends a reset instead of an orderly end.
_LINGER_ZERO = struct.pack("ii", 1, 0)


async def answer_with_fault(
    fault: FaultRule, *, request: web.Request, recorded: RecordedCall, run: RunCall
) -> web.StreamResponse:
    """Let the call fail in the way the rule says; ``run`` is called for the kinds that process it."""
    refused = _refuse(fault)
    if refused is not None:
        recorded.status = refused.error_code
        recorded.description = refused.description
        return web.json_response(refused.as_json(), status=refused.error_code)
    if fault.kind is FaultKind.SERVER_ERROR_HTML:
        status = HTTPStatus(fault.status or HTTPStatus.BAD_GATEWAY)
        recorded.status = status
        return _html(f"{status} {status.phrase}", status=status)
    if fault.kind is FaultKind.ERROR_WITHOUT_DETAILS:
        recorded.status = HTTPStatus.BAD_REQUEST
        return web.json_response({"ok": False}, status=HTTPStatus.BAD_REQUEST)
    if fault.kind in {FaultKind.HANG_THEN_DELIVERED, FaultKind.HANG_THEN_NOT_DELIVERED}:
        await asyncio.sleep(fault.hang_seconds)
    if fault.kind in {FaultKind.RESET_BEFORE, FaultKind.HANG_THEN_NOT_DELIVERED}:
        return _reset_connection(request)
    return _spoil(fault, request=request, reply=await run())


def _refuse(fault: FaultRule) -> BotApiError | None:
    """The refusal of a kind that is one; the call is not processed then."""
    seconds = fault.retry_after_seconds
    refusals = {
        FaultKind.RATE_LIMITED: too_many_requests(seconds),
        FaultKind.RATE_LIMITED_WITHOUT_PARAMETERS: BotApiError(
            429, f"Too Many Requests: retry after {seconds}"
        ),
        FaultKind.SERVER_ERROR_JSON: _server_error(fault.status or HTTPStatus.INTERNAL_SERVER_ERROR),
        FaultKind.UNAUTHORIZED: unauthorized(),
        FaultKind.FORBIDDEN: bot_was_blocked(),
        FaultKind.CHAT_NOT_FOUND: chat_not_found(),
        FaultKind.FILE_GONE: wrong_file_id(),
        FaultKind.CONTENT_REFUSED: bad_request("MEDIA_EMPTY"),
    }
    return refusals.get(fault.kind)


def _server_error(status: int) -> BotApiError:
    return BotApiError(status, HTTPStatus(status).phrase)


def _spoil(fault: FaultRule, *, request: web.Request, reply: Reply) -> web.StreamResponse:
    """The answer to a call that has been processed."""
    if fault.kind is FaultKind.RESET_AFTER:
        return _reset_connection(request)
    if fault.kind is FaultKind.OK_HTML:
        return _html("Welcome", status=200)
    if fault.kind is FaultKind.JSON_LIST:
        return web.json_response([reply.body], status=reply.status)
    body = reply.body
    if fault.kind is FaultKind.OK_WITHOUT_RESULT:
        body = {name: value for name, value in body.items() if name != "result"}
    elif fault.kind is FaultKind.UNKNOWN_UNION_IN_ANSWER:
        body = _with_unknown_union(body)
    return web.json_response(body, status=reply.status)


def _with_unknown_union(body: JsonObject) -> JsonObject:
    """Add what a later Bot API might: a member of a union that no client of today knows."""
    result = body.get("result")
    if isinstance(result, dict):
        return {**body, "result": _as_from_unknown_origin(result)}
    if isinstance(result, list):
        messages = [_as_from_unknown_origin(item) if "message_id" in item else item for item in result]
        return {**body, "result": messages}
    return body


def _as_from_unknown_origin(message: JsonObject) -> JsonObject:
    origin = {"type": "origin_of_a_later_version", "date": message.get("date", 0)}
    return {**message, "forward_origin": origin}


def _html(title: str, *, status: int) -> web.Response:
    return web.Response(text=_HTML.format(title=title), status=status, content_type="text/html")


def _reset_connection(request: web.Request) -> web.Response:
    """Reset the connection at once; the response returned is never seen by anybody."""
    transport = request.transport
    if transport is not None:
        raw_socket = transport.get_extra_info("socket")
        if raw_socket is not None:
            raw_socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_ZERO)
        transport.abort()
    return web.Response()
