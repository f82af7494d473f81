"""What the Bot API can do for a send, as far as this client uses it. Each flag has its proof in the tests."""

from enum import Flag, auto
from typing import Final


class SendFeature(Flag):
    """One thing that a way of sending may be able to do."""

    TEXT = auto()
    MEDIA = auto()
    ALBUM = auto()
    EDIT = auto()
    REACTION = auto()
    SILENT = auto()
    REPLY_TO = auto()
    PROTECT = auto()
    BATCH = auto()  # messages to several chats in one call
    RECONCILE = auto()  # tell afterwards whether a send was done


BOT_API: Final = ~(SendFeature.BATCH | SendFeature.RECONCILE)
