"""Control API: what the bot called, and updates made by hand."""

from aiohttp import web

from nekonymous_site.sandbox.control_requests import read_integer, read_json_object
from nekonymous_site.sandbox.simulation import Simulation


class TrafficRoutes:
    """Lets tests watch what the bot calls, and deliver what they like."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def add_routes(self, application: web.Application) -> None:
        """Serve these routes of an application."""
        router = application.router
        router.add_get("/sandbox/requests", self.list_calls)
        router.add_delete("/sandbox/requests", self.forget_calls)
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
