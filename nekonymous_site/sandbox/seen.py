"""What somebody in a chat sees, as the client of the control API hands it out."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from nekonymous_site.sandbox.json_types import JsonObject

_START_LINK = re.compile(r"https://t\.me/(?P<bot>\w+)\?start=(?P<slug>[\w-]{1,64})", re.ASCII)


class ButtonMissing(AssertionError):
    """The message has no such button."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """One button under a message; a link button has no callback data."""

    text: str
    row: int
    callback_data: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenMessage:
    """A message as it stands in the chat now, edits applied; ``text`` may be a caption."""

    message_id: int
    revision: int
    from_bot: bool
    kind: str
    text: str
    entities: tuple[JsonObject, ...]
    buttons: tuple[Button, ...]
    reply_keyboard: tuple[str, ...]
    reply_to_message_id: int | None
    is_edited: bool
    is_protected: bool
    is_silent: bool
    reactions: tuple[str, ...]
    raw: JsonObject = field(repr=False)

    def find_button(self, label_or_prefix: str) -> Button | None:
        """Find the first button with this label, else this start of callback data, else this in its label."""
        tests: tuple[Callable[[Button], bool], ...] = (
            lambda button: button.text == label_or_prefix,
            lambda button: (button.callback_data or "").startswith(label_or_prefix),
            lambda button: label_or_prefix in button.text,
        )
        return next((button for matches in tests for button in self.buttons if matches(button)), None)

    def button(self, label_or_prefix: str) -> Button:
        """As find_button. Raises ButtonMissing."""
        found = self.find_button(label_or_prefix)
        if found is None:
            there = [(button.text, button.callback_data or button.url) for button in self.buttons]
            reason = f"message {self.message_id} has no button {label_or_prefix!r}, only {there}"
            raise ButtonMissing(reason)
        return found

    def has_button(self, label_or_prefix: str) -> bool:
        """Whether find_button finds one."""
        return self.find_button(label_or_prefix) is not None

    def find_start_link(self) -> str | None:
        """Find a link that opens a bot with a slug: in the text, behind it, or in a button."""
        targets = [entity.get("url", "") for entity in self.entities]
        copied = [row_button.get("copy_text", {}).get("text", "") for row_button in self._raw_buttons()]
        for place in (self.text, *targets, *(button.url or "" for button in self.buttons), *copied):
            match = _START_LINK.search(place)
            if match is not None:
                return match.group()
        return None

    def _raw_buttons(self) -> list[JsonObject]:
        rows = self.raw.get("reply_markup", {}).get("inline_keyboard", [])
        return [button for row in rows for button in row]


@dataclass(frozen=True, slots=True, kw_only=True)
class Toast:
    """What became of a tap: the words that came up over the chat, once the bot has answered."""

    callback_query_id: str
    message_id: int
    callback_data: str
    revision: int
    is_answered: bool
    text: str
    show_alert: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenChat:
    """A whole chat at one moment."""

    revision: int
    messages: tuple[SeenMessage, ...]
    toasts: tuple[Toast, ...]


def read_start_slug(link: str) -> str:
    """The slug of a link as find_start_link finds it. Raises ValueError for any other."""
    match = _START_LINK.search(link)
    if match is None:
        raise ValueError("this link opens no bot")
    return match["slug"]


def read_chat(view: JsonObject) -> SeenChat:
    """Read the control API's view of a chat."""
    return SeenChat(
        revision=view["revision"],
        messages=tuple(_read_message(message) for message in view["messages"]),
        toasts=tuple(Toast(**toast) for toast in view["toasts"]),
    )


def _read_message(view: JsonObject) -> SeenMessage:
    keyboard = (view["reply_keyboard"] or {}).get("keyboard", [])
    return SeenMessage(
        message_id=view["message_id"],
        revision=view["revision"],
        from_bot=view["from_bot"],
        kind=view["kind"],
        text=view["text"],
        entities=tuple(view["entities"]),
        buttons=tuple(
            Button(text=one["text"], row=row, callback_data=one.get("callback_data"), url=one.get("url"))
            for row, buttons in enumerate(view["buttons"])
            for one in buttons
        ),
        reply_keyboard=tuple(button["text"] for buttons in keyboard for button in buttons),
        reply_to_message_id=view["reply_to_message_id"],
        is_edited=view["is_edited"],
        is_protected=view["is_protected"],
        is_silent=view["is_silent"],
        reactions=tuple(reaction.get("emoji", "") for reaction in view["reactions"]),
        raw=view["message"],
    )
