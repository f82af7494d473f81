"""Which names in a message stand for what: content refused on purpose, service, or nothing to send."""

from collections.abc import Sequence
from enum import Enum, auto
from typing import Final


class Unsendable(Enum):
    """Why a message is not relayed."""

    EMPTY = auto()
    CONTACT = auto()
    PLACE = auto()
    POLL = auto()
    DICE = auto()
    STORY = auto()
    PAID_MEDIA = auto()
    GIFT = auto()
    CHECKLIST = auto()
    GIVEAWAY = auto()
    GAME = auto()
    INVOICE = auto()
    SERVICE = auto()  # Telegram's own note of something done; nobody sent anything, so nothing is answered
    UNKNOWN = auto()


# Looked up before media and text: a live photo comes with a photo as well, which is only half of it.
_REFUSED: Final = {
    "contact": Unsendable.CONTACT,
    "location": Unsendable.PLACE,
    "venue": Unsendable.PLACE,
    "poll": Unsendable.POLL,
    "dice": Unsendable.DICE,
    "story": Unsendable.STORY,
    "paid_media": Unsendable.PAID_MEDIA,
    "gift": Unsendable.GIFT,
    "unique_gift": Unsendable.GIFT,
    "checklist": Unsendable.CHECKLIST,
    "giveaway": Unsendable.GIVEAWAY,
    "giveaway_winners": Unsendable.GIVEAWAY,
    "game": Unsendable.GAME,
    "invoice": Unsendable.INVOICE,
    "live_photo": Unsendable.UNKNOWN,
    "rich_message": Unsendable.UNKNOWN,
}
# Families of Telegram's own notes, by how their names begin; a future member of one is a note as well.
_SERVICE_PREFIXES: Final = (
    "boost_",
    "channel_chat_",
    "chat_",
    "checklist_tasks_",
    "community_chat_",
    "connected_",
    "delete_chat_",
    "direct_message_",
    "forum_topic_",
    "general_forum_topic_",
    "gift_upgrade_",
    "giveaway_",
    "group_chat_",
    "left_chat_",
    "managed_bot_",
    "message_auto_delete_",
    "migrate_",
    "new_chat_",
    "paid_message_",
    "passport_",
    "pinned_",
    "poll_option_",
    "proximity_",
    "refunded_",
    "successful_",
    "suggested_post_",
    "supergroup_chat_",
    "users_shared",
    "video_chat_",
    "web_app_",
    "write_access_",
)
# What goes with any content, and is none; so does whatever was forwarded, replied to or asked by a guest.
_CIRCUMSTANCES: Final = frozenset(
    {
        "author_signature",
        "business_connection_id",
        "chat",
        "date",
        "direct_messages_topic",
        "edit_date",
        "effect_id",
        "entities",
        "ephemeral_message_id",
        "external_reply",
        "from",
        "has_protected_content",
        "link_preview_options",
        "message_id",
        "message_thread_id",
        "paid_star_count",
        "quote",
        "receiver_user",
        "suggested_post_info",
        "text",
        "via_bot",
    }
)
_CIRCUMSTANCE_PREFIXES: Final = ("forward_", "guest_", "is_", "reply_", "sender_")


def find_refusal(names: Sequence[str]) -> Unsendable | None:
    """Tell from the names in a message why it is refused whatever else is in it; None if it is not."""
    return next((why for name, why in _REFUSED.items() if name in names), None)


def explain_nothing(names: Sequence[str]) -> Unsendable:
    """Tell from the names in a message why no text and no medium that we know was found in it."""
    beyond = [name for name in names if not _is_circumstance(name)]
    if not beyond:
        return Unsendable.EMPTY
    is_service = any(name.startswith(_SERVICE_PREFIXES) for name in beyond)
    return Unsendable.SERVICE if is_service else Unsendable.UNKNOWN


def _is_circumstance(name: str) -> bool:
    return name in _CIRCUMSTANCES or name.startswith(_CIRCUMSTANCE_PREFIXES)
