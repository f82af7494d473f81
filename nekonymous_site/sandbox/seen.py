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
    """One button under a message; it has data for the bot, or opens a link, or copies a text."""

    text: str
    row: int
    callback_data: str | None = None
    url: str | None = None
    copy_text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenMessage:
    """A message as it stands in the chat now, edits applied; ``text`` and ``entities`` may be a caption's.

    ``file_unique_id`` tells the same medium wherever it stands; the bot sends it by ``file_id``.
    ``reactions`` are the bot's, ``person_reactions`` those of the person whose private chat this is.
    """

    message_id: int
    revision: int
    from_bot: bool
    kind: str
    text: str
    entities: tuple[JsonObject, ...]
    caption: str
    caption_entities: tuple[JsonObject, ...]
    file_id: str | None
    file_unique_id: str | None
    media_group_id: str | None
    has_spoiler: bool
    show_caption_above_media: bool
    buttons: tuple[Button, ...]
    reply_keyboard: tuple[str, ...]
    reply_to_message_id: int | None
    is_edited: bool
    is_protected: bool
    is_silent: bool
    reactions: tuple[str, ...]
    person_reactions: tuple[str, ...]
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
        buttons = [button.url or button.copy_text or "" for button in self.buttons]
        for place in (self.text, *targets, *buttons):
            match = _START_LINK.search(place)
            if match is not None:
                return match.group()
        return None


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
    """A whole chat at one moment; ``keyboard`` holds the rows that stand in place of the letters."""

    revision: int
    messages: tuple[SeenMessage, ...]
    toasts: tuple[Toast, ...]
    keyboard: tuple[tuple[str, ...], ...]


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
        keyboard=tuple(tuple(button["text"] for button in row) for row in view["keyboard"]),
    )


def _read_message(view: JsonObject) -> SeenMessage:
    body = view["message"]
    keyboard = (view["reply_keyboard"] or {}).get("keyboard", [])
    return SeenMessage(
        message_id=view["message_id"],
        revision=view["revision"],
        from_bot=view["from_bot"],
        kind=view["kind"],
        text=view["text"],
        entities=tuple(view["entities"]),
        caption=body.get("caption", ""),
        caption_entities=tuple(body.get("caption_entities", [])),
        file_id=view["file"].get("file_id"),
        file_unique_id=view["file"].get("file_unique_id"),
        media_group_id=body.get("media_group_id"),
        has_spoiler=body.get("has_media_spoiler", False),
        show_caption_above_media=body.get("show_caption_above_media", False),
        buttons=tuple(
            _read_button(one, row=row) for row, buttons in enumerate(view["buttons"]) for one in buttons
        ),
        reply_keyboard=tuple(button["text"] for buttons in keyboard for button in buttons),
        reply_to_message_id=view["reply_to_message_id"],
        is_edited=view["is_edited"],
        is_protected=view["is_protected"],
        is_silent=view["is_silent"],
        reactions=_read_reactions(view["reactions"]),
        person_reactions=_read_reactions(view["person_reactions"]),
        raw=body,
    )


def _read_reactions(reactions: list[JsonObject]) -> tuple[str, ...]:
    return tuple(reaction.get("emoji", "") for reaction in reactions)


def _read_button(button: JsonObject, *, row: int) -> Button:
    return Button(
        text=button["text"],
        row=row,
        callback_data=button.get("callback_data"),
        url=button.get("url"),
        copy_text=button.get("copy_text", {}).get("text"),
    )
