"""What of a message is relayed: its text, and those entities that point at nobody."""

from typing import Any, Final

from nekonymous_site.bot.update_models import Message
from nekonymous_site.workflows.ticket_content import MessageContent

# An entity that names an account (`text_mention`) or hides an address (`text_link`) is not relayed as such.
_PLAIN_ENTITIES: Final = (
    "bold",
    "italic",
    "underline",
    "strikethrough",
    "spoiler",
    "blockquote",
    "expandable_blockquote",
    "code",
    "pre",
)
# Nothing else rides along, and nothing of another type: what is kept is sent as it is.
_KEPT_FIELDS: Final = {"type": str, "offset": int, "length": int, "language": str}


def read_content(message: Message) -> MessageContent | None:
    """Take what is relayed out of a text message; None when there is nothing to read in it."""
    text = message.text or ""
    if not text.strip():
        return None
    return MessageContent(
        text=text, entities=[_keep(entity) for entity in message.entities if _is_plain(entity)]
    )


def _is_plain(entity: dict[str, Any]) -> bool:
    return entity.get("type") in _PLAIN_ENTITIES and {"offset", "length"} <= _keep(entity).keys()


def _keep(entity: dict[str, Any]) -> dict[str, Any]:
    return {name: entity[name] for name, kind in _KEPT_FIELDS.items() if type(entity.get(name)) is kind}
