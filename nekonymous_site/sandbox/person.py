"""One made-up person, or a group of them, and their chat with the bot."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from nekonymous_site.sandbox.control_client import REQUEST_TIMEOUT_SECONDS, ControlClient
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.seen import SeenChat, SeenMessage, Toast, read_chat, read_start_slug
from nekonymous_site.sandbox.transcript import write_transcript

DEFAULT_WAIT_SECONDS = 10.0
# One request of a wait; the next one follows until the deadline.
_LONGEST_REQUEST_SECONDS = 5.0

_Found = TypeVar("_Found")
Expectation: TypeAlias = str | Callable[[SeenMessage], bool]


class NotSeen(AssertionError):
    """What was waited for did not come up in time; the message shows the chat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What a person did. ``update_id`` is None where the bot is not told of it."""

    update_id: int | None
    message_id: int | None
    callback_query_id: str | None
    revision: int


class Person:
    """Somebody made up. What they do is remembered, so that ``awaits`` means what comes after it."""

    def __init__(self, control: ControlClient, view: JsonObject) -> None:
        self._control = control
        self._path = f"/sandbox/people/{view['id']}"
        self._last_act_revision = 0
        self.id: int = view["id"]
        self.first_name: str = view["first_name"]
        self.language_code: str | None = view["language_code"]

    def __repr__(self) -> str:
        return f"Person({self.first_name!r}, id={self.id})"

    def says(
        self,
        text: str,
        *,
        reply_to: SeenMessage | int | None = None,
        entities: list[JsonObject] | None = None,
        extra_fields: JsonObject | None = None,
    ) -> Sent:
        """Write a text; ``reply_to`` is Telegram's reply gesture, ``extra_fields`` go over the message."""
        body = {"text": text, "entities": entities or []}
        return self._write(body, reply_to=reply_to, extra_fields=extra_fields)

    def sends(
        self,
        kind: str,
        *,
        caption: str = "",
        reply_to: SeenMessage | int | None = None,
        extra_fields: JsonObject | None = None,
    ) -> Sent:
        """Send a made-up photo, sticker, contact … (the kinds of ``sample_media.SAMPLES``)."""
        return self._write({kind: True, "caption": caption}, reply_to=reply_to, extra_fields=extra_fields)

    def opens(self, link: str) -> Sent:
        """Follow a ``https://t.me/bot?start=slug`` link. Raises ValueError for any other."""
        return self.says(f"/start {read_start_slug(link)}")

    def taps(self, message: SeenMessage, label_or_prefix: str) -> Sent:
        """Press a button, found as SeenMessage.button finds it. Raises ButtonMissing."""
        button = message.button(label_or_prefix)
        if button.callback_data is None:
            reason = f"{button.text!r} is no button for the bot"
            raise ValueError(reason)
        return self.taps_data(message, button.callback_data)

    def taps_data(self, message: SeenMessage | int, callback_data: str) -> Sent:
        """Send a tap with any data, as a modified client or an old keyboard can."""
        body = {"message_id": _message_id_of(message), "callback_data": callback_data}
        return self._act("/taps", body)

    def blocks_bot(self) -> Sent:
        """Block the bot; repeatable."""
        return self._act("/block", {})

    def unblocks_bot(self) -> Sent:
        """Unblock the bot; repeatable."""
        return self._act("/unblock", {})

    def chat(self) -> SeenChat:
        """The chat as it stands now."""
        return read_chat(self._control.get(f"{self._path}/chat"))

    def sees(self) -> tuple[SeenMessage, ...]:
        """All messages of the chat in order, own ones too."""
        return self.chat().messages

    def toasts(self) -> tuple[Toast, ...]:
        """All taps with the bot's answers, in order."""
        return self.chat().toasts

    def awaits(
        self,
        expected: Expectation,
        *,
        seconds: float = DEFAULT_WAIT_SECONDS,
        after: SeenMessage | Sent | int | None = None,
    ) -> SeenMessage:
        """Wait for a message of the bot that holds this text or meets this condition.

        Only messages that came or changed after this person's last act count, or after ``after`` (a message,
        an act or a revision; 0 means from the beginning). Returns the first; raises NotSeen with the chat.
        """
        since = self._last_act_revision if after is None else _revision_of(after)
        matches = _as_condition(expected)

        def find(chat: SeenChat) -> SeenMessage | None:
            candidates = (
                message for message in chat.messages if message.from_bot and message.revision > since
            )
            return next((message for message in candidates if matches(message)), None)

        return self._await(find, seconds=seconds, sought=_name(expected))

    def awaits_toast(self, tap: Sent, *, seconds: float = DEFAULT_WAIT_SECONDS) -> Toast:
        """Wait until the bot has answered a tap. Raises NotSeen."""

        def find(chat: SeenChat) -> Toast | None:
            answered = (toast for toast in chat.toasts if toast.is_answered)
            return next((one for one in answered if one.callback_query_id == tap.callback_query_id), None)

        return self._await(find, seconds=seconds, sought="the answer to a tap")

    def transcript(self) -> str:
        """The chat as lines of text."""
        return "\n".join(write_transcript(self.chat(), name=self.first_name))

    def _await(self, find: Callable[[SeenChat], _Found | None], *, seconds: float, sought: str) -> _Found:
        deadline = time.monotonic() + seconds
        known_revision = -1
        while True:
            seconds_left = max(deadline - time.monotonic(), 0.0)
            chat = self._chat_after(known_revision, wait_seconds=min(seconds_left, _LONGEST_REQUEST_SECONDS))
            found = find(chat)
            if found is not None:
                return found
            if seconds_left <= 0:
                shown = "\n".join(write_transcript(chat, name=self.first_name))
                reason = f"{self.first_name} did not see {sought} within {seconds:g} s; the chat is:\n{shown}"
                raise NotSeen(reason)
            known_revision = chat.revision

    def _chat_after(self, known_revision: int, *, wait_seconds: float) -> SeenChat:
        """The chat as soon as it has changed since, or when the time is over."""
        view = self._control.get(
            f"{self._path}/chat",
            timeout_seconds=wait_seconds + REQUEST_TIMEOUT_SECONDS,
            after_revision=known_revision,
            wait_seconds=wait_seconds,
        )
        return read_chat(view)

    def _write(
        self, body: JsonObject, *, reply_to: SeenMessage | int | None, extra_fields: JsonObject | None
    ) -> Sent:
        if reply_to is not None:
            body["reply_to_message_id"] = _message_id_of(reply_to)
        return self._act("/messages", body | {"extra_fields": extra_fields or {}})

    def _act(self, path: str, body: JsonObject) -> Sent:
        sent = Sent(**self._control.post(f"{self._path}{path}", body))
        self._last_act_revision = sent.revision
        return sent


class Group:
    """A made-up group with the bot in it."""

    def __init__(self, control: ControlClient, chat_id: int) -> None:
        self._control = control
        self._path = f"/sandbox/groups/{chat_id}"
        self.id = chat_id

    def hears(self, person: Person, text: str) -> Sent:
        """Let a person write into the group."""
        body = {"person_id": person.id, "text": text}
        return Sent(**self._control.post(f"{self._path}/messages", body))

    def sees(self) -> tuple[SeenMessage, ...]:
        """All messages of the group in order."""
        return read_chat(self._control.get(f"{self._path}/chat")).messages

    def has_bot(self) -> bool:
        """Whether the bot is still in there."""
        return not self._control.get(f"{self._path}/chat")["bot_has_left"]


def _as_condition(expected: Expectation) -> Callable[[SeenMessage], bool]:
    if isinstance(expected, str):
        return lambda message: expected in message.text
    return expected


def _name(expected: Expectation) -> str:
    return repr(expected) if isinstance(expected, str) else "what it waited for"


def _message_id_of(message: SeenMessage | int) -> int:
    return message if isinstance(message, int) else message.message_id


def _revision_of(moment: SeenMessage | Sent | int) -> int:
    return moment if isinstance(moment, int) else moment.revision
