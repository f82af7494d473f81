"""Where a forwarded message says it comes from, one made-up example of each kind."""

import time

from nekonymous_site.sandbox.json_types import JsonObject

_SOMEBODY: JsonObject = {"id": 2**33 + 7, "is_bot": False, "first_name": "Somebody"}
_CHANNEL: JsonObject = {"id": -1001500000001, "title": "A channel", "type": "channel"}
_GROUP: JsonObject = {"id": -1001500000002, "title": "A group", "type": "supergroup"}
# The bot through which a message came that was written by help of one.
INLINE_BOT: JsonObject = {"id": 7_000_000_777, "is_bot": True, "first_name": "Cats", "username": "cats_bot"}
_BEFORE_SECONDS = 3600

_ORIGINS: dict[str, JsonObject] = {
    "user": {"sender_user": _SOMEBODY},
    "hidden_user": {"sender_user_name": "Somebody"},
    "chat": {"sender_chat": _GROUP},
    "channel": {"chat": _CHANNEL, "message_id": 7, "author_signature": "The editor"},
}
ORIGIN_KINDS = tuple(_ORIGINS)


def make_forward_origin(kind: str) -> JsonObject:
    """Make up where a message was forwarded from; ``kind`` is one of ORIGIN_KINDS."""
    return {"type": kind, "date": int(time.time()) - _BEFORE_SECONDS, **_ORIGINS[kind]}
