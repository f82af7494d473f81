"""Control API: what shall go wrong."""

from dataclasses import fields

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
from nekonymous_site.sandbox.faults import DELIVERY_KINDS, FaultKind, FaultRule
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.methods.registry import find_known_method_name
from nekonymous_site.sandbox.simulation import Simulation

_MAX_HANG_SECONDS = 600.0
_MAX_LATE_SECONDS = 3600.0
_MAX_COUNT = 1_000_000
_STATUSES = frozenset({500, 502, 503, 504})
_OPTIONS = frozenset(one.name for one in fields(FaultRule) if one.init)


class FaultRoutes:
    """Lets tests disturb what goes between bot and stand-in."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def add_routes(self, application: web.Application) -> None:
        """Serve these routes of an application."""
        application.router.add_get("/sandbox/faults", self.list_faults)
        application.router.add_post("/sandbox/faults", self.add_fault)
        application.router.add_delete("/sandbox/faults", self.clear_faults)

    async def list_faults(self, _request: web.Request) -> web.Response:
        """The faults that still wait for a call or an update."""
        return web.json_response({"faults": self._simulation.faults.as_json()})

    async def add_fault(self, request: web.Request) -> web.Response:
        """Let the next calls or updates that match go wrong."""
        rule = _read_fault(await read_json_object(request))
        self._simulation.faults.add(rule)
        return web.json_response(rule.as_json(), status=201)

    async def clear_faults(self, _request: web.Request) -> web.Response:
        """Let everything work again; an update that is held back already still comes late."""
        self._simulation.faults.clear()
        return web.Response(status=204)


def _read_fault(body: JsonObject) -> FaultRule:
    if unknown := body.keys() - _OPTIONS:
        raise ControlError(400, f"there is no option {min(unknown)}")
    kind = _read_kind(body)
    return FaultRule(
        kind=kind,
        count=_read_count(body, "count", default=1, least=1),
        after=_read_count(body, "after", default=0, least=0),
        probability=_read_probability(body),
        seed=read_optional_integer(body, "seed"),
        method=_read_method(body, kind),
        update_kind=_read_update_kind(body, kind),
        chat_id=read_optional_integer(body, "chat_id"),
        status=_read_status(body, kind),
        retry_after_seconds=int(read_seconds(body, "retry_after_seconds", default=3, most=86_400)),
        hang_seconds=read_seconds(body, "hang_seconds", default=30, most=_MAX_HANG_SECONDS),
        late_seconds=read_seconds(body, "late_seconds", default=5, most=_MAX_LATE_SECONDS),
    )


def _read_kind(body: JsonObject) -> FaultKind:
    try:
        return FaultKind(read_text(body, "kind"))
    except ValueError:
        raise ControlError(400, f"kind must be one of: {', '.join(FaultKind)}") from None


def _read_count(body: JsonObject, name: str, *, default: int, least: int) -> int:
    count = default if body.get(name) is None else read_integer(body, name)
    if not least <= count <= _MAX_COUNT:
        raise ControlError(400, f"{name} must be {least} to {_MAX_COUNT}")
    return count


def _read_probability(body: JsonObject) -> float:
    value = body.get("probability", 1)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ControlError(400, "probability must be a number from 0 to 1")
    return float(value)


def _read_method(body: JsonObject, kind: FaultKind) -> str | None:
    method = read_optional_text(body, "method")
    if method is not None and kind in DELIVERY_KINDS:
        raise ControlError(400, f"{kind} meets updates, not calls; give update_kind")
    if method is not None and find_known_method_name(method) is None:
        raise ControlError(400, f"there is no method {method}")
    return method


def _read_update_kind(body: JsonObject, kind: FaultKind) -> str | None:
    update_kind = read_optional_text(body, "update_kind")
    if update_kind is not None and kind not in DELIVERY_KINDS:
        raise ControlError(400, f"{kind} meets calls, not updates; give method")
    return update_kind


def _read_status(body: JsonObject, kind: FaultKind) -> int | None:
    status = read_optional_integer(body, "status")
    if status is None:
        return None
    if kind not in {FaultKind.SERVER_ERROR_JSON, FaultKind.SERVER_ERROR_HTML} or status not in _STATUSES:
        raise ControlError(400, f"status is for server errors and one of: {sorted(_STATUSES)}")
    return status
