"""What made-up people do to messages that stand there already, and to themselves."""

import time
from typing import TypeAlias

from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.people_actions import ActionDone, find_message, open_chat, require_account
from nekonymous_site.sandbox.people_content import ActionRefused, read_edit
from nekonymous_site.sandbox.reaction_emoji import as_reactions, is_reaction_emoji
from nekonymous_site.sandbox.simulation import Simulation
from nekonymous_site.sandbox.world import ChatMessage, Conversation, Person

ProfileChanges: TypeAlias = dict[str, str | bool | None]


def edit_message(
    simulation: Simulation, person: Person, *, message_id: int, request: JsonObject
) -> ActionDone:
    """Let a person edit a message of their own. Raises ActionRefused, UpdateQueueFull."""
    conversation = open_chat(simulation, person)
    message = find_message(conversation, message_id)
    if message.from_bot:
        raise ActionRefused("only own messages can be edited")
    edited = read_edit(request, message.body)
    if edited == message.body:
        raise ActionRefused("this is what the message says already")
    simulation.updates.require_room()
    message.body = edited | {"edit_date": int(time.time())}
    simulation.world.note_change(conversation, message)
    update_id = simulation.updates.add("edited_message", message.body)
    return ActionDone(update_id=update_id, revision=message.revision, message_id=message_id)


def react(
    simulation: Simulation, person: Person, *, message_id: int, emoji: str | None, with_phantom_edit: bool
) -> ActionDone:
    """Set a person's one reaction to a message, or take it away; repeatable. Raises as edit_message.

    With a phantom edit the bot is told besides that the message was edited, which it was not: the real server
    does so at some first reactions.
    """
    conversation = open_chat(simulation, person)
    message = find_message(conversation, message_id)
    if emoji is not None and not is_reaction_emoji(emoji):
        raise ActionRefused("this is no emoji that people react with")
    if with_phantom_edit and message.from_bot:
        raise ActionRefused("the bot is never told of edits of its own messages")
    simulation.updates.require_room(updates=2)
    update_id = _set_reaction(simulation, conversation, message, person=person, emoji=emoji)
    phantom_update_id = None
    if with_phantom_edit:
        phantom = message.body | {"edit_date": int(time.time())}
        phantom_update_id = simulation.updates.add("edited_message", phantom)
    return ActionDone(
        update_id=update_id,
        phantom_update_id=phantom_update_id,
        revision=message.revision,
        message_id=message_id,
    )


def delete_message(simulation: Simulation, person: Person, *, message_id: int) -> ActionDone:
    """Let a person delete a message for both sides; the bot is told nothing. Raises ActionRefused."""
    require_account(person)
    conversation = simulation.world.conversations[person.id]
    message = find_message(conversation, message_id)
    revision = simulation.world.remove_message(conversation, message)
    return ActionDone(update_id=None, revision=revision, message_id=message_id)


def leave_telegram(simulation: Simulation, person: Person) -> ActionDone:
    """Let a person delete their account, for good and without the bot being told. Raises ActionRefused."""
    require_account(person)
    person.has_left = True
    revision = simulation.world.conversations[person.id].next_revision()
    simulation.changed.beat()
    return ActionDone(update_id=None, revision=revision)


def change_profile(simulation: Simulation, person: Person, *, changes: ProfileChanges) -> None:
    """Change what Telegram says of a person in updates and chats from now on. Raises ActionRefused."""
    require_account(person)
    for name, value in changes.items():
        setattr(person, name, value)
    conversation = simulation.world.conversations[person.id]
    # A new object: what was written before keeps the names of its time.
    conversation.chat = person.as_chat()
    conversation.next_revision()
    simulation.changed.beat()


def _set_reaction(
    simulation: Simulation,
    conversation: Conversation,
    message: ChatMessage,
    *,
    person: Person,
    emoji: str | None,
) -> int | None:
    """Change the reaction and tell the bot, if it asked for this kind; nothing happens without a change."""
    old, new = message.person_reactions, as_reactions(emoji)
    if new == old:
        return None
    message.person_reactions = new
    simulation.world.note_change(conversation, message)
    return simulation.updates.add(
        "message_reaction",
        {
            "chat": conversation.chat,
            "message_id": message.message_id,
            "user": person.as_user(),
            "date": int(time.time()),
            "old_reaction": old,
            "new_reaction": new,
        },
    )
