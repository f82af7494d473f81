"""Requests to the control API: reading them, refusing them, and who may make them."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from urllib.parse import urlsplit

from aiohttp import web

from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.people_actions import ActionDone
from nekonymous_site.sandbox.people_content import ActionRefused
from nekonymous_site.sandbox.update_queue import UpdateQueueFull, UpdateUnknown
from nekonymous_site.sandbox.webhook import is_loopback_host


class ControlError(Exception):
    """The control API refuses a request with this status; the message says why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


async def read_json_object(request: web.Request) -> JsonObject:
    """Read a JSON object from the body, whatever content type it was sent with. Raises ControlError."""
    try:
        parsed = json.loads(await request.text() or "{}")
    except (ValueError, RecursionError):
        raise ControlError(400, "the body is no JSON") from None
    if not isinstance(parsed, dict):
        raise ControlError(400, "the body must be a JSON object")
    return parsed


def read_text(body: JsonObject, name: str) -> str:
    """Read a non-empty text that must be there. Raises ControlError."""
    value = body.get(name)
    if not isinstance(value, str) or not value:
        raise ControlError(400, f"{name} must be a non-empty text")
    return value


def read_optional_text(body: JsonObject, name: str) -> str | None:
    """Read a text that may be absent. Raises ControlError."""
    return None if body.get(name) is None else read_text(body, name)


def read_integer(body: JsonObject, name: str) -> int:
    """Read a whole number that must be there. Raises ControlError."""
    value = body.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ControlError(400, f"{name} must be a whole number")
    return value


def read_optional_integer(body: JsonObject, name: str) -> int | None:
    """Read a whole number that may be absent. Raises ControlError."""
    return None if body.get(name) is None else read_integer(body, name)


def read_seconds(body: JsonObject, name: str, *, default: float, most: float) -> float:
    """Read a time in seconds between nothing and the most allowed. Raises ControlError."""
    value = body.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise ControlError(400, f"{name} must be a number of seconds up to {most:g}")
    return float(value)


def read_flag(body: JsonObject, name: str) -> bool:
    """Read a yes or no; absent means no. Raises ControlError."""
    value = body.get(name, False)
    if not isinstance(value, bool):
        raise ControlError(400, f"{name} must be true or false")
    return value


def answer_action(done: ActionDone) -> web.Response:
    """Answer what an action made."""
    return web.json_response(asdict(done), status=201)


@web.middleware
async def guard_control_api(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Turn refusals into ``{"error": …}``; let no other site's page act here through somebody's browser."""
    if not _comes_from_this_machine(request):
        return web.json_response({"error": "this host or origin is not served"}, status=403)
    try:
        return await handler(request)
    except ControlError as error:
        return web.json_response({"error": str(error)}, status=error.status)
    except ActionRefused as error:
        return web.json_response({"error": str(error)}, status=409)
    except UpdateUnknown:
        return web.json_response({"error": "no update with this id was made lately"}, status=404)
    except UpdateQueueFull:
        return web.json_response({"error": "the bot takes no updates and too many wait already"}, status=503)


def _comes_from_this_machine(request: web.Request) -> bool:
    origin = request.headers.get("Origin")
    hosts = [f"//{request.host}", *([origin] if origin is not None else [])]
    return all(is_loopback_host(urlsplit(host).hostname or "") for host in hosts)
