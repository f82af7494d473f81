"""The control API and the page put together. ``GET /guide`` tells how to use them from a terminal."""

from pathlib import Path

from aiohttp import web

from nekonymous_site.sandbox.control_changes import ChangeRoutes
from nekonymous_site.sandbox.control_faults import FaultRoutes
from nekonymous_site.sandbox.control_people import PeopleRoutes
from nekonymous_site.sandbox.control_rates import RateRoutes
from nekonymous_site.sandbox.control_traffic import TrafficRoutes
from nekonymous_site.sandbox.event_stream import EventStreams
from nekonymous_site.sandbox.page_data import PageData
from nekonymous_site.sandbox.page_files import PageFiles
from nekonymous_site.sandbox.simulation import Simulation

_GUIDE = Path(__file__).with_name("guide.txt")


class ControlApi:
    """Serves everything that is not the Bot API."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def add_routes(self, application: web.Application) -> None:
        """Serve the control API and the page of an application."""
        application.router.add_get("/guide", self.show_guide)
        application.router.add_get("/sandbox/status", self.show_status)
        PeopleRoutes(self._simulation).add_routes(application)
        ChangeRoutes(self._simulation).add_routes(application)
        RateRoutes(self._simulation).add_routes(application)
        FaultRoutes(self._simulation).add_routes(application)
        TrafficRoutes(self._simulation).add_routes(application)
        EventStreams(self._simulation).add_routes(application)
        PageData(self._simulation).add_routes(application)
        PageFiles().add_routes(application)

    async def show_guide(self, request: web.Request) -> web.Response:
        """Explain, with commands that can be pasted."""
        base_url = f"http://{request.host}"
        bot = self._simulation.bot
        guide = _GUIDE.read_text(encoding="utf-8")
        return web.Response(text=guide.replace("{base_url}", base_url).replace("{bot}", bot.username))

    async def show_status(self, _request: web.Request) -> web.Response:
        """Say who this is and how the bot takes its updates."""
        simulation = self._simulation
        return web.json_response(
            {
                "sandbox": True,
                "bot": simulation.bot.as_user(),
                "people": len(simulation.world.people),
                "webhook": simulation.webhook.as_json(
                    pending_update_count=simulation.updates.count(),
                    allowed_updates=simulation.updates.allowed_updates,
                ),
                "is_polled": simulation.waiting_poll is not None,
            }
        )
