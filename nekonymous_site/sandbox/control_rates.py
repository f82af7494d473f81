"""Control API: whether the bot is held to Telegram's rates."""

from dataclasses import asdict, fields

from aiohttp import web

from nekonymous_site.sandbox.control_requests import ControlError, read_flag, read_json_object
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.send_rates import RateFigures
from nekonymous_site.sandbox.simulation import Simulation

_FIGURE_NAMES = tuple(figure.name for figure in fields(RateFigures))
_MOST = 1_000_000.0


class RateRoutes:
    """Lets tests hold the bot to rates of their choice."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def add_routes(self, application: web.Application) -> None:
        """Serve these routes of an application."""
        application.router.add_get("/sandbox/rates", self.show_rates)
        application.router.add_put("/sandbox/rates", self.set_rates)

    async def show_rates(self, _request: web.Request) -> web.Response:
        """The switch, the figures, and how many calls were refused."""
        return web.json_response(self._simulation.rates.as_json())

    async def set_rates(self, request: web.Request) -> web.Response:
        """Switch the rates; figures that are not named are the usual ones. Buckets and counts begin anew."""
        body = await read_json_object(request)
        if "enforced" not in body or body.keys() - {"enforced", *_FIGURE_NAMES}:
            raise ControlError(400, f"give enforced and any of: {', '.join(_FIGURE_NAMES)}")
        figures = RateFigures(**{name: _read_figure(body, name) for name in _FIGURE_NAMES})
        self._simulation.rates.switch(enforced=read_flag(body, "enforced"), figures=figures)
        self._simulation.changed.beat()
        return web.json_response(self._simulation.rates.as_json())


def _read_figure(body: JsonObject, name: str) -> float:
    value = body.get(name, asdict(RateFigures())[name])
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= _MOST:
        raise ControlError(400, f"{name} must be a number above 0 and up to {_MOST:g}")
    if name == "private_burst" and value < 1:
        raise ControlError(400, "private_burst must be 1 or more")
    return float(value)
