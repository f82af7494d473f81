"""Control API: what the bot called, what shall go wrong, and updates made by hand."""

from aiohttp import web

from nekonymous_site.sandbox.control_requests import (
    ControlError,
    read_integer,
    read_json_object,
    read_optional_integer,
    read_optional_text,
    read_seconds,
    read_text,
)
from nekonymous_site.sandbox.faults import FaultKind, FaultRule
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.methods.registry import find_known_method_name
from nekonymous_site.sandbox.simulation import Simulation

_MAX_HANG_SECONDS = 600.0
_MAX_FAULT_COUNT = 1_000_000


class TrafficRoutes:
    """Lets tests watch and disturb what goes between bot and stand-in."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def add_routes(self, application: web.Application) -> None:
        """Serve these routes of an application."""
        router = application.router
        router.add_get("/sandbox/requests", self.list_calls)
        router.add_delete("/sandbox/requests", self.forget_calls)
        router.add_get("/sandbox/faults", self.list_faults)
        router.add_post("/sandbox/faults", self.add_fault)
        router.add_delete("/sandbox/faults", self.clear_faults)
        router.add_post("/sandbox/updates", self.add_update)

    async def list_calls(self, request: web.Request) -> web.Response:
        """The bot's latest calls, or those of one method."""
        return web.json_response(
            {"requests": self._simulation.calls.as_json(method=request.query.get("method"))}
        )

    async def forget_calls(self, _request: web.Request) -> web.Response:
        """Forget the calls recorded so far."""
        self._simulation.calls.clear()
        return web.Response(status=204)

    async def list_faults(self, _request: web.Request) -> web.Response:
        """The faults that still wait for a call."""
        return web.json_response({"faults": self._simulation.faults.as_json()})

    async def add_fault(self, request: web.Request) -> web.Response:
        """Let the next calls that match fail."""
        rule = _read_fault(await read_json_object(request))
        self._simulation.faults.add(rule)
        return web.json_response(rule.as_json(), status=201)

    async def clear_faults(self, _request: web.Request) -> web.Response:
        """Let everything work again."""
        self._simulation.faults.clear()
        return web.Response(status=204)

    async def add_update(self, request: web.Request) -> web.Response:
        """Deliver a body as it is, or an earlier update once more."""
        raw = (await request.read()).decode(errors="surrogateescape")
        repeated = await _read_repeated_id(request, raw)
        if repeated is None:
            return web.json_response({"update_id": self._simulation.updates.add_raw(raw)}, status=201)
        self._simulation.updates.repeat(repeated)
        return web.json_response({"update_id": repeated}, status=201)


async def _read_repeated_id(request: web.Request, raw: str) -> int | None:
    """The id to repeat, if the body is ``{"repeat_update_id": …}`` and nothing else."""
    if "repeat_update_id" not in raw:
        return None
    body = await read_json_object(request)
    return read_integer(body, "repeat_update_id") if body.keys() == {"repeat_update_id"} else None


def _read_fault(body: JsonObject) -> FaultRule:
    method = read_optional_text(body, "method")
    if method is not None and find_known_method_name(method) is None:
        raise ControlError(400, f"there is no method {method}")
    return FaultRule(
        kind=_read_kind(body),
        count=_read_count(body),
        method=method,
        chat_id=read_optional_integer(body, "chat_id"),
        retry_after_seconds=int(read_seconds(body, "retry_after_seconds", default=3, most=86_400)),
        hang_seconds=read_seconds(body, "hang_seconds", default=30, most=_MAX_HANG_SECONDS),
    )


def _read_kind(body: JsonObject) -> FaultKind:
    try:
        return FaultKind(read_text(body, "kind"))
    except ValueError:
        raise ControlError(400, f"kind must be one of: {', '.join(FaultKind)}") from None


def _read_count(body: JsonObject) -> int:
    count = 1 if body.get("count") is None else read_integer(body, "count")
    if not 1 <= count <= _MAX_FAULT_COUNT:
        raise ControlError(400, f"count must be 1 to {_MAX_FAULT_COUNT}")
    return count
