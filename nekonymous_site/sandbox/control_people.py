"""Control API: people and groups, what they do and what they see."""

import time
from dataclasses import asdict

from aiohttp import web

from nekonymous_site.sandbox import bot_membership, people_actions
from nekonymous_site.sandbox.chat_view import view_conversation, view_person
from nekonymous_site.sandbox.control_lookup import find_group, find_person
from nekonymous_site.sandbox.control_requests import (
    ControlError,
    answer_action,
    read_integer,
    read_json_object,
    read_optional_text,
    read_text,
)
from nekonymous_site.sandbox.simulation import Simulation
from nekonymous_site.sandbox.world import Conversation

MAX_WAIT_SECONDS = 30.0


class PeopleRoutes:
    """Lets tests, scripts and people act as made-up people."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def add_routes(self, application: web.Application) -> None:
        """Serve these routes of an application."""
        router = application.router
        router.add_get("/sandbox/people", self.list_people)
        router.add_post("/sandbox/people", self.add_person)
        router.add_post(r"/sandbox/people/{id:\d+}/messages", self.write_message)
        router.add_post(r"/sandbox/people/{id:\d+}/albums", self.send_album)
        router.add_post(r"/sandbox/people/{id:\d+}/taps", self.tap_button)
        router.add_post(r"/sandbox/people/{id:\d+}/block", self.block_bot)
        router.add_post(r"/sandbox/people/{id:\d+}/unblock", self.unblock_bot)
        router.add_get(r"/sandbox/people/{id:\d+}/chat", self.show_chat)
        router.add_post("/sandbox/groups", self.add_group)
        router.add_post(r"/sandbox/groups/{id:-\d+}/messages", self.write_group_message)
        router.add_get(r"/sandbox/groups/{id:-\d+}/chat", self.show_group_chat)

    async def list_people(self, _request: web.Request) -> web.Response:
        """All people, in the order they were made up."""
        return web.json_response(
            {"people": [view_person(one) for one in self._simulation.world.people.values()]}
        )

    async def add_person(self, request: web.Request) -> web.Response:
        """Make a person up."""
        body = await read_json_object(request)
        person = self._simulation.world.add_person(
            first_name=read_text(body, "first_name"),
            language_code=read_optional_text(body, "language_code"),
            username=read_optional_text(body, "username"),
        )
        return web.json_response(view_person(person), status=201)

    async def write_message(self, request: web.Request) -> web.Response:
        """Write to the bot as this person."""
        person = find_person(self._simulation, int(request.match_info["id"]))
        return answer_action(
            people_actions.write_message(self._simulation, person, await read_json_object(request))
        )

    async def send_album(self, request: web.Request) -> web.Response:
        """Send an album to the bot as this person."""
        person = find_person(self._simulation, int(request.match_info["id"]))
        done = people_actions.write_album(self._simulation, person, await read_json_object(request))
        return web.json_response({"messages": [asdict(one) for one in done]}, status=201)

    async def tap_button(self, request: web.Request) -> web.Response:
        """Press a button as this person."""
        person = find_person(self._simulation, int(request.match_info["id"]))
        body = await read_json_object(request)
        return answer_action(
            people_actions.tap_button(
                self._simulation,
                person,
                message_id=read_integer(body, "message_id"),
                data=read_text(body, "callback_data"),
            )
        )

    async def block_bot(self, request: web.Request) -> web.Response:
        """Block the bot as this person."""
        person = find_person(self._simulation, int(request.match_info["id"]))
        return answer_action(bot_membership.set_block(self._simulation, person, blocked=True))

    async def unblock_bot(self, request: web.Request) -> web.Response:
        """Unblock the bot as this person."""
        person = find_person(self._simulation, int(request.match_info["id"]))
        return answer_action(bot_membership.set_block(self._simulation, person, blocked=False))

    async def show_chat(self, request: web.Request) -> web.Response:
        """This person's chat with the bot."""
        person = find_person(self._simulation, int(request.match_info["id"]))
        return await self._show(request, self._simulation.world.conversations[person.id])

    async def add_group(self, request: web.Request) -> web.Response:
        """Make up a group with the bot in it."""
        body = await read_json_object(request)
        conversation = self._simulation.world.add_group(title=read_text(body, "title"))
        return web.json_response(
            {"id": conversation.chat["id"], "title": conversation.chat["title"]}, status=201
        )

    async def write_group_message(self, request: web.Request) -> web.Response:
        """Write into a group as the person named in the body."""
        conversation = find_group(self._simulation, int(request.match_info["id"]))
        body = await read_json_object(request)
        person = find_person(self._simulation, read_integer(body, "person_id"))
        done = people_actions.write_group_message(self._simulation, conversation, person=person, request=body)
        return answer_action(done)

    async def show_group_chat(self, request: web.Request) -> web.Response:
        """A group's chat."""
        return await self._show(request, find_group(self._simulation, int(request.match_info["id"])))

    async def _show(self, request: web.Request, conversation: Conversation) -> web.Response:
        """Answer the chat; with ``after_revision`` wait until it has changed since, or the time is over."""
        known_revision = _read_number(request, "after_revision", default=-1)
        wait_seconds = min(_read_number(request, "wait_seconds", default=0), MAX_WAIT_SECONDS)
        deadline = time.monotonic() + wait_seconds
        while conversation.revision <= known_revision and (seconds_left := deadline - time.monotonic()) > 0:
            await self._simulation.changed.wait(seconds=seconds_left)
        return web.json_response(view_conversation(conversation))


def _read_number(request: web.Request, name: str, *, default: float) -> float:
    try:
        return float(request.query.get(name, default))
    except ValueError:
        raise ControlError(400, f"{name} must be a number") from None
