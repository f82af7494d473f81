"""Control API: people change what stands there already, themselves, and where the bot may be."""

from aiohttp import web

from nekonymous_site.sandbox import bot_membership, people_changes
from nekonymous_site.sandbox.chat_view import view_person
from nekonymous_site.sandbox.control_lookup import find_group, find_person
from nekonymous_site.sandbox.control_requests import (
    ControlError,
    answer_action,
    read_flag,
    read_integer,
    read_json_object,
    read_optional_text,
    read_text,
)
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.people_changes import ProfileChanges
from nekonymous_site.sandbox.simulation import Simulation
from nekonymous_site.sandbox.world import Conversation, Person

_LONGEST_NAME_CHARACTERS = 64


class ChangeRoutes:
    """Lets people edit, react, delete, change and leave, and groups take the bot in or throw it out."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def add_routes(self, application: web.Application) -> None:
        """Serve these routes of an application."""
        router = application.router
        router.add_patch(r"/sandbox/people/{id:\d+}", self.change_person)
        router.add_post(r"/sandbox/people/{id:\d+}/edits", self.edit_message)
        router.add_post(r"/sandbox/people/{id:\d+}/reactions", self.react)
        router.add_post(r"/sandbox/people/{id:\d+}/deletions", self.delete_message)
        router.add_post(r"/sandbox/people/{id:\d+}/leave", self.leave_telegram)
        router.add_post(r"/sandbox/groups/{id:-\d+}/remove_bot", self.remove_bot)
        router.add_post(r"/sandbox/groups/{id:-\d+}/add_bot", self.add_bot)

    async def change_person(self, request: web.Request) -> web.Response:
        """Change this person's language, name or username, or whether they take voice messages."""
        person = self._person_of(request)
        changes = _read_changes(await read_json_object(request))
        people_changes.change_profile(self._simulation, person, changes=changes)
        return web.json_response(view_person(person))

    async def edit_message(self, request: web.Request) -> web.Response:
        """Edit a message of this person's own."""
        person = self._person_of(request)
        body = await read_json_object(request)
        message_id = read_integer(body, "message_id")
        return answer_action(
            people_changes.edit_message(self._simulation, person, message_id=message_id, request=body)
        )

    async def react(self, request: web.Request) -> web.Response:
        """React to a message of the chat as this person; null takes the reaction away."""
        person = self._person_of(request)
        body = await read_json_object(request)
        if "emoji" not in body:
            raise ControlError(400, "emoji must be an emoji or null")
        return answer_action(
            people_changes.react(
                self._simulation,
                person,
                message_id=read_integer(body, "message_id"),
                emoji=read_optional_text(body, "emoji"),
                with_phantom_edit=read_flag(body, "phantom_edit"),
            )
        )

    async def delete_message(self, request: web.Request) -> web.Response:
        """Delete a message of the chat for both sides as this person."""
        person = self._person_of(request)
        message_id = read_integer(await read_json_object(request), "message_id")
        return answer_action(people_changes.delete_message(self._simulation, person, message_id=message_id))

    async def leave_telegram(self, request: web.Request) -> web.Response:
        """Delete this person's account."""
        return answer_action(people_changes.leave_telegram(self._simulation, self._person_of(request)))

    async def remove_bot(self, request: web.Request) -> web.Response:
        """Throw the bot out of a group as the person named in the body."""
        group, person = await self._group_and_person_of(request)
        return answer_action(bot_membership.remove_from_group(self._simulation, group, person=person))

    async def add_bot(self, request: web.Request) -> web.Response:
        """Take the bot into a group again as the person named in the body."""
        group, person = await self._group_and_person_of(request)
        return answer_action(bot_membership.add_to_group(self._simulation, group, person=person))

    def _person_of(self, request: web.Request) -> Person:
        return find_person(self._simulation, int(request.match_info["id"]))

    async def _group_and_person_of(self, request: web.Request) -> tuple[Conversation, Person]:
        group = find_group(self._simulation, int(request.match_info["id"]))
        body = await read_json_object(request)
        return group, find_person(self._simulation, read_integer(body, "person_id"))


def _read_changes(body: JsonObject) -> ProfileChanges:
    """What is named changes; language and username may be taken away with null. Raises ControlError."""
    changes: ProfileChanges = {
        name: read_optional_text(body, name) for name in ("language_code", "username") if name in body
    }
    if "first_name" in body:
        changes["first_name"] = read_text(body, "first_name")
    if "forbids_voice" in body:
        changes["forbids_voice"] = read_flag(body, "forbids_voice")
    if not changes or changes.keys() != body.keys():
        raise ControlError(400, "give language_code, first_name, username or forbids_voice and nothing else")
    if any(isinstance(value, str) and len(value) > _LONGEST_NAME_CHARACTERS for value in changes.values()):
        raise ControlError(400, f"a name has at most {_LONGEST_NAME_CHARACTERS} characters")
    return changes
