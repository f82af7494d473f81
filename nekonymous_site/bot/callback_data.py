"""What our inline buttons carry, at most 64 bytes: a prefix, and a secret of 43 characters or a word.

The capability behind `r:`, `n:`, `b:` … is the recipient's own; the withdraw token behind `w:` is the
sender's and opens nothing.
"""

from typing import Final

from nekonymous_site.bot.update_models import Keyboard
from nekonymous_site.crypto import base64url
from nekonymous_site.crypto.capabilities import Capability, WithdrawToken
from nekonymous_site.crypto.errors import MalformedCapability

REPLY: Final = "r:"
NICKNAME: Final = "n:"
NICKNAME_REMOVED: Final = "nx:"
BLOCK: Final = "b:"
UNBLOCK: Final = "u:"
SENDER_MARK: Final = "i:"
REPEAT_MARK: Final = "ir:"
WITHDRAW: Final = "w:"
WRITE_AGAIN: Final = "c:"  # a link's slug
SEND_ANYWAY: Final = "y:"  # a composition's id
THROW_AWAY: Final = "d:"
CANCEL: Final = "k:"  # the key of a draft
INBOX: Final = "ib:"
SETTINGS: Final = "st:"


def with_capability(prefix: str, capability: Capability) -> str:
    """Write the data of a button that acts on a ticket."""
    return prefix + capability.to_text()


def with_token(token: WithdrawToken) -> str:
    """Write the data of a button that takes a message back."""
    return WITHDRAW + token.to_text()


def with_id(prefix: str, identifier: bytes) -> str:
    """Write the data of a button that names something by its random id."""
    return prefix + base64url.encode(identifier)


def read_capability(data: str) -> Capability | None:
    """Read the capability behind a prefix; None when the data is somebody's invention."""
    try:
        return Capability.parse(_behind_prefix(data))
    except MalformedCapability:
        return None


def read_token(data: str) -> WithdrawToken | None:
    """Read the withdraw token behind a prefix; None when the data is somebody's invention."""
    try:
        return WithdrawToken.parse(_behind_prefix(data))
    except MalformedCapability:
        return None


def read_id(data: str) -> bytes | None:
    """Read the random id behind a prefix; None when the data is somebody's invention."""
    try:
        return base64url.decode(_behind_prefix(data))
    except base64url.NotCanonicalBase64Url:
        return None


def find_reply_capability(keyboard: Keyboard | None) -> Capability | None:
    """Find the capability in the buttons of a message that somebody replied to: ticket or reply prompt."""
    found = (read_capability(data) for data in _all_data(keyboard) if data.startswith((REPLY, CANCEL)))
    return next((capability for capability in found if capability), None)


def list_prompt_keys(keyboard: Keyboard | None) -> list[str]:
    """List the drafts that a message stands for: a prompt by its way out, an acknowledgement by its link."""
    return [_behind_prefix(data) for data in _all_data(keyboard) if data.startswith((CANCEL, WRITE_AGAIN))]


def find_again(keyboard: Keyboard | None) -> str | None:
    """Find what the button under an acknowledgement carries that leads to another message."""
    again = (WRITE_AGAIN, REPLY)
    return next((data for data in _all_data(keyboard) if data.startswith(again)), None)


def is_marked_repeat(keyboard: Keyboard | None) -> bool:
    """Tell whether the buttons of a delivered message carry the mark of a possible repeat."""
    return REPEAT_MARK in _all_data(keyboard)


def _behind_prefix(data: str) -> str:
    return data.partition(":")[2]


def _all_data(keyboard: Keyboard | None) -> list[str]:
    buttons = [button for row in keyboard.inline_keyboard for button in row] if keyboard else []
    return [button.callback_data for button in buttons if button.callback_data]
