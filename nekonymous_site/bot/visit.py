"""What a handler is given, and what it gives back."""

from dataclasses import dataclass, field
from typing import Any

from accounts.selectors import Actor
from nekonymous_site.bell import Bell
from nekonymous_site.bot.keyboards import Keyboard
from nekonymous_site.crypto.identifiers import ChatId
from nekonymous_site.pipeline import StatementPipeline
from outbox.delivery_policy import IntentKind


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Visit:
    """Somebody came with an update, in their private chat; the durable transaction is open."""

    pipeline: StatementPipeline
    actor: Actor
    chat_id: ChatId

    @property
    def language(self) -> str:
        return self.actor.language


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message to whoever came, with the kind of intent that carries it."""

    kind: IntentKind
    text: str = field(repr=False)
    keyboard: Keyboard | None = field(repr=False, default=None)

    def parameters(self) -> dict[str, Any]:
        """Give the parameters of `sendMessage`, the chat left out."""
        plain: dict[str, Any] = {"text": self.text, "link_preview_options": {"is_disabled": True}}
        return plain | ({"reply_markup": self.keyboard} if self.keyboard else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class HandlerAnswer:
    """What whoever came is to see. `toast` answers a tap; `bells` ring after commit."""

    messages: tuple[Message, ...] = ()
    toast: str | None = None
    bells: tuple[Bell, ...] = ()


def screen(text: str, *, keyboard: Keyboard | None = None, bells: tuple[Bell, ...] = ()) -> HandlerAnswer:
    """Answer with a screen, which is not repeated when nobody knows whether it arrived."""
    return HandlerAnswer(
        messages=(Message(kind=IntentKind.SCREEN, text=text, keyboard=keyboard),), bells=bells
    )


def prompt(text: str) -> HandlerAnswer:
    """Answer by asking for the next message."""
    return HandlerAnswer(messages=(Message(kind=IntentKind.PROMPT, text=text),))


def acknowledgement(text: str) -> HandlerAnswer:
    """Answer with what became of a message; this must arrive."""
    return HandlerAnswer(messages=(Message(kind=IntentKind.ACKNOWLEDGEMENT, text=text),))
