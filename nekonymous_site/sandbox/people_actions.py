"""What made-up people do, and the updates the bot gets for it."""

import time
from dataclasses import dataclass

from nekonymous_site.sandbox.bot_api_errors import BotApiError
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.keyboard_checks import is_valid_callback_data
from nekonymous_site.sandbox.message_checks import format_text
from nekonymous_site.sandbox.sample_media import SAMPLES
from nekonymous_site.sandbox.simulation import Simulation
from nekonymous_site.sandbox.world import Conversation, Person


class ActionRefused(Exception):
    """A person cannot do this; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionDone:
    """What an action made. ``revision`` is the chat's at that moment: what follows has a higher one."""

    update_id: int | None
    revision: int
    message_id: int | None = None
    callback_query_id: str | None = None


def write_message(simulation: Simulation, person: Person, request: JsonObject) -> ActionDone:
    """Let a person write to the bot. Raises ActionRefused, UpdateQueueFull."""
    if person.has_blocked_bot:
        raise ActionRefused("has blocked the bot; unblock it first")
    conversation = simulation.world.conversations[person.id]
    conversation.is_known_to_bot = True
    return _write(simulation, conversation, person=person, request=request)


def write_group_message(
    simulation: Simulation, conversation: Conversation, *, person: Person, request: JsonObject
) -> ActionDone:
    """Let a person write into a group; the bot hears of it while it is in there. Raises as write_message."""
    return _write(simulation, conversation, person=person, request=request)


def tap_button(simulation: Simulation, person: Person, *, message_id: int, data: str) -> ActionDone:
    """Let a person press a button. Any data can be sent, as a modified client can. Raises ActionRefused."""
    conversation = simulation.world.conversations[person.id]
    message = conversation.messages.get(message_id)
    if message is None or not message.from_bot:
        raise ActionRefused("there is no such message of the bot in this chat")
    if not is_valid_callback_data(data):
        raise ActionRefused("callback_data is 1 to 64 bytes")
    tap = simulation.world.add_tap(conversation, person_id=person.id, message_id=message_id, data=data)
    update_id = simulation.updates.add(
        "callback_query",
        {
            "id": tap.callback_query_id,
            "from": person.as_user(),
            "message": message.body,
            "chat_instance": str(person.id),
            "data": data,
        },
    )
    return ActionDone(
        update_id=update_id,
        revision=tap.revision,
        callback_query_id=tap.callback_query_id,
        message_id=message_id,
    )


def set_block(simulation: Simulation, person: Person, *, blocked: bool) -> ActionDone:
    """Block or unblock the bot; repeatable, the bot hears of a change only."""
    conversation = simulation.world.conversations[person.id]
    update_id = None
    if person.has_blocked_bot != blocked:
        person.has_blocked_bot = blocked
        update_id = simulation.updates.add(
            "my_chat_member", _membership_change(simulation, person, conversation, kicked=blocked)
        )
    simulation.changed.beat()
    return ActionDone(update_id=update_id, revision=conversation.revision)


def _write(
    simulation: Simulation, conversation: Conversation, *, person: Person, request: JsonObject
) -> ActionDone:
    simulation.updates.require_room()
    fields = _content_fields(request) | _reply_field(conversation, request.get("reply_to_message_id"))
    extra_fields = request.get("extra_fields") or {}
    if not isinstance(extra_fields, dict):
        raise ActionRefused("extra_fields must be an object")
    message = simulation.world.add_message(
        conversation, sender=person.as_user(), fields=fields | extra_fields
    )
    update_id = None
    if not conversation.bot_has_left:
        update_id = simulation.updates.add("message", message.body)
    return ActionDone(update_id=update_id, revision=message.revision, message_id=message.message_id)


def _content_fields(request: JsonObject) -> JsonObject:
    """The content of a message: a text, or one sample kind with a caption."""
    if "text" in request:
        return _formatted_fields(str(request["text"]), _list_of(request, "entities"))
    kind = next((name for name in SAMPLES if name in request), None)
    if kind is None:
        reason = f"give text or one of: {', '.join(SAMPLES)}"
        raise ActionRefused(reason)
    content = SAMPLES[kind] if request[kind] is True else request[kind]
    fields: JsonObject = {kind: content}
    if request.get("caption"):
        formatted = _formatted_fields(str(request["caption"]), _list_of(request, "caption_entities"))
        fields |= {
            "caption": formatted["text"],
            **({"caption_entities": formatted["entities"]} if "entities" in formatted else {}),
        }
    return fields


def _list_of(request: JsonObject, name: str) -> list[object]:
    value = request.get(name) or []
    if not isinstance(value, list):
        reason = f"{name} must be an array"
        raise ActionRefused(reason)
    return value


def _formatted_fields(text: str, entities: list[object]) -> JsonObject:
    try:
        return format_text(text, entities=entities).as_fields()
    except BotApiError as error:
        raise ActionRefused(error.description) from None


def _reply_field(conversation: Conversation, replied_id: object) -> JsonObject:
    if replied_id is None:
        return {}
    replied = conversation.messages.get(replied_id) if isinstance(replied_id, int) else None
    if replied is None:
        raise ActionRefused("there is no such message to reply to in this chat")
    return {"reply_to_message": replied.as_quoted()}


def _membership_change(
    simulation: Simulation, person: Person, conversation: Conversation, *, kicked: bool
) -> JsonObject:
    member = {"user": simulation.bot.as_user(), "status": "member"}
    banned = {"user": simulation.bot.as_user(), "status": "kicked", "until_date": 0}
    return {
        "chat": conversation.chat,
        "from": person.as_user(),
        "date": int(time.time()),
        "old_chat_member": member if kicked else banned,
        "new_chat_member": banned if kicked else member,
    }
