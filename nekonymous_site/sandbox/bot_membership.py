"""Whether the bot may be somewhere: people block it, groups take it in and throw it out."""

import time

from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.people_actions import ActionDone, require_account
from nekonymous_site.sandbox.simulation import Simulation
from nekonymous_site.sandbox.world import Conversation, Person


def set_block(simulation: Simulation, person: Person, *, blocked: bool) -> ActionDone:
    """Block or unblock the bot; repeatable, the bot hears of a change only. Raises as write_message."""
    require_account(person)
    conversation = simulation.world.conversations[person.id]
    update_id = None
    if person.has_blocked_bot != blocked:
        simulation.updates.require_room()
        person.has_blocked_bot = blocked
        old, new = ("member", "kicked") if blocked else ("kicked", "member")
        update_id = _tell_bot(simulation, conversation, person=person, old=old, new=new)
    simulation.changed.beat()
    return ActionDone(update_id=update_id, revision=conversation.revision)


def remove_from_group(simulation: Simulation, conversation: Conversation, *, person: Person) -> ActionDone:
    """Let a person throw the bot out of a group; repeatable, the bot hears of a change only."""
    require_account(person)
    if conversation.bot_has_left:
        return ActionDone(update_id=None, revision=conversation.revision)
    simulation.updates.require_room()
    conversation.bot_has_left = conversation.bot_was_kicked = True
    return _note_change(simulation, conversation, person=person, old="member", new="kicked")


def add_to_group(simulation: Simulation, conversation: Conversation, *, person: Person) -> ActionDone:
    """Let a person take the bot into a group again; repeatable, the bot hears of a change only."""
    require_account(person)
    if not conversation.bot_has_left:
        return ActionDone(update_id=None, revision=conversation.revision)
    simulation.updates.require_room()
    old = "kicked" if conversation.bot_was_kicked else "left"
    conversation.bot_has_left = conversation.bot_was_kicked = False
    return _note_change(simulation, conversation, person=person, old=old, new="member")


def _note_change(
    simulation: Simulation, conversation: Conversation, *, person: Person, old: str, new: str
) -> ActionDone:
    update_id = _tell_bot(simulation, conversation, person=person, old=old, new=new)
    revision = conversation.next_revision()
    simulation.changed.beat()
    return ActionDone(update_id=update_id, revision=revision)


def _tell_bot(
    simulation: Simulation, conversation: Conversation, *, person: Person, old: str, new: str
) -> int | None:
    change = {
        "chat": conversation.chat,
        "from": person.as_user(),
        "date": int(time.time()),
        "old_chat_member": _as_member(simulation, old),
        "new_chat_member": _as_member(simulation, new),
    }
    return simulation.updates.add("my_chat_member", change)


def _as_member(simulation: Simulation, status: str) -> JsonObject:
    until = {"until_date": 0} if status == "kicked" else {}
    return {"user": simulation.bot.as_user(), "status": status, **until}
