"""What our inline buttons carry, at most 64 bytes: a prefix, and behind `r:` a capability."""

from typing import Final

from nekonymous_site.bot.update_models import Keyboard
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.crypto.errors import MalformedCapability

REPLY: Final = "r:"
INBOX: Final = "ib:"
REPEAT_MARK: Final = "i:repeat"
SENDER_MARK: Final = "i:sender"


def reply_data(capability: Capability) -> str:
    """Write the data of a reply button."""
    return REPLY + capability.to_text()


def read_capability(data: str, *, prefix: str) -> Capability | None:
    """Read the capability behind a prefix; None when the data is somebody's invention."""
    try:
        return Capability.parse(data.removeprefix(prefix))
    except MalformedCapability:
        return None


def find_reply_capability(keyboard: Keyboard | None) -> Capability | None:
    """Find the capability in the buttons of a message that somebody replied to."""
    buttons = [button for row in keyboard.inline_keyboard for button in row] if keyboard else []
    for button in buttons:
        if button.callback_data and button.callback_data.startswith(REPLY):
            return read_capability(button.callback_data, prefix=REPLY)
    return None
