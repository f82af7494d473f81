"""The bot's reactions to messages."""

from nekonymous_site.sandbox.bot_api_errors import bad_request
from nekonymous_site.sandbox.chat_lookup import find_writable_chat
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.parameters import Parameters
from nekonymous_site.sandbox.reaction_emoji import is_reaction_emoji
from nekonymous_site.sandbox.simulation import Simulation


async def set_message_reaction(simulation: Simulation, parameters: Parameters) -> bool:
    """Set or take away the bot's one reaction to a message; repeatable. Raises BotApiError."""
    conversation = find_writable_chat(simulation.world, parameters)
    message = conversation.messages.get(parameters.integer("message_id") or 0)
    if message is None:
        raise bad_request("message to react not found")
    reactions = [_check_reaction(reaction) for reaction in parameters.json_list("reaction") or []]
    if len(reactions) > 1:
        raise bad_request("REACTIONS_TOO_MANY")
    message.reactions = reactions
    simulation.world.note_change(conversation, message)
    return True


def _check_reaction(reaction: object) -> JsonObject:
    if not isinstance(reaction, dict) or reaction.get("type") != "emoji":
        raise bad_request("REACTION_INVALID")
    if not is_reaction_emoji(reaction.get("emoji")):
        raise bad_request("REACTION_INVALID")
    return reaction
