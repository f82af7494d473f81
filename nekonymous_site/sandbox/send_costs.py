"""What a call counts against the rates."""

from nekonymous_site.sandbox.parameters import Parameters
from nekonymous_site.sandbox.send_rates import SendCost
from nekonymous_site.sandbox.world import World

# It shows a line above the chat and leaves nothing in it.
_SENDS_NOTHING = frozenset({"sendChatAction"})


def find_send_cost(world: World, method: str, parameters: Parameters) -> SendCost | None:
    """What a call counts, None for one that is not limited or goes to no chat the bot knows.

    Sends count everywhere, each item of an album by itself; edits count in groups only.
    """
    conversation = world.conversations.get(parameters.integer("chat_id") or 0)
    is_send = method.startswith("send") and method not in _SENDS_NOTHING
    if conversation is None or not conversation.is_known_to_bot:
        return None
    if not is_send and not method.startswith("edit"):
        return None
    chat_id, is_private = conversation.chat["id"], conversation.chat["type"] == "private"
    if not is_send:
        return None if is_private else SendCost(overall=0, chat=1, chat_id=chat_id, is_private=False)
    messages = _count_messages(method, parameters)
    return SendCost(overall=messages, chat=messages, chat_id=chat_id, is_private=is_private)


def _count_messages(method: str, parameters: Parameters) -> int:
    items = parameters.values.get("media") if method == "sendMediaGroup" else None
    return max(len(items), 1) if isinstance(items, list) else 1
