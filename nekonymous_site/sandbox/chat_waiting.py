"""Looking at somebody's chat, and waiting for what comes up in it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from nekonymous_site.sandbox.control_client import REQUEST_TIMEOUT_SECONDS, ControlClient
from nekonymous_site.sandbox.seen import SeenChat, SeenMessage, Toast, read_chat
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
    """What a person did. ``update_id`` is None where the bot is not told of it.

    ``phantom_update_id`` is that of an edit that nobody made.
    """

    update_id: int | None
    message_id: int | None
    callback_query_id: str | None
    phantom_update_id: int | None
    revision: int


class ChatOnlooker:
    """Sees one chat. What comes after the last act in it counts as new."""

    def __init__(self, control: ControlClient, path: str, *, name: str) -> None:
        self._control = control
        self._path = path
        self._last_act_revision = 0
        self.first_name = name

    def chat(self) -> SeenChat:
        """The chat as it stands now."""
        return read_chat(self._control.get(f"{self._path}/chat"))

    def sees(self) -> tuple[SeenMessage, ...]:
        """All messages of the chat in order, own ones too."""
        return self.chat().messages

    def toasts(self) -> tuple[Toast, ...]:
        """All taps with the bot's answers, in order."""
        return self.chat().toasts

    def keyboard(self) -> tuple[str, ...]:
        """The labels of the keyboard that the chat shows in place of the letters, if it shows one."""
        return tuple(label for row in self.chat().keyboard for label in row)

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


def _as_condition(expected: Expectation) -> Callable[[SeenMessage], bool]:
    if isinstance(expected, str):
        return lambda message: expected in message.text
    return expected


def _name(expected: Expectation) -> str:
    return repr(expected) if isinstance(expected, str) else "what it waited for"


def _revision_of(moment: SeenMessage | Sent | int) -> int:
    return moment if isinstance(moment, int) else moment.revision
