"""What made-up people write and press, and the updates the bot gets for it."""

from dataclasses import dataclass

from nekonymous_site.sandbox.button_checks import is_valid_callback_data
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.people_content import ActionRefused, read_album, read_content, read_forward
from nekonymous_site.sandbox.simulation import Simulation
from nekonymous_site.sandbox.world import ChatMessage, Conversation, Person


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionDone:
    """What an action made. ``revision`` is the chat's at that moment: what follows has a higher one.

    ``phantom_update_id`` is that of an edit that nobody made.
    """

    update_id: int | None
    revision: int
    message_id: int | None = None
    callback_query_id: str | None = None
    phantom_update_id: int | None = None


def write_message(simulation: Simulation, person: Person, request: JsonObject) -> ActionDone:
    """Let a person write, or forward something of their chat. Raises ActionRefused, UpdateQueueFull."""
    conversation = open_chat(simulation, person)
    content = _read_written(conversation, request)
    (done,) = _write(simulation, conversation, person=person, contents=[content], request=request)
    return done


def write_album(simulation: Simulation, person: Person, request: JsonObject) -> list[ActionDone]:
    """Let a person send an album: a message and an update for each item. Raises as write_message."""
    return _write(
        simulation,
        open_chat(simulation, person),
        person=person,
        contents=read_album(request),
        request=request,
    )


def write_group_message(
    simulation: Simulation, conversation: Conversation, *, person: Person, request: JsonObject
) -> ActionDone:
    """Let a person write into a group; the bot hears of it while it is in there. Raises as write_message."""
    require_account(person)
    (done,) = _write(
        simulation, conversation, person=person, contents=[read_content(request)], request=request
    )
    return done


def tap_button(simulation: Simulation, person: Person, *, message_id: int, data: str) -> ActionDone:
    """Let a person press a button. Any data can be sent, as a modified client can. Raises ActionRefused."""
    require_account(person)
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


def find_message(conversation: Conversation, message_id: int) -> ChatMessage:
    """Find a message of the chat to do something with. Raises ActionRefused."""
    message = conversation.messages.get(message_id)
    if message is None:
        raise ActionRefused("there is no such message in this chat")
    return message


def require_account(person: Person) -> None:
    """Raise ActionRefused for somebody who can do nothing any more."""
    if person.has_left:
        raise ActionRefused("has left Telegram and can do nothing any more")


def open_chat(simulation: Simulation, person: Person) -> Conversation:
    """The person's chat with the bot, to do something that the bot hears of. Raises ActionRefused."""
    require_account(person)
    if person.has_blocked_bot:
        raise ActionRefused("has blocked the bot; unblock it first")
    return simulation.world.conversations[person.id]


def _read_written(conversation: Conversation, request: JsonObject) -> JsonObject:
    forwarded_id = request.get("forward_message_id")
    if forwarded_id is None:
        return read_content(request)
    if not isinstance(forwarded_id, int):
        raise ActionRefused("forward_message_id must be a whole number")
    return read_forward(find_message(conversation, forwarded_id).body)


def _write(
    simulation: Simulation,
    conversation: Conversation,
    *,
    person: Person,
    contents: list[JsonObject],
    request: JsonObject,
) -> list[ActionDone]:
    """Write one message after the other, all of them or none."""
    simulation.updates.require_room(updates=len(contents))
    reply = _reply_field(conversation, request.get("reply_to_message_id"))
    conversation.is_known_to_bot = True
    return [
        _write_one(simulation, conversation, person=person, fields=reply | content) for content in contents
    ]


def _write_one(
    simulation: Simulation, conversation: Conversation, *, person: Person, fields: JsonObject
) -> ActionDone:
    message = simulation.world.add_message(conversation, sender=person.as_user(), fields=fields)
    update_id = None
    if not conversation.bot_has_left:
        simulation.world.files.remember(message.body)
        update_id = simulation.updates.add("message", message.body)
    return ActionDone(update_id=update_id, revision=message.revision, message_id=message.message_id)


def _reply_field(conversation: Conversation, replied_id: object) -> JsonObject:
    if replied_id is None:
        return {}
    replied = conversation.messages.get(replied_id) if isinstance(replied_id, int) else None
    if replied is None:
        raise ActionRefused("there is no such message to reply to in this chat")
    return {"reply_to_message": replied.as_quoted()}
