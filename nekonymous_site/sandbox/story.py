"""The product's story played through by two made-up people, for ``./neko demo``."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from nekonymous_site.sandbox.people import (
    ButtonMissing,
    NotSeen,
    Person,
    Sandbox,
    SandboxRefused,
    SandboxUnreachable,
    SeenMessage,
)

STEP_SECONDS = 30.0
# How the bot's buttons begin; their labels are translated.
_INBOX_BUTTON = "ib:"
_REPLY_BUTTON = "r:"

_FIRST_TEXT = "Your talk yesterday was lovely. – somebody who sat in the last row"
_ANSWER = "ممنون! خیلی خوشحالم کردی 🌷"
_LAST_TEXT = "See you at the next one!"


class StoryStopped(Exception):
    """A step of the story did not come to its end; the message says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """The two people after the first text has arrived, and that text as its reader sees it."""

    owner: Person
    visitor: Person
    link: str
    arrived: SeenMessage


class Story:
    """Plays the story in a sandbox whose bot is running; ``tell`` gets a line for each thing that happens."""

    def __init__(
        self, sandbox: Sandbox, *, tell: Callable[[str], None], step_seconds: float = STEP_SECONDS
    ) -> None:
        self._sandbox = sandbox
        self._tell = tell
        self._step_seconds = step_seconds

    def play_first_leg(self) -> Delivered:
        """One anonymous text walks from one person to another. Raises StoryStopped."""
        started = time.monotonic()
        with step("two people come in"):
            owner = self._sandbox.person("سارا", "fa")
            visitor = self._sandbox.person("Adam", "en")
        link = self._get_link(owner)
        self._compose(visitor, link)
        arrived = self._read_inbox(owner, _FIRST_TEXT)
        self._tell(f"{owner.first_name} opened her inbox and read it.")
        self._tell(f"Delivered in {time.monotonic() - started:.1f} s.")
        return Delivered(owner=owner, visitor=visitor, link=link, arrived=arrived)

    def play_answers(self, delivered: Delivered) -> None:
        """The answer goes back by the button, the next text by Telegram's own reply. Raises StoryStopped."""
        owner, visitor = delivered.owner, delivered.visitor
        with step("the owner presses reply"):
            owner.taps(delivered.arrived, _REPLY_BUTTON)
            owner.awaits("/cancel", seconds=self._step_seconds)
        with step("the owner writes an answer"):
            owner.says(_ANSWER)
            self._await_any(owner)
        answer = self._read_inbox(visitor, _ANSWER, by_command=True)
        self._tell(f"{visitor.first_name} read the answer.")
        with step("the visitor answers with Telegram's reply gesture"):
            visitor.says(_LAST_TEXT, reply_to=answer)
            self._await_any(visitor)
        self._read_inbox(owner, _LAST_TEXT)
        self._tell(f"{owner.first_name} read what came back by Telegram's own reply.")

    def _get_link(self, owner: Person) -> str:
        with step("the owner gets a link"):
            owner.says("/start")
            welcome = owner.awaits(
                lambda message: message.find_start_link() is not None, seconds=self._step_seconds
            )
            link = welcome.find_start_link() or ""
        self._tell(f"{owner.first_name} got her link: {link}")
        return link

    def _compose(self, visitor: Person, link: str) -> None:
        with step("the visitor opens the link"):
            visitor.opens(link)
            visitor.awaits("/cancel", seconds=self._step_seconds)
        with step("the visitor's text is acknowledged"):
            visitor.says(_FIRST_TEXT)
            self._await_any(visitor)
        self._tell(f"{visitor.first_name} opened it and wrote a text without a name.")

    def _read_inbox(self, reader: Person, text: str, *, by_command: bool = False) -> SeenMessage:
        """Wait for the notice, ask for the inbox, wait for the text with its buttons."""
        with step(f"{reader.first_name} is told that something waits"):
            notice = reader.awaits(
                lambda message: message.has_button(_INBOX_BUTTON) and not message.find_start_link(),
                seconds=self._step_seconds,
            )
        with step(f"{reader.first_name} reads the inbox"):
            if by_command:
                reader.says("/inbox")
            else:
                reader.taps(notice, _INBOX_BUTTON)
            asked = reader.chat().revision
            arrived = reader.awaits(
                lambda message: text in message.text and message.has_button(_REPLY_BUTTON),
                seconds=self._step_seconds,
            )
            # The count of what has arrived is brought to its end last, in the message that began it.
            reader.awaits(lambda message: message.is_edited, after=asked, seconds=self._step_seconds)
            return arrived

    def _await_any(self, person: Person) -> SeenMessage:
        return person.awaits(lambda _message: True, seconds=self._step_seconds)


@contextmanager
def step(name: str) -> Iterator[None]:
    """Name the step in which the story stopped."""
    try:
        yield
    except (NotSeen, ButtonMissing, SandboxRefused, SandboxUnreachable, ValueError) as error:
        reason = f"stopped where {name}: {error}"
        raise StoryStopped(reason) from None
