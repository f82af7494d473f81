"""What the browser page has to know besides the chats: what the stand-in can do, and the latest calls."""

from aiohttp import web

from nekonymous_site.sandbox.albums import ALBUM_KINDS, MOST_ALBUM_ITEMS
from nekonymous_site.sandbox.call_log import RecordedCall
from nekonymous_site.sandbox.faults import FaultKind
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.message_checks import MAX_TEXT_UNITS
from nekonymous_site.sandbox.methods.registry import list_method_names
from nekonymous_site.sandbox.reaction_emoji import list_reaction_emoji
from nekonymous_site.sandbox.sample_media import CAPTIONED_KINDS, PICTURE_KINDS, SAMPLE_KINDS
from nekonymous_site.sandbox.simulation import Simulation

LATEST_CALLS_SHOWN = 60


class PageData:
    """Answers the page's own questions; everything else it asks of the control API."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def add_routes(self, application: web.Application) -> None:
        """Serve these routes of an application."""
        application.router.add_get("/sandbox/page-data", self.show_abilities)
        application.router.add_get("/sandbox/latest-calls", self.list_latest_calls)

    async def show_abilities(self, _request: web.Request) -> web.Response:
        """What can be sent, injected and reacted with, and the commands that the bot offers."""
        return web.json_response(
            {
                "bot": self._simulation.bot.as_user(),
                "commands": self._simulation.world.commands,
                "fault_kinds": list(FaultKind),
                "methods": list_method_names(),
                "sample_kinds": SAMPLE_KINDS,
                "captioned_kinds": sorted(CAPTIONED_KINDS),
                "picture_kinds": sorted(PICTURE_KINDS),
                "album_kinds": sorted(ALBUM_KINDS),
                "most_album_items": MOST_ALBUM_ITEMS,
                "reaction_emoji": list_reaction_emoji(),
                "max_text_units": MAX_TEXT_UNITS,
            }
        )

    async def list_latest_calls(self, _request: web.Request) -> web.Response:
        """The latest calls, the newest first, without what they carried."""
        calls = self._simulation.calls.latest(LATEST_CALLS_SHOWN)
        return web.json_response({"calls": [_view_call(call) for call in reversed(calls)]})


def _view_call(call: RecordedCall) -> JsonObject:
    return {
        "method": call.method,
        "chat_id": call.params.get("chat_id"),
        "via": call.via,
        "at": call.at,
        "status": call.status,
        "fault": call.fault,
        "description": call.description,
    }
