"""Server-sent events that tell an open page what has changed; what it is now, the page asks itself."""

import asyncio
import json
import secrets
import time

from aiohttp import web

from nekonymous_site.sandbox.chat_view import view_person
from nekonymous_site.sandbox.control_requests import ControlError
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.simulation import Simulation

# A browser opens six connections to a host at most; a stream takes one of them as long as its page is open.
MAX_STREAMS = 16
HEARTBEAT_SECONDS = 15.0
# Faults are used up and calls are made without a beat of the pulse.
_LOOK_SECONDS = 0.5
# What happens at once is told at once.
_GATHER_SECONDS = 0.02
_RECONNECT_MILLISECONDS = 1_000


class EventStreams:
    """Serves ``/sandbox/events``: one stream for each open page, a bounded number of them.

    Events are ``hello`` (with a mark of this run), ``people``, ``chats`` (chat id to revision, those that
    changed) and ``traffic`` (faults, rates, and how the bot takes updates). At first each comes in full.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._run = secrets.token_hex(8)
        self._open = 0

    def add_routes(self, application: web.Application) -> None:
        """Serve the stream of an application."""
        application.router.add_get("/sandbox/events", self.stream_events)

    async def stream_events(self, request: web.Request) -> web.StreamResponse:
        """Tell of changes until the page is closed or the stand-in stops."""
        if self._open >= MAX_STREAMS:
            raise ControlError(503, f"{MAX_STREAMS} pages are open already")
        self._open += 1
        try:
            return await self._stream(request)
        finally:
            self._open -= 1

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(
            headers={"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store"}
        )
        await response.prepare(request)
        changes = _Changes(self._simulation)
        news = f"retry: {_RECONNECT_MILLISECONDS}\n\n" + _write_event("hello", {"run": self._run})
        written_at = 0.0
        while request.transport is not None and not request.transport.is_closing():
            news += changes.collect()
            if not news and time.monotonic() - written_at >= HEARTBEAT_SECONDS:
                news = ": still here\n\n"
            if news:
                try:
                    await response.write(news.encode())
                except ConnectionResetError:
                    break
                news, written_at = "", time.monotonic()
            await self._simulation.changed.wait(seconds=_LOOK_SECONDS)
            await asyncio.sleep(_GATHER_SECONDS)
        return response


class _Changes:
    """What one stream has told already."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._told_revisions: dict[int, int] = {}
        self._told: dict[str, str] = {}

    def collect(self) -> str:
        """Everything that has changed since the last time, as events."""
        world = self._simulation.world
        people = {"people": [view_person(person) for person in world.people.values()]}
        return (
            self._collect_one("people", people)
            + self._collect_chats()
            + self._collect_one("traffic", self._view_traffic())
        )

    def _collect_one(self, name: str, content: JsonObject) -> str:
        event = _write_event(name, content)
        if self._told.get(name) == event:
            return ""
        self._told[name] = event
        return event

    def _collect_chats(self) -> str:
        conversations = self._simulation.world.conversations
        revisions = {chat_id: one.revision for chat_id, one in conversations.items()}
        changed = {
            str(chat_id): revision
            for chat_id, revision in revisions.items()
            if self._told_revisions.get(chat_id) != revision
        }
        self._told_revisions = revisions
        return _write_event("chats", changed) if changed else ""

    def _view_traffic(self) -> JsonObject:
        simulation = self._simulation
        return {
            "faults": simulation.faults.as_json(),
            "calls_made": simulation.calls.made,
            "calls_running": simulation.calls.count_running(),
            "webhook_url": simulation.webhook.url,
            "webhook_error": simulation.webhook.last_error_message,
            "pending_update_count": simulation.updates.count(),
            "is_polled": simulation.waiting_poll is not None,
        }


def _write_event(name: str, content: JsonObject) -> str:
    return f"event: {name}\ndata: {json.dumps(content)}\n\n"
